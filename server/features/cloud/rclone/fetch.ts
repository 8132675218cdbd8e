// Copies objects into a folder of this machine, many with one run of rclone. Results are read from
// its log: rclone skips a name that it does not find without an error, and a killed run leaves
// partial files under their final names.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createAsyncQueue } from '../../../core/body-budget.ts'
import { present } from '../../../core/lazy.ts'
import type { FetchResult } from './remote-files.ts'
import { CloudError, cloudError, OtherHash } from './errors.ts'
import type { RunOptions } from './listing.ts'
import { limits, rootPath, type Remote } from './remote.ts'
import { runRclone, type LogEvent } from './run.ts'

const FETCH_MS = 24 * 3_600_000
const TRANSFERS = 16
/** Large objects are bound by the disk and by hashing: more of them at a time are slower in all. */
const LARGE_TRANSFERS = 8
const LARGE = 8_000_000
const LONGEST_NAME = 255
/**
 * The longest path of an object. It is below the limit of systems, which includes the folders above
 * it.
 */
const LONGEST_PATH = 1024
const COPY = [
  '--no-traverse',
  '--no-check-dest',
  '--local-no-set-modtime',
  '--low-level-retries',
  '3',
]

export interface FetchOptions extends RunOptions {
  folder: string
  /** The listed size of all objects. */
  bytes: number
}

/**
 * Yields each object when its file is complete, or its error. An object whose hash is not that of its
 * bytes, and may not be a hash of them at all, is read a second time. Throws the reason of `signal`; then
 * the caller must remove the files in `folder`.
 */
export async function* fetchObjects(
  program: string,
  remote: Remote,
  paths: readonly string[],
  options: FetchOptions,
): AsyncGenerator<FetchResult> {
  const differing = new Map<string, OtherHash>()
  for await (const result of fetchOnce(program, remote, paths, options)) {
    const error = 'error' in result ? result.error : null
    if (remote.doubtfulHash && error instanceof OtherHash) differing.set(result.path, error)
    else yield result
  }
  if (differing.size === 0) return
  const again = { ...options, folder: path.join(options.folder, 'again') }
  await mkdir(again.folder)
  const unchecked = { ...remote, unchecked: true }
  for await (const result of fetchOnce(program, unchecked, [...differing.keys()], again))
    yield 'error' in result ? result : await confirmed(result, differing)
}

/** A second reading that gives the same bytes as the first one shows that these are the object's. */
async function confirmed(
  { path: object, file }: { path: string; file: string },
  differing: ReadonlyMap<string, OtherHash>,
): Promise<FetchResult> {
  const error = present(differing.get(object), 'The error of the first reading')
  return (await md5Of(file)) === error.md5 ? { path: object, file } : { path: object, error }
}

