// The live preview of a rename: the first files of a selection, named by the plugin's own plan.
// Free names are found by the rule that operations use; a long chain of files that take each
// other's names is followed only for a few steps.
import type { AnyText } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { present } from '../../core/lazy.ts'
import type { Engine } from '../../engine/engine.ts'
import type { PreviewResult, PlacedFile } from '../../engine/dry-run.ts'
import type { OperationSource } from '../../engine/freeze.ts'
import { changeFiles } from '../../files/changes.ts'
import { compileFilter, type FileFilter } from '../../files/filter.ts'
import { findNameOwners } from '../../files/name-allocation.ts'
import { nameRequestOf } from '../../files/names.ts'
import { workflowOfAction, placedSource } from '../operations/start.ts'

export interface NewName {
  /** The bare UUID of the file. */
  id: string
  before: string
  after: string
  /** Why the file cannot get that name, or keeps its own; null: it can. */
  problem: AnyText | null
}

const ACTION = 'rename-files'
/** How many steps of a chain of files that take each other's names are followed. */
const ROUNDS = 5

interface PreviewRequest {
  source: OperationSource
  options: Record<string, unknown>
  limit: number
  signal: AbortSignal
}

/**
 * Previews the new names. Throws `validation_failed` if the options or the selection are invalid.
 */
export async function previewNames(
  engine: Engine,
  scope: ShopScope,
  { source: given, options, limit, signal }: PreviewRequest,
): Promise<{ names: NewName[]; total: number }> {
  const workflow = workflowOfAction(engine, ACTION, options)
  const selection = await selectionOf(scope, placedSource(engine, workflow, given))
  const [total, first] = await Promise.all([selection.count(), selection.first(limit)])
  const dryRun = (files: readonly PlacedFile[]) => engine.dryRun(scope, { workflow, files, signal })
  const shown = await dryRun(first)
  const { previewed, leaving } = await withNameOwners(scope, shown, selection, dryRun)
  const changing = previewed
    .flatMap((one) => (one.change === null ? [] : [{ ...one, change: one.change }]))
    .sort((a, b) => a.position - b.position)
  const results = await changeFiles(
    scope,
    changing.map(({ change }) => change),
    { write: false, leaving },
  )
  const refusals = new Map(
    changing.map(({ id }, at) => {
      const result = present(results[at], 'The result of a change')
      return [id, result.status === 'refused' ? result.message : null]
    }),
  )
  const names = shown.map(({ id, filename, change, problem }) => ({
    id,
    before: filename,
    after: change?.draft.filename ?? filename,
    problem: problem ?? refusals.get(id) ?? null,
  }))
  return { names, total }
}

/**
 * Adds the selected files that have the new names now and would be renamed together with the shown
 * ones.
 */
async function withNameOwners(
  scope: ShopScope,
  shown: readonly PreviewResult[],
  selection: SelectedFiles,
  preview: (files: readonly PlacedFile[]) => Promise<PreviewResult[]>,
): Promise<{ previewed: PreviewResult[]; leaving: Set<string> }> {
  const previewed = [...shown]
  let last = shown
  for (let round = 0; ; round++) {
    const wanted = last.flatMap(({ change }) =>
      change ? (nameRequestOf(change)?.wantedKey ?? []) : [],
    )
    const known = new Set(previewed.map(({ id }) => id))
    const owners = [...(await findNameOwners(scope, wanted)).values()].filter(
      (id) => !known.has(id),
    )
    const more = owners.length > 0 ? await selection.find(owners) : []
    // Files beyond this are assumed to give up their names; the operation's own preview checks them
    // all.
    if (more.length === 0 || round === ROUNDS)
      return { previewed, leaving: new Set(more.map(({ id }) => id)) }
    last = await preview(more)
    previewed.push(...last)
  }
}

interface SelectedFiles {
  count(): Promise<number>
  first(limit: number): Promise<PlacedFile[]>
  /** Finds those of the files that are selected. */
  find(ids: readonly string[]): Promise<PlacedFile[]>
}

async function selectionOf(scope: ShopScope, source: OperationSource): Promise<SelectedFiles> {
  if (source.type === 'files') return ofIds([...new Set(source.ids)])
  if (source.type === 'filter') return ofFilter(scope, source.filter)
  throw new Error(`Names are previewed of files or a filter, not of ${source.type}`)
}

function ofIds(ids: readonly string[]): SelectedFiles {
  const places = new Map(ids.map((id, position) => [id, { id, position }]))
  return {
    count: () => Promise.resolve(ids.length),
    first: (limit) => Promise.resolve([...places.values()].slice(0, limit)),
    find: (some) => Promise.resolve(some.flatMap((id) => places.get(id) ?? [])),
  }
}

/** The files of a filter, in the order in which an operation freezes them. */
async function ofFilter(scope: ShopScope, filter: FileFilter): Promise<SelectedFiles> {
  const { sql, bindings } = await compileFilter(scope, filter)
  const files = `from files where files.shop_id = :shop and ${sql}`
  const placed = `select id, (row_number() over (order by id) - 1)::int as position ${files}`
  return {
    count: async () =>
      (await scope.one<{ n: number }>(`select count(*) as n ${files}`, bindings)).n,
    first: (limit) => scope.query(`${placed} order by id limit :limit`, { ...bindings, limit }),
    find: (ids) =>
      scope.query(`select * from (${placed}) placed where id = any(:ids::uuid[]) order by id`, {
        ...bindings,
        ids,
      }),
  }
}
