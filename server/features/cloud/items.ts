// Creates the items of a sync's operation from its plan, in pieces, so that it continues after a
// crash.
import type { Entry, RowChange } from '../../../plugins/contract/index.ts'
import { type ShopScope, retryTransaction } from '../../core/db/for-shop.ts'
import { present } from '../../core/lazy.ts'
import type { Engine } from '../../engine/engine.ts'
import type { GrowingChange, GrowingEntry } from '../../engine/grow.ts'
import { nameKey } from '../../files/rules.ts'
import { importEntries, type ImportFile } from '../imports/start.ts'
import type { CloudConnection } from './connections.ts'
import { filenameOf, markedName, matchText, packOf } from './names.ts'
import type { ChangeRow } from './sync-changes.ts'
import { providerOf } from './providers/providers.ts'

const PIECE = 1000
/** Decisions without an item, which take effect when the sync ends. */
const WITHOUT_ITEM = `('forget', 'move')`

type NumberedChange = ChangeRow & { number: number }

/** Adds all missing items; false: the operation was cancelled and takes no more. */
export async function addItems(
  engine: Engine,
  scope: ShopScope,
  sync: { id: string; operation: string },
  connection: CloudConnection,
): Promise<boolean> {
  const freed = await freedNames(scope, sync.id)
  for (let more = true; more;) {
    const added = await retryTransaction(scope, async (tx) => {
      const changes = await nextChanges(tx, sync.id)
      if (changes.length === 0) return 0
      const first = await engine.add(
        tx,
        sync.operation,
        await growing(tx, connection, changes, freed),
      )
      if (first === null) return null
      changes.forEach((change, n) => noteFreed(freed, change, first + n))
      await tx.query(
        `update sync_changes set position = :first + placed.n - 1
         from unnest(:numbers::int[]) with ordinality as placed(number, n)
         where shop_id = :shop and sync_id = :sync and sync_changes.number = placed.number
           and sync_changes.number = any(:numbers::int[])`,
        { sync: sync.id, first, numbers: changes.map(({ number }) => number) },
      )
      return changes.length
    })
    if (added === null) return false
    more = added > 0
  }
  return true
}

/** Changes that free a name come first. */
const nextChanges = (tx: ShopScope, sync: string): Promise<NumberedChange[]> =>
  tx.query<NumberedChange>(
    `select * from sync_changes where shop_id = :shop and sync_id = :sync and position is null
       and kind not in ${WITHOUT_ITEM}
     order by kind not in ('remove', 'rename'), number limit ${PIECE}`,
    { sync },
  )

/** By the key of a name: the position of the item after which the name is free. */
type FreedNames = Map<string, number>

async function freedNames(scope: ShopScope, sync: string): Promise<FreedNames> {
  const freed: FreedNames = new Map()
  const rows = await scope.query<NumberedChange & { position: number }>(
    `select * from sync_changes where shop_id = :shop and sync_id = :sync and position is not null
       and kind in ('remove', 'rename')`,
    { sync },
  )
  for (const row of rows) noteFreed(freed, row, row.position)
  return freed
}

function noteFreed(freed: FreedNames, { kind, filename }: ChangeRow, position: number): void {
  if ((kind === 'remove' || kind === 'rename') && filename !== null)
    freed.set(nameKey(filename), position)
}

async function growing(
  tx: ShopScope,
  connection: CloudConnection,
  changes: readonly NumberedChange[],
  freed: FreedNames,
): Promise<(GrowingEntry | GrowingChange)[]> {
  const wanted = changes.map((change) => wantedOf(change, connection))
  const entries = (
    await importEntries(
      tx,
      changes.flatMap((change, at) => (wanted[at] ? [] : [fileOf(change, connection)])),
    )
  ).values()
  return wanted.map((own) => {
    if (own) return own
    const entry = present(entries.next().value, 'The entry of a file')
    return { ...entry, after: freed.get(nameKey(entry.draft.filename)) ?? null }
  })
}

/** The change of a file here; null: the decision is an entry. */
function wantedOf(change: NumberedChange, { options }: CloudConnection): GrowingChange | null {
  const { kind, file_id } = change
  if (file_id === null) return null
  if (kind === 'send') return { file: file_id, wanted: null }
  if (kind === 'rename') return { file: file_id, wanted: renaming(change, options) }
  if (kind !== 'remove') return null
  const wanted: RowChange =
    options.deletions === 'unmap' ? { mappings: { remove: 'all' } } : { deleted: true }
  return { file: file_id, wanted }
}

function renaming(
  { path, from_path, filename }: NumberedChange,
  { names, packs_from_subfolders }: CloudConnection['options'],
): RowChange {
  const from = present(from_path, 'The path before the renaming')
  const [before, now] = [filenameOf(from, names), filenameOf(path, names)]
  const [pack, left] = [packOf(path), packOf(from)]
  const moved = packs_from_subfolders && pack !== left
  return {
    ...(before !== now && filename !== now ? { set: { filename: now } } : {}),
    ...(moved ? { packs: { add: inList(pack), remove: inList(left) } } : {}),
  }
}

const inList = (name: string | null): string[] => (name === null ? [] : [name])

function fileOf(
  { kind, path, file_id, filename }: NumberedChange,
  connection: CloudConnection,
): ImportFile {
  const { options, provider } = connection
  const source: Entry['source'] = { type: 'cloud', path }
  const replaces = (kind === 'add' || kind === 'change') && file_id !== null
  return {
    filename: nameFor({ kind, path, filename }, connection),
    source,
    on_conflict: replaces ? 'new_version' : 'rename',
    ...(replaces ? { replaces: file_id } : {}),
    ...(options.auto_map && providerOf(provider).keyed ? { match_as: matchText(path) } : {}),
  }
}

/** A name for their file if the two sides differ and both are kept: it names the origin. */
function nameFor(
  { kind, path, filename }: Pick<NumberedChange, 'kind' | 'path' | 'filename'>,
  { options, provider }: CloudConnection,
): string {
  if (kind === 'conflict') return present(filename, 'The name of a conflict')
  const name = filenameOf(path, options.names)
  return kind === 'match' ? markedName(name, providerOf(provider).title) : name
}
