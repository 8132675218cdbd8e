// A folder for the bytes of one piece of work: readable only by us, and removed when the work ends.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const PREFIX = 'stevedore-work-'
// Work takes minutes: older folders belong to processes that were killed.
const OLD_MS = 3600_000

let swept: Promise<unknown> | null = null

/** Runs `work` with a private folder, and removes the folder in any case. */
export async function withWorkFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  // The sweep is a clean-up: if it failed once, it must not fail all later work.
  await (swept ??= sweepWorkFolders().catch(() => {}))
  const folder = await mkdtemp(path.join(tmpdir(), PREFIX))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const POLL_MS = 250

/**
 * Gives `work` a signal that aborts with `reason` when the folder exceeds this many bytes. The
 * result of `work` is then discarded.
 */
export async function withinBytes<T>(
  folder: string,
  most: number,
  reason: Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const check = async () => {
    if ((await bytesIn(folder)) > most) stop.abort(reason)
  }
  // A check may find the folder gone, when the work has ended.
  const timer = setInterval(() => void check().catch(() => {}), POLL_MS)
  try {
    const done = await work(stop.signal)
    await check()
    stop.signal.throwIfAborted()
    return done
  } finally {
    clearInterval(timer)
  }
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder)
  // oxfmt-ignore
  const sizes = names.map((name) => stat(path.join(folder, name)).then(({ size }) => size, () => 0))
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Removes the folders of processes that were killed. */
export async function sweepWorkFolders(olderThan = OLD_MS): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const folder of names.map((name) => path.join(tmpdir(), name))) {
    const left = await stat(folder).catch(() => null)
    // Another account's folder cannot be removed, and need not be.
    if (left && Date.now() - left.mtimeMs > olderThan)
      await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}
