// Carries out a batch of a sync's decisions: objects are copied here together, and
// our changes are sent to the provider one after another. Each change is recorded when the provider
// has it.
import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { PortError, type StagedBlob } from '../../../plugins/contract/index.ts'
import { createAsyncQueue } from '../../core/body-budget.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { foundIn, HEAD_BYTES } from '../../ports/found-type.ts'
import { copyOut, locateItem, type StoredBytes } from '../../ports/item-bytes.ts'
import { storeFailure, type StagePlace } from '../../ports/catalog.ts'
import { present } from '../../core/lazy.ts'
import { StoreError } from '../../core/store/store.ts'
import type { Cloud, OpenRemote } from './cloud.ts'
import { openingOf, requireConnection } from './connections.ts'
import { judgeRefusals } from './judge-refusals.ts'
import { CloudError } from './rclone/errors.ts'
import type { RemoteFile } from './rclone/remote-files.ts'
import { readSync } from './sync-rows.ts'
import type { SyncTask } from './tasks.ts'

export interface CarryParts extends StoredBytes {
  scope: ShopScope
  cloud: Cloud
  place: StagePlace
}

export interface TaskResult {
  task: SyncTask
  bytes?: StagedBlob
  error?: CloudError | PortError
}

/** Yields one result for each task, in no order. Throws the reason of `signal`. */
export async function* carryOut(
  parts: CarryParts,
  sync: string,
  tasks: readonly SyncTask[],
  signal: AbortSignal,
): AsyncGenerator<TaskResult> {
  const { scope, cloud } = parts
  const { connection_id } = present(await readSync(scope, sync), 'The sync')
  const connection = await requireConnection(scope, connection_id)
  const watched = (result: TaskResult) => {
    if (result.error?.code === 'cloud_access_revoked') cloud.renewToken(connection_id)
    return result
  }
  let open: OpenRemote
  try {
    open = await cloud.open(scope, openingOf(cloud, scope, connection))
  } catch (error) {
    if (!(error instanceof CloudError)) throw error
    for (const task of tasks) yield { task, error }
    return
  }
  const folder = path.join(cloud.stagingFolder, connection_id, randomUUID())
  await mkdir(folder, { recursive: true })
  const run = { parts, sync, open, folder, signal }
  const judged = judgeRefusals(open.files, signal)
  try {
    const sends = tasks.filter(({ kind }) => kind === 'send' || kind === 'remove_there')
    for await (const result of fetched(
      run,
      tasks.filter((task) => !sends.includes(task)),
    ))
      yield watched(await judged(result))
    for (const task of sends) yield watched(await judged(await sent(run, task)))
  } finally {
    open.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The number of files that become blobs at the same time. */
const STAGING_CONCURRENCY = 8

interface Run {
  parts: CarryParts
  sync: string
  open: OpenRemote
  folder: string
  signal: AbortSignal
}

async function* fetched(run: Run, tasks: readonly SyncTask[]): AsyncGenerator<TaskResult> {
  const byPath = new Map(tasks.map((task) => [task.path, task]))
  const known = await currentHashes(run.parts.scope, tasks)
  for (const task of tasks)
    if (task.kind === 'duplicate') {
      byPath.delete(task.path)
      yield { task, error: new CloudError('cloud_duplicate_name') }
    }
  if (byPath.size === 0) return
  const results = createAsyncQueue<TaskResult>()
  const stop = new AbortController()
  const stoppable = { ...run, signal: AbortSignal.any([run.signal, stop.signal]) }
  const working = fetchAndStage(stoppable, byPath, known, results.push)
  working.then(() => results.end(), results.end)
  try {
    yield* results
  } finally {
    stop.abort(new Error('no more results are read'))
    await working.catch(() => {})
  }
}

/** Stages objects while others are fetched. Each result is given when it is ready. */
async function fetchAndStage(
  run: Run,
  byPath: ReadonlyMap<string, SyncTask>,
  known: ReadonlyMap<string, string>,
  give: (result: TaskResult) => void,
): Promise<void> {
  const bytes = [...byPath.values()].reduce((sum, task) => sum + (task.size_bytes ?? 0), 0)
  const options = { signal: run.signal, folder: run.folder, bytes }
  const running = new Set<Promise<void>>()
  try {
    for await (const one of run.open.files.fetch([...byPath.keys()], options)) {
      const task = present(byPath.get(one.path), 'The task of a fetched path')
      if ('error' in one) {
        give({ task, error: one.error })
        continue
      }
      const work = staged(run, task, one.file, known).then(give)
      running.add(work)
      const end = () => void running.delete(work)
      work.then(end, end)
      if (running.size >= STAGING_CONCURRENCY) await Promise.race(running)
    }
    await Promise.all(running)
  } finally {
    await Promise.allSettled(running)
  }
}

/** The hashes of the files that objects will replace, or may equal. */
async function currentHashes(
  scope: ShopScope,
  tasks: readonly SyncTask[],
): Promise<Map<string, string>> {
  const rows = await scope.query<{ id: string; hash: string }>(
    `select f.id, encode(v.hash, 'hex') as hash from files f
     join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
     where f.shop_id = :shop and f.id = any(:ids::uuid[]) and f.deleted_at is null`,
    { ids: tasks.flatMap(({ file_id }) => file_id ?? []) },
  )
  return new Map(rows.map(({ id, hash }) => [id, hash]))
}

/**
 * A complete file of the right size becomes a staged blob; bytes that the file already has need no
 * import.
 */
async function staged(
  { parts: { place, scope }, sync, open, signal }: Run,
  task: SyncTask,
  file: string,
  known: ReadonlyMap<string, string>,
): Promise<TaskResult> {
  let head: Buffer = Buffer.alloc(0)
  const onFirst = (bytes: Uint8Array) => (head = Buffer.from(bytes.subarray(0, HEAD_BYTES)))
  try {
    const size = open.files.approximate
      ? (await stat(file)).size
      : present(task.size_bytes, 'The listed size')
    if (task.kind === 'uncompared') return { task, error: new CloudError('cloud_not_compared') }
    const written = await place.store.take(place.shop, file, { size, signal, onFirst })
    if (!written) return { task, error: new CloudError('cloud_file_changed') }
    if (task.file_id !== null && known.get(task.file_id) === written.hash) {
      await recordApplied(scope, sync, task, {})
      return { task }
    }
    const found = await foundIn(head, place, written)
    const bytes = { ...written, location: place.location, content_type: null, ...found }
    return { task, bytes }
  } catch (error) {
    if (error instanceof StoreError) return { task, error: storeFailure(error) }
    throw error
  }
}

/** Records that the provider has the change. Idempotent. */
async function recordApplied(
  scope: ShopScope,
  sync: string,
  { number }: SyncTask,
  now: Partial<Pick<SyncTask, 'size_bytes' | 'hash' | 'modified_at' | 'version' | 'filename'>>,
): Promise<void> {
  await scope.query(
    `update sync_changes set applied = true, size_bytes = coalesce(:size_bytes::bigint, size_bytes),
       hash = case when :size_bytes::bigint is null then hash else :hash end,
       modified_at = case when :size_bytes::bigint is null then modified_at
         else :modified_at::timestamptz end,
       version = coalesce(:version::int, version), filename = coalesce(:filename, filename)
     where shop_id = :shop and sync_id = :sync and number = :number`,
    {
      size_bytes: null,
      hash: null,
      modified_at: null,
      version: null,
      filename: null,
      ...now,
      sync,
      number,
    },
  )
}

async function sent(run: Run, task: SyncTask): Promise<TaskResult> {
  if (task.applied) return { task }
  try {
    if (task.kind === 'remove_there') await removeThere(run, task)
    else await send(run, task)
    return { task }
  } catch (error) {
    if (error instanceof CloudError || error instanceof PortError) return { task, error }
    throw error
  }
}

async function removeThere({ open, parts, sync, signal }: Run, task: SyncTask): Promise<void> {
  await requireUnchanged(open, task, task.path, signal)
  await open.files.remove(task.path, signal)
  await recordApplied(parts.scope, sync, task, {})
}

/**
 * Throws if the object has changed since the listing, because it must not be replaced or deleted
 * then.
 */
async function requireUnchanged(
  { files }: OpenRemote,
  { size_bytes, hash }: SyncTask,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const now = await files.stat(path, signal).catch((error: unknown) => {
    if (error instanceof CloudError && error.code.endsWith('_not_found')) return null
    throw error
  })
  const listed = size_bytes !== null
  const same =
    now !== null && now.size_bytes === size_bytes && (now.hash ?? hash) === (hash ?? now.hash)
  if (now === null ? false : !listed || !same) throw new CloudError('cloud_file_changed')
}

async function send(run: Run, task: SyncTask): Promise<void> {
  const { open, parts, sync, folder, signal } = run
  const ours = await fileNow(parts.scope, task)
  if (!ours) throw new PortError('file_not_found', 'There is no such file', false)
  const from = task.size_bytes === null ? null : task.from_path
  await requireUnchanged(open, task, from ?? task.path, signal)
  let now: RemoteFile | null = null
  // An object that was created there since the listing must not be replaced.
  if (from !== null && from.toLowerCase() !== task.path.toLowerCase())
    await requireUnchanged(open, { ...task, size_bytes: null }, task.path, signal)
  if (from !== null && from !== task.path) now = await open.files.move(from, task.path, signal)
  if (ours.version !== ours.base_version || from === null) {
    const file = path.join(folder, `send-${task.number}`)
    const located = await locateItem(parts.scope, { file: { id: task.file_id }, staged: null })
    await copyOut(parts.scope, parts, located, file, signal)
    try {
      now = await open.files.put(task.path, file, signal)
    } finally {
      await rm(file, { force: true })
    }
  }
  const { version, filename } = ours
  await recordApplied(parts.scope, sync, task, { ...now, version, filename })
}

const fileNow = (scope: ShopScope, { file_id, from_path }: SyncTask) =>
  scope.first<{
    version: number
    filename: string
    base_version: number | null
  }>(
    `select f.version, f.filename, (
       select c.version from cloud_files c where c.shop_id = :shop and c.file_id = f.id
         and c.path = :from_path limit 1
     ) as base_version
     from files f where f.shop_id = :shop and f.id = :file_id and f.deleted_at is null`,
    { file_id, from_path },
  )
