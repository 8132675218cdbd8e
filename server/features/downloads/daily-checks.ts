// The first download of a blob on each day checks its bytes: while this process sends them, or, if
// it sends only a part or another server sends them, afterwards. Blobs are read one after another,
// and downloads do not wait.
import { checkBlob, claimForToday, type BlobCheckParts } from '../../files/blob-checks.ts'
import { errorFields } from '../../core/log.ts'
import { blobFields, type FileTarget } from './targets.ts'

export interface DailyChecks {
  /** Queues the check of a blob that is being downloaded, unless it was checked today. */
  enqueue(target: FileTarget): void
  /** True once a day for each blob: the caller checks it, and reports the result. */
  begin(target: FileTarget): boolean
  /** The result of a check that `begin` allowed: `unknown` if it did not reach the end. */
  end(target: FileTarget, result: 'whole' | 'damaged' | 'unknown'): void
  /** Checks a blob immediately, because its bytes were missing when they were needed. */
  report(target: FileTarget): void
  /** Resolves when the queue is empty. */
  idle(): Promise<void>
  close(): Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Limits memory only: the rows record what was checked today. */
const MAX_SEEN = 100_000
const MAX_WAITING = 10_000

/** @param onDamaged called after the damage was recorded. */
export const createDailyChecks = (
  parts: BlobCheckParts,
  onDamaged: (blob: { shop: number }) => void,
): DailyChecks => new CheckQueue(parts, onDamaged)

class CheckQueue implements DailyChecks {
  readonly #parts: BlobCheckParts
  readonly #onDamaged: (blob: { shop: number }) => void
  readonly #stop = new AbortController()
  #day = 0
  #seen = new Set<string>()
  #waiting: FileTarget[] = []
  /** Checked while they were sent: only that is recorded. */
  #passed: FileTarget[] = []
  readonly #reported = new Map<string, FileTarget>()
  #running: Promise<void> | null = null

  constructor(parts: BlobCheckParts, onDamaged: (blob: { shop: number }) => void) {
    this.#parts = parts
    this.#onDamaged = onDamaged
  }

  begin({ blob }: FileTarget): boolean {
    const today = Math.floor(this.#parts.clock().getTime() / DAY_MS)
    if (today !== this.#day || this.#seen.size >= MAX_SEEN) this.#seen = new Set()
    this.#day = today
    if (this.#seen.has(blob) || this.#waiting.length >= MAX_WAITING || this.#stop.signal.aborted)
      return false
    this.#seen.add(blob)
    return true
  }

  end(target: FileTarget, result: 'whole' | 'damaged' | 'unknown'): void {
    if (result === 'damaged') return this.report(target)
    if (result === 'unknown') this.#waiting.push(target)
    else this.#passed.push(target)
    this.#start()
  }

  enqueue(target: FileTarget): void {
    if (this.begin(target)) this.end(target, 'unknown')
  }

  report(target: FileTarget): void {
    if (this.#reported.size >= MAX_WAITING || this.#stop.signal.aborted) return
    this.#reported.set(target.blob, target)
    this.#start()
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  #start(): void {
    this.#running ??= this.#checkWaiting()
      .catch((error: unknown) =>
        this.#parts.log.warn('blobs could not be checked', errorFields(error)),
      )
      .finally(() => {
        this.#running = null
      })
  }

  async #checkWaiting(): Promise<void> {
    const { pool } = this.#parts.database
    const isWaiting = () => this.#waiting.length + this.#reported.size + this.#passed.length > 0
    while (isWaiting() && !this.#stop.signal.aborted) {
      const targets = this.#waiting
      const whole = this.#passed
      this.#waiting = []
      this.#passed = []
      if (whole.length > 0) await claimForToday(pool, whole.map(blobFields), this.#parts.clock())
      const missing = [...this.#reported.values()].map(blobFields)
      this.#reported.clear()
      const due = await claimForToday(pool, targets.map(blobFields), this.#parts.clock())
      for (const blob of [...missing, ...due]) {
        if (this.#stop.signal.aborted) return
        await this.#check(blob)
      }
    }
  }

  async #check(blob: ReturnType<typeof blobFields>): Promise<void> {
    const { signal } = this.#stop
    try {
      const verdict = await checkBlob(this.#parts, blob, signal)
      if (verdict === 'damaged') this.#onDamaged(blob)
    } catch (error) {
      if (!signal.aborted)
        this.#parts.log.warn('a blob could not be checked', { ...blob, ...errorFields(error) })
    }
  }
}
