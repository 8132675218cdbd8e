// Compares files of this computer with those of the shop, by their names and SHA-256 digests, so
// that only what is new is sent.
import { setTimeout as sleep } from 'node:timers/promises'
import { nameKey } from '../../plugins/_page/name-key.ts'
import type { Context } from './context.ts'
import { dataOf } from './errors.ts'
import type { ImportOptions } from './import-options.ts'
import { digestOf } from './local-file.ts'
import type { LocalFile } from './local-files.ts'
import { failed, type Outcome, type Outcomes } from './outcomes.ts'
import type { Schemas } from './paths.ts'
import { chunks, pooled } from './several.ts'

interface ComparisonParts extends Pick<Context, 'client' | 'terminal' | 'signal'> {
  options: ImportOptions
  outcomes: Outcomes
}

type Compared = LocalFile & { sha256: string }

type CheckAnswer = Schemas['Endpoints']['POST /api/uploads/check']['answer']['data'][number]

/** Files that are read concurrently. */
const READ = 2
const MAX_CHECKED = 1000
/** The server computes the digests of files that arrived a moment ago. */
const PENDING_MS = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000]
/** So many times it is asked again although nothing has been computed since. */
const IDLE = 2

export class Comparison {
  readonly #parts: ComparisonParts
  /** The files that are to be sent, by the keys of their names and by their digests. */
  readonly #names = new Map<string, Compared>()
  readonly #digests = new Map<string, Compared>()

  constructor(parts: ComparisonParts) {
    this.#parts = parts
  }

  /** Reports files that need not be sent, and resolves with the others. */
  async compare(files: readonly LocalFile[]): Promise<Compared[]> {
    const digested = await this.#digested(files)
    const wanted: Compared[] = []
    for (const some of chunks(digested, MAX_CHECKED)) {
      const answers = await this.#check(some)
      for (const [at, file] of some.entries()) {
        const outcome = this.#judge(file, answers[at])
        if (outcome) this.#parts.outcomes.add(file, outcome)
        else wanted.push(file)
      }
    }
    return wanted
  }

  async #digested(files: readonly LocalFile[]): Promise<Compared[]> {
    const { terminal, signal, outcomes } = this.#parts
    const total = files.reduce((sum, { size }) => sum + size, 0)
    let read = 0
    const digested: (Compared | null)[] = files.map(() => null)
    await pooled(READ, [...files.entries()], async ([at, file]) => {
      try {
        const sha256 = await digestOf(
          file.path,
          (bytes) => {
            read += bytes
            terminal.progress(read, total, `comparing ${file.shown}`)
          },
          signal,
        )
        digested[at] = { ...file, sha256 }
      } catch (error) {
        signal.throwIfAborted()
        outcomes.add(file, failed(error))
      }
    })
    terminal.clear()
    return digested.filter((one) => one !== null)
  }

  /** Asks again for a moment while the digests of files of the shop are being computed. */
  async #check(files: readonly Compared[]): Promise<CheckAnswer[]> {
    const { client, signal } = this.#parts
    const body = {
      files: files.map(({ filename, size, sha256 }) => ({ filename, size_bytes: size, sha256 })),
    }
    let [before, idle] = [Infinity, 0]
    for (let asked = 0; ; asked++) {
      const { data } = dataOf(await client.POST('/api/uploads/check', { body }))
      const pending = data.filter(
        ({ reason, status }) => reason === 'digest_pending' && status === 'name_taken',
      ).length
      idle = pending < before ? 0 : idle + 1
      before = pending
      const wait = PENDING_MS[asked]
      // It may also be a file of another name that has the same size.
      if (pending === 0 || wait === undefined || idle === IDLE) return data
      await sleep(wait, undefined, { signal })
    }
  }

  /** What becomes of a file without sending it; null: it is sent. */
  #judge(file: Compared, answer: CheckAnswer | undefined): Outcome | null {
    const { options } = this.#parts
    if (!answer) return null
    const key = nameKey(file.filename)
    const name = this.#names.get(key)
    const same = this.#digests.get(file.sha256)
    const fileId = answer.file?.file_id ?? null
    if (answer.status === 'unchanged') return { status: 'unchanged', fileId }
    if (!options.sendSame) {
      if (answer.same_bytes_as && answer.status === 'same_bytes_as')
        return { status: 'same_bytes', fileId, about: `as ${answer.same_bytes_as.filename}` }
      if (same) return { status: 'same_bytes', about: `as ${same.shown}` }
    }
    const isTaken = answer.status === 'name_taken' || name !== undefined
    if (isTaken && options.onConflict === 'error')
      return {
        status: 'failed',
        code: 'duplicate_filename',
        about: name
          ? `Duplicate filename: ${name.shown} has it too. Choose --on-conflict`
          : 'Duplicate filename: choose --on-conflict',
      }
    if (isTaken && options.onConflict === 'skip')
      return { status: 'skipped', fileId, about: 'the name is taken' }
    this.#names.set(key, file)
    this.#digests.set(file.sha256, file)
    return null
  }
}
