// Makes small pictures, each once however many ask for it, in limited children of the shop.
import { setTimeout as delay } from 'node:timers/promises'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Sandbox } from '../../../plugins/contract/index.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { createSemaphore } from '../../core/body-budget.ts'
import { createTtlCache } from '../../core/lazy.ts'

/** More requests than this do not wait: the page shows the icon, and asks again another time. */
const MAX_WAITING = 50
/** After a failure that may pass, such as a location that does not answer. */
const RETRY_MS = 10 * 60 * 1000

const SCRIPT = new URL('./preview-child.ts', import.meta.url)
const LIMITS = {
  memoryBytes: 1024 ** 3,
  fileBytes: 64 * 1024 ** 2,
  wallMs: 10_000,
  parallel: 2,
  uses: 300,
  idleMs: 10_000,
}

/** How a picture is made of the bytes in the file `from`. */
export interface PictureSource {
  kind: 'image' | 'document' | 'audio'
  from: string
}

/** The small picture, as WebP. Throws `PortError`. */
export async function smallPicture(
  sandbox: Sandbox,
  source: PictureSource,
  folder: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const to = path.join(folder, 'preview')
  const call = { input: { ...source, to }, answer: z.literal(true), limits: LIMITS, signal }
  await sandbox.run(SCRIPT, call)
  return readFile(to)
}

export class PictureMaker {
  readonly #running = new Map<string, Promise<Buffer | null>>()
  readonly #failed = createTtlCache<true>(RETRY_MS)
  // Copies of videos take much of the disk, and each ffmpeg a processor.
  readonly #places = createSemaphore(LIMITS.parallel)
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * The picture that `make` makes; `pending`: it takes longer than `waitMs`. Null: it failed a short
   * while ago, or too many are being made.
   * @param about of the warning, if it fails.
   */
  async make(
    key: string,
    waitMs: number,
    about: object,
    make: () => Promise<Buffer | null>,
  ): Promise<Buffer | 'pending' | null> {
    const known = this.#running.get(key)
    if (!known && (this.#running.size >= MAX_WAITING || this.#failed.get(key))) return null
    const making = known ?? this.#start(key, about, make)
    return Promise.race([making, delay(waitMs, 'pending' as const, { ref: false })])
  }

  #start(key: string, about: object, make: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const making = this.#inTurn(make)
      .catch((error: unknown) => {
        this.#failed.set(key, true)
        this.#log.warn('a preview could not be made', { ...about, ...errorFields(error) })
        return null
      })
      .finally(() => this.#running.delete(key))
    this.#running.set(key, making)
    return making
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.#places.acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }
}
