// One listing of a remote: rclone's JSON, read as a stream with one object per line.
import { ownValue } from '../../../../plugins/contract/index.ts'
import type { RemoteFile } from './remote-files.ts'
import { CloudError, cloudError } from './errors.ts'
import { rootPath, type Remote } from './remote.ts'
import { runRclone, type Run } from './run.ts'

interface Line {
  Path: string
  Name: string
  Size: number
  ModTime?: string
  IsDir: boolean
  Hashes?: Record<string, string>
}

export type RunOptions = Pick<Run, 'environment' | 'signal'>

/**
 * rclone's own 10 tries and 5 minutes without an answer would hide for 10 minutes that a provider
 * is down. It still waits as long as Retry-After says.
 */
export const PATIENCE = ['--low-level-retries', '4', '--contimeout', '10s', '--timeout', '30s']

const LISTING_MS = 6 * 3_600_000
const QUICK_MS = 60_000

/**
 * Yields all files below the root, a page at a time. Throws `CloudError` for an incomplete listing,
 * because missing objects would count as deleted.
 */
export async function listRemoteFiles(
  program: string,
  remote: Remote,
  options: RunOptions & { page: number; onPage(files: RemoteFile[]): Promise<void> },
): Promise<void> {
  let page: RemoteFile[] = []
  let failure: string | null = null
  let writing = Promise.resolve()
  const hash = remote.hash ? ['--hash', '--hash-type', remote.hash] : []
  await runRclone(program, {
    ...options,
    command: [
      'lsjson',
      '-R',
      '--files-only',
      '--no-mimetype',
      ...hash,
      ...PATIENCE,
      ...remote.listing,
    ],
    paths: [rootPath(remote)],
    remote: remote.settings,
    timeoutMs: LISTING_MS,
    // Since 1.70 rclone leaves out a folder that it cannot list, logs an error, and ends with 0.
    onLog: ({ level, msg }) => {
      if (level === 'error') failure ??= msg
    },
    onLine: async (line) => {
      const entry = entryOf(line)
      if (!entry) return
      page.push(listedOf(entry, remote))
      if (page.length < options.page) return
      const full = page
      page = []
      // One page is written while the next one is read.
      await writing
      writing = options.onPage(full)
      writing.catch(() => {})
    },
  })
  await writing
  if (failure !== null) throw cloudError(failure, remote.settings)
  if (page.length > 0) await options.onPage(page)
}

/** Reads the current state of one file below the root. Throws `CloudError`. */
export async function listOne(
  program: string,
  remote: Remote,
  path: string,
  options: RunOptions,
): Promise<RemoteFile> {
  const hash = remote.hash ? ['--hash', '--hash-type', remote.hash] : []
  let found: RemoteFile | null = null
  let text = ''
  await runRclone(program, {
    ...options,
    command: ['lsjson', '--stat', '--no-mimetype', ...hash, ...PATIENCE, ...remote.listing],
    paths: [rootPath(remote, path)],
    remote: remote.settings,
    timeoutMs: QUICK_MS,
    onLine: (line) => void (text += line),
  })
  const entry = JSON.parse(text) as Line | null
  if (entry && !entry.IsDir) found = { ...listedOf(entry, remote), path }
  if (!found) throw new CloudError('cloud_file_not_found')
  return found
}

/** Lists the folders directly in `path`, by name. Throws `CloudError`. */
export async function listFolders(
  program: string,
  remote: Remote,
  path: string,
  options: RunOptions & { most: number },
): Promise<string[]> {
  const names: string[] = []
  await runRclone(program, {
    ...options,
    command: ['lsjson', '--dirs-only', '--no-mimetype', '--no-modtime', ...PATIENCE],
    paths: [rootPath(remote, path)],
    remote: remote.settings,
    timeoutMs: QUICK_MS,
    onLine: (line) => {
      const entry = entryOf(line)
      if (entry?.IsDir) names.push(entry.Name)
    },
  })
  return names.sort((a, b) => a.localeCompare(b)).slice(0, options.most)
}

function entryOf(line: string): Line | null {
  const text = line.endsWith(',') ? line.slice(0, -1) : line
  if (!text.startsWith('{')) return null
  return JSON.parse(text) as Line
}

const listedOf = ({ Path, Size, ModTime, Hashes }: Line, { hash }: Remote): RemoteFile => ({
  path: Path,
  size_bytes: Size,
  hash: (hash && ownValue(Hashes, hash)) || null,
  // Go writes a missing time as the year 1.
  modified_at: ModTime && !ModTime.startsWith('0001-') ? ModTime : null,
})
