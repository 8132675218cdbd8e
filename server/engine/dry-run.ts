// An immediate dry run: what a workflow's steps would do with a few files, without an operation and
// without writing anything.
import type { AnyText, Workflow } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { present } from '../core/lazy.ts'
import type { Change } from '../files/drafts.ts'
import { freshItem } from './work-item.ts'
import { resolveSteps, writeContext } from './context.ts'
import { planBatch } from './plan.ts'
import type { EngineParts } from './parts.ts'
import { itemDraft, loadedRecord, loadRecords, obstacleOf, problemOf } from './item-work.ts'
import { filePlaceOf } from './steps.ts'

/** A file by its bare UUID, with its place in a selection. */
export interface PlacedFile {
  id: string
  position: number
}

export interface PreviewResult extends PlacedFile {
  /** Its current name; '' if there is no such file. */
  filename: string
  /** What would change; null if something prevents it. */
  change: Change | null
  problem: AnyText | null
}

/**
 * Plans the item steps of a workflow for these files, and writes nothing.
 * @returns one result for each file, in their order
 * @throws `BrokenStep` if a step cannot run here, and the signal's reason
 */
export async function dryRun(
  parts: EngineParts,
  scope: ShopScope,
  {
    workflow,
    files,
    signal,
  }: { workflow: Workflow; files: readonly PlacedFile[]; signal: AbortSignal },
): Promise<PreviewResult[]> {
  const placed = files.map((file) => ({
    file,
    item: freshItem({ position: file.position, file_id: file.id }),
  }))
  const items = placed.map(({ item }) => item)
  await loadRecords(scope, items)
  const place = filePlaceOf(workflow, parts.plugins)
  const obstacles = new Map(items.map((item) => [item, obstacleOf(item, place)]))
  const open = items.filter((item) => !obstacles.get(item))
  const read = await writeContext(parts, scope, { request: {} }, signal)
  // oxfmt-ignore
  const planned = await planBatch(resolveSteps(parts, scope, workflow), open, {
    read,
    log: parts.log,
    times: [],
  })
  const endings = new Map(planned.map(({ item, ending }) => [item, ending]))
  return placed.map(({ file, item }) => {
    const ending = obstacles.get(item) ?? present(endings.get(item), 'the ending of an item')
    const problem = problemOf(ending)
    return {
      ...file,
      filename: item.record?.filename ?? '',
      problem,
      change: problem ? null : { record: loadedRecord(item), draft: itemDraft(item) },
    }
  })
}
