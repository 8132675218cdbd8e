// Receives bytes of a file that has some: they are copied to the staging file when the first change
// arrives. A client that opens a file and changes nothing costs no copy.
import type { ReceivedBytes, Receiver } from './receiver.ts'

/** The bytes that the file has. */
export interface KeptBytes {
  size: number
  /** How many of them are kept. */
  keep: number
  /** Copies what is kept to the staging file. */
  load(): Promise<Receiver>
  read(position: number, length: number): Promise<Buffer>
}

export class ContinuedReceiver implements Receiver {
  readonly #kept: KeptBytes
  #size: number
  #loading: Promise<Receiver> | null = null
  #own: Receiver | null = null

  constructor(kept: KeptBytes) {
    this.#kept = kept
    this.#size = kept.keep
  }

  size(): number {
    return this.#own?.size() ?? this.#size
  }

  inMemory(): boolean {
    return this.#own?.inMemory() ?? false
  }

  write(position: number, data: Buffer): Promise<void> | undefined {
    if (this.#own) return this.#own.write(position, data)
    // The caller may reuse its memory while the kept bytes are copied.
    const copy = Buffer.from(data)
    if (data.length > 0) this.#size = Math.max(this.#size, position + data.length)
    return this.#load().then((own) => own.write(position, copy))
  }

  async truncate(to: number): Promise<void> {
    if (to === this.size()) return
    this.#size = to
    await (await this.#load()).truncate(to)
  }

  async read(position: number, length: number): Promise<Buffer> {
    if (this.#loading) return (await this.#loading).read(position, length)
    return this.#kept.read(position, Math.max(0, Math.min(length, this.#size - position)))
  }

  async sync(): Promise<void> {
    await (await this.#loading)?.sync()
  }

  async finish(): Promise<ReceivedBytes> {
    const { size, keep } = this.#kept
    if (!this.#loading && keep === size)
      return { size, whole: true, bytes: null, hash: null, unchanged: true }
    return (await this.#load()).finish()
  }

  async discard(): Promise<void> {
    const own = await this.#loading?.catch(() => null)
    await own?.discard()
  }

  #load(): Promise<Receiver> {
    return (this.#loading ??= this.#kept.load().then((own) => (this.#own = own)))
  }
}
