// Watches folders by listing them again: events of file systems differ, and are missing on network
// folders. A file is taken when it has not changed for a while; a program may still be writing it.
import { setTimeout as sleep } from 'node:timers/promises'
import { isSame, type FileState } from './local-file.ts'
import { isUnfinished, localFiles, type LocalFile } from './local-files.ts'

const INTERVAL_MS = 1000

interface Seen extends FileState {
  since: number
  taken: boolean
}

/** Which of the listed files are new and at rest. */
export class SettledFiles {
  readonly #settleMs: number
  readonly #seen = new Map<string, Seen>()

  constructor(settleMs: number) {
    this.#settleMs = settleMs
  }

  /** Those of a listing at this time, each once for each state of it. */
  take(files: readonly LocalFile[], now: number): LocalFile[] {
    const listed = new Set(files.map(({ path }) => path))
    for (const path of this.#seen.keys()) if (!listed.has(path)) this.#seen.delete(path)
    return files.filter((file) => {
      if (isUnfinished(file.filename) || file.size === 0) return false
      const before = this.#seen.get(file.path)
      const { size, mtime } = file
      if (!before || !isSame(before, file)) {
        this.#seen.set(file.path, { size, mtime, since: now, taken: false })
        return this.#settleMs === 0 ? this.#mark(file.path) : false
      }
      if (before.taken || now - before.since < this.#settleMs) return false
      return this.#mark(file.path)
    })
  }

  #mark(path: string): boolean {
    const seen = this.#seen.get(path)
    if (seen) seen.taken = true
    return true
  }
}

/** Calls `run` with files that are new or changed and at rest, until the signal is aborted. */
export async function watchFolders(
  given: readonly string[],
  settleMs: number,
  signal: AbortSignal,
  run: (files: readonly LocalFile[]) => Promise<void>,
): Promise<void> {
  const settled = new SettledFiles(settleMs)
  while (!signal.aborted) {
    const files = settled.take(await localFiles(given), Date.now())
    if (files.length > 0) await run(files)
    await sleep(Math.min(INTERVAL_MS, Math.max(100, settleMs / 2)), undefined, { signal }).catch(
      () => {},
    )
  }
}