async function md5Of(file: string): Promise<string> {
  const hash = createHash('md5')
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

async function* fetchOnce(
  program: string,
  remote: Remote,
  paths: readonly string[],
  { folder, bytes, ...rest }: FetchOptions,
): AsyncGenerator<FetchResult> {
  const transfers = bytes > paths.length * LARGE ? LARGE_TRANSFERS : TRANSFERS
  const options = { ...rest, transfers }
  const readable = paths.filter((one) => !isCleaned(one))
  for (const one of paths)
    if (isCleaned(one)) yield { path: one, error: new CloudError('cloud_name_unusable') }
  const apart = unfit(readable)
  const together = readable.filter((one) => !apart.has(one))
  for (const [at, batch] of distinct(together).entries())
    yield* fetchTogether(program, remote, batch, path.join(folder, `batch-${at}`), options)
  for (const [at, one] of [...apart].entries())
    yield await fetchAlone(program, remote, one, path.join(folder, `alone-${at}`), options)
}

/**
 * Does a library shorten the path, as it does with paths of disks? Another object would be read in
 * its place, `a/b` for `a//b`. rclone writes points of names as wide ones.
 */
const isCleaned = (file: string): boolean =>
  file.split('/').some((part) => /^[.\uff0e]{0,2}$/.test(part))

/**
 * Splits the paths into few batches, none with two paths that a disk could treat as the same: disks
 * of some systems ignore case and forms of accents.
 */
function distinct(paths: readonly string[]): string[][] {
  const seen = new Map<string, number>()
  const batches: string[][] = []
  for (const one of paths) {
    const key = folded(one)
    const at = seen.get(key) ?? 0
    seen.set(key, at + 1)
    ;(batches[at] ??= []).push(one)
  }
  return batches
}

/** The form in which a disk could treat two names as the same. */
const folded = (path: string): string => path.normalize('NFC').toLowerCase()

/** Finds paths that a list of lines, or a file system, cannot hold beside the others. */
function unfit(paths: readonly string[]): Set<string> {
  const folders = new Set(paths.flatMap((one) => parents(folded(one))))
  return new Set(paths.filter((one) => folders.has(folded(one)) || !isPlain(one)))
}

function parents(file: string): string[] {
  const parts = file.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

/**
 * Characters with which rclone encodes others that a name cannot contain: on a disk they would be
 * changed. Control characters would end a line.
 */
const CODED =
  process.platform === 'win32'
    ? /[\0-\x1f\x7f\u201b\u2400-\u2426\uff00-\uff5e]/
    : /[\0-\x1f\x7f\u201b\u2400-\u2426\uff0f]/

const isPlain = (file: string) =>
  !CODED.test(file) &&
  Buffer.byteLength(file) <= LONGEST_PATH &&
  file.split('/').every((part) => part === part.trim() && Buffer.byteLength(part) <= LONGEST_NAME)

async function* fetchTogether(
  program: string,
  remote: Remote,
  paths: readonly string[],
  into: string,
  { transfers, ...options }: RunOptions & { transfers: number },
): AsyncGenerator<FetchResult> {
  await mkdir(into)
  const waiting = new Set(paths)
  const errors = new Map<string, CloudError>()
  const events = createAsyncQueue<FetchResult>()
  const stop = new AbortController()
  const onLog = ({ level, msg, object }: LogEvent) => {
    if (object === undefined) return
    if (level === 'error') errors.set(object, cloudError(msg, remote.settings))
    else if (/\bCopied\b/.test(msg) && waiting.delete(object))
      events.push({ path: object, file: path.join(into, object) })
  }
  let trouble: unknown = null
  const run = runRclone(program, {
    ...options,
    signal: AbortSignal.any([options.signal, stop.signal]),
    command: [
      'copy',
      '--files-from-raw',
      '-',
      '--transfers',
      `${transfers}`,
      ...COPY,
      ...limits(remote),
    ],
    paths: [rootPath(remote), into],
    remote: { ...remote.settings, ...remote.fetching },
    input: paths.map((one) => `${one}\n`).join(''),
    timeoutMs: FETCH_MS,
    onLog,
  })
    .catch((error: unknown) => (trouble = error))
    .finally(() => events.end())
  try {
    yield* events
  } finally {
    stop.abort(new Error('no more objects are read'))
    await run
  }
  options.signal.throwIfAborted()
  if (trouble !== null && !(trouble instanceof CloudError)) throw trouble
  for (const one of waiting) {
    const error = errors.get(one) ?? (trouble as CloudError | null)
    yield { path: one, error: error ?? new CloudError('cloud_file_not_found') }
  }
}

async function fetchAlone(
  program: string,
  remote: Remote,
  one: string,
  file: string,
  options: RunOptions,
): Promise<FetchResult> {
  let copied = false
  try {
    await runRclone(program, {
      ...options,
      command: ['copyto', '--no-check-dest', '--local-no-set-modtime', ...limits(remote)],
      paths: [rootPath(remote, one), file],
      remote: remote.settings,
      timeoutMs: FETCH_MS,
      onLog: ({ msg }) => (copied ||= /\bCopied\b/.test(msg)),
    })
    return copied ? { path: one, file } : { path: one, error: notFound(one) }
  } catch (error) {
    if (!(error instanceof CloudError)) throw error
    return { path: one, error: error.code.endsWith('_not_found') ? notFound(one) : error }
  }
}

/** The error of a missing object. A provider may not return a name with coded characters. */
const notFound = (one: string): CloudError =>
  new CloudError(CODED.test(one) ? 'cloud_name_unusable' : 'cloud_file_not_found')
