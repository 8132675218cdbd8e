// First step of every cloud sync: fetches new and changed objects, applies the provider's changes
// to files, and carries the files' changes to the provider.
import { z } from 'zod'
import {
  definePlugin,
  failed,
  sizeProblem,
  say,
  type FileChange,
  type Item,
  namesIn,
  type Outcome,
  type Packs,
  type PackShelf,
  packsChange,
  packShelf,
  packsToRead,
  wantedPacks,
} from '../contract/index.ts'
import type { CloudTask } from './port.ts'

/**
 * Outcomes of entries carry `bytes`. Outcomes of files carry the change that came with them, and
 * later steps skip these files. Items fail with the codes `cloud_…`, or the error of the storage
 * location.
 */
export const syncCloud = definePlugin({
  id: 'sync-cloud',
  kind: 'fetch',
  title: 'Sync with the cloud',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['cloud', 'packs'],
  worksOn: 'imports',
  bytes: true,
  // Starting rclone takes as long as fetching about a hundred small objects.
  batch: 1000,
  advice: {
    cloud_access_revoked: 'Authorize the connection again, then choose Retry Failed.',
    cloud_access_denied:
      'Correct the keys of the connection, or their permissions. Then choose Try again on its page, or sync again.',
    cloud_archived:
      'Restore the files at the provider, then choose Try again on the page of the connection.',
    cloud_listing_differs:
      'Save the files again at the provider, so that it lists them correctly, then sync again.',
    cloud_listing_too_large: 'Choose a smaller folder, or several connections with a part each.',
    cloud_not_a_listing: 'Correct the endpoint of the connection, then sync again.',
    cloud_wrong_region: 'Correct the region of the connection, then sync again.',
    cloud_folder_not_found: 'Choose the folder of the connection again.',
    cloud_file_not_found: 'Sync again to update files that no longer exist there.',
    cloud_file_changed: 'Sync again to import the files that changed meanwhile.',
    cloud_not_compared: 'Sync again to compare the files with those that are no longer there.',
    cloud_duplicate_name: 'Rename all but one of the files with the same name at the provider.',
    cloud_name_unusable: 'Rename the files at the provider whose names cannot be read.',
    cloud_quota: 'Make room at the provider, then sync again.',
    cloud_rate_limited: 'Sync again in a few minutes: the provider limits requests.',
    cloud_unreachable: 'Sync again: the provider may answer by now.',
    cloud_failed: 'Sync again: the provider may answer by now.',
  },
  summary: () =>
    say('Imports new and changed files, and applies renames and deletions at the provider'),
  async *plan(items, _, { cloud, packs, limits, request, signal }) {
    signal.throwIfAborted()
    const tasks = await cloud.tasksOf(request.sync ?? '', items)
    const shelf = await shelfOf(items, packs)
    for (const item of items) {
      const task = tasks.get(item.id)
      if (!task) yield supersededOutcome(item)
      else yield changeOutcome(item, task, shelf) ?? foreseenOutcome(item, task, limits)
    }
  },
  async *run(items, _, { cloud, packs, request, signal }) {
    const sync = request.sync ?? ''
    const tasks = await cloud.tasksOf(sync, items)
    const shelf = await shelfOf(items, packs)
    const open = new Map<string, { item: Item; task: CloudTask }>()
    for (const item of items) {
      const task = tasks.get(item.id)
      const change = task && changeOutcome(item, task, shelf)
      if (!task) yield supersededOutcome(item)
      else if (change) yield change
      else open.set(item.id, { item, task })
    }
    if (open.size === 0) return
    const working = [...open.values()].map(({ item }) => item)
    for await (const { item: id, bytes, error } of cloud.carryOut(sync, working, signal)) {
      const carried = open.get(id)
      if (!carried) throw new Error(`The cloud port returned the item ${id}, which is not open`)
      const { item, task } = carried
      if (error) yield failed(item, error)
      else if (bytes) yield { ...plannedOutcome(item, task), bytes } as Outcome
      else yield outcomeWithoutBytes(item, task)
    }
  },
})

const supersededOutcome = ({ id }: Item): Outcome => ({
  item: id,
  status: 'skipped',
  reason: say(
    'Its connection was synced again, has another folder, or was deleted: sync the connection to try the file again',
  ),
})

/** The outcome of a file that was changed at the provider; null: another kind of task. */
function changeOutcome(
  { id, file, wanted }: Item,
  { does }: CloudTask,
  shelf: PackShelf,
): Outcome | null {
  if (does !== 'change') return null
  const { packs, ...change } = wanted ?? {}
  const moved = packs && packsChange(file, wantedPacks(packs, shelf), shelf)
  return { item: id, status: 'ok', last: true, change: { ...change, ...moved } }
}

/** The packs that the changes of files name, and those of the files. */
async function shelfOf(items: readonly Item[], packs: Pick<Packs, 'read'>): Promise<PackShelf> {
  const moved = items.filter(({ wanted }) => wanted?.packs !== undefined)
  if (moved.length === 0) return packShelf([])
  return packs.read({
    ids: packsToRead(moved.map(({ file }) => file)),
    names: [
      ...new Set(moved.flatMap(({ wanted }) => (wanted?.packs ? namesIn(wanted.packs) : []))),
    ],
  })
}

/** The outcome of a preview: an object whose size no file may have would fail. */
function foreseenOutcome(item: Item, task: CloudTask, limits: { file_bytes: number }): Outcome {
  const problem = task.does === 'fetch' ? sizeProblem(task.size_bytes, limits) : null
  return problem ? { item: item.id, ...problem } : plannedOutcome(item, task)
}

/** The outcome of a task, without its bytes. */
function plannedOutcome({ id }: Item, task: CloudTask): Outcome {
  const warnings = 'warning' in task && task.warning ? { warnings: [task.warning] } : {}
  if (task.does !== 'fetch') return { item: id, status: 'ok', last: true, ...warnings }
  const change: FileChange = task.pack === null ? {} : { packs: { add: [{ name: task.pack }] } }
  return { item: id, status: 'ok', change, ...warnings }
}

/** The outcome of a task that is done and gave no bytes. */
function outcomeWithoutBytes(item: Item, task: CloudTask): Outcome {
  if (item.entry === null) return plannedOutcome(item, task)
  const reason = task.does === 'send' ? task.says : say('It has the same bytes here')
  return { item: item.id, status: 'skipped', reason }
}
