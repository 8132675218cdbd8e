// The first download of a blob on each day checks its bytes: a small file before it is sent, a large
// one while this process sends it, or afterwards if it sends only a part or another server sends it.
// Blobs are read one after another, and downloads do not wait. Damage that was found is known to all
// processes before its download is answered.
import {
  checkBlob,
  claimForToday,
  withdrawBytes,
  type BlobCheckParts,
} from '../../files/blob-checks.ts'
import { errorFields } from '../../core/log.ts'
import { createTtlCache } from '../../core/lazy.ts'
import { blobFields, type BlobTarget } from './targets.ts'

export interface DailyChecks {
  /** Queues the check of a blob that is being downloaded, unless it was checked today. */
  enqueue(target: BlobTarget): void
  /** Has this process compared the blob today? Else the caller does, and reports the result. */
  isWhole(target: BlobTarget): boolean
  /** Was damage found whose file may not be withdrawn yet? No byte of it may be sent. */
  isSuspect(target: BlobTarget): boolean
  /** The result of a comparison: `unknown` if it did not reach the end. */
  end(target: BlobTarget, result: 'whole' | 'unknown'): void
  /** Checks a blob immediately, because its bytes were missing when they were needed. */
  report(target: BlobTarget): void
  /**
   * Withdraws bytes that were found damaged, in every process; then they are restored or reported.
   * Never rejects.
   */
  withdraw(target: BlobTarget): Promise<void>
  /** Resolves when the queue is empty. */
  idle(): Promise<void>
  close(): Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Limits memory only: the rows record what was checked today. */
const MAX_SEEN = 100_000
const MAX_WAITING = 10_000
/** Downloads that were allowed before their file was withdrawn have begun after this time. */
const SUSPECT_MS = 30_000

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
  /** Queued today, or found whole. */
  #seen = new Set<string>()
  #whole = new Set<string>()
  readonly #suspects = createTtlCache<true>(SUSPECT_MS)
  readonly #withdrawing = new Map<string, Promise<void>>()
  #waiting: BlobTarget[] = []
  /** Checked while they were sent: only that is recorded. */
  #passed: BlobTarget[] = []
  readonly #reported = new Map<string, BlobTarget>()
  #running: Promise<void> | null = null

  constructor(parts: BlobCheckParts, onDamaged: (blob: { shop: number }) => void) {
    this.#parts = parts
    this.#onDamaged = onDamaged
  }

  isWhole({ blob }: BlobTarget): boolean {
    this.#beginDay()
    return this.#whole.has(blob)
  }

  isSuspect({ blob }: BlobTarget): boolean {
    return this.#suspects.get(blob) === true
  }

  end(target: BlobTarget, result: 'whole' | 'unknown'): void {
    if (result === 'unknown') return this.enqueue(target)
    if (this.isWhole(target)) return
    this.#whole.add(target.blob)
    this.#seen.add(target.blob)
    this.#passed.push(target)
    this.#start()
  }

  enqueue(target: BlobTarget): void {
    this.#beginDay()
    const isKnown = this.#seen.has(target.blob)
    if (isKnown || this.#waiting.length >= MAX_WAITING || this.#stop.signal.aborted) return
    this.#seen.add(target.blob)
    this.#waiting.push(target)
    this.#start()
  }

  report(target: BlobTarget): void {
    this.#whole.delete(target.blob)
    if (this.#reported.size >= MAX_WAITING || this.#stop.signal.aborted) return
    this.#reported.set(target.blob, target)
    this.#start()
  }

  withdraw(target: BlobTarget): Promise<void> {
    const running = this.#withdrawing.get(target.blob)
    if (running) return running
    this.#suspects.set(target.blob, true)
    const withdrawing = withdrawBytes(this.#parts, blobFields(target))
      .catch((error: unknown) =>
        this.#parts.log.warn('damaged bytes could not be withdrawn', errorFields(error)),
      )
      .finally(() => {
        this.#withdrawing.delete(target.blob)
        this.#onDamaged(target)
        this.report(target)
      })
    this.#withdrawing.set(target.blob, withdrawing)
    return withdrawing
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  #beginDay(): void {
    const today = Math.floor(this.#parts.clock().getTime() / DAY_MS)
    if (today === this.#day && this.#seen.size < MAX_SEEN) return
    this.#day = today
    this.#seen = new Set()
    this.#whole = new Set()
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
      const reported = [...this.#reported.values()]
      this.#reported.clear()
      const due = await claimForToday(pool, targets.map(blobFields), this.#parts.clock())
      const isDue = new Set(due.map(({ shop, location, hash }) => `${location}/${shop}/${hash}`))
      for (const target of [...reported, ...targets.filter(({ blob }) => isDue.has(blob))]) {
        if (this.#stop.signal.aborted) return
        await this.#check(target)
      }
    }
  }

  async #check(target: BlobTarget): Promise<void> {
    const { signal } = this.#stop
    const blob = blobFields(target)
    try {
      const verdict = await checkBlob(this.#parts, blob, signal)
      if (verdict === 'damaged') this.#onDamaged(blob)
      else {
        this.#suspects.delete(target.blob)
        this.#whole.add(target.blob)
      }
    } catch (error) {
      if (!signal.aborted)
        this.#parts.log.warn('a blob could not be checked', { ...blob, ...errorFields(error) })
    }
  }
}
