// Sends the bytes of one file over tus 1.0, in pieces that fit the speed of the connection. After
// an interruption it asks how much has arrived and continues there.
import { errorFrom, StevedoreError } from './errors.ts'
import { isTemporary, waitAfter, type Requests } from './requests.ts'

/** The bytes of a file, read as they are needed. */
export interface ByteSource {
  size: number
  read(from: number, length: number): Promise<Uint8Array<ArrayBuffer>>
  /** Rejects if the bytes are not those any more that the upload began with. */
  requireUnchanged?(): Promise<void>
  close?(): Promise<void>
}

export interface TusOptions {
  metadata: Readonly<Record<string, string>>
  /** The address of an upload to continue. */
  resume?: string | undefined
  onBegin?: ((address: string) => void | Promise<void>) | undefined
  /** Bytes that have arrived. */
  onProgress?: ((bytes: number) => void) | undefined
  signal?: AbortSignal | undefined
}

const MB = 1024 ** 2
const FIRST_PIECE = MB
const LARGEST_PIECE = 16 * MB
/** A piece is doubled if it took less than this, and halved if it took more than four times this. */
const PIECE_MS = 2000
export const PROTOCOL = { 'Tus-Resumable': '1.0.0' }
const BYTES = 'application/offset+octet-stream'
/** How long the server may be unavailable. */
const PATIENCE_MS = 600_000
/** About as long, without a byte. A computer that was asleep gets as many. */
const MAX_FAILURES = 43

/** Resolves with the upload's address when all bytes have arrived. Throws `StevedoreError`. */
export async function sendOverTus(
  requests: Requests,
  source: ByteSource,
  options: TusOptions,
): Promise<string> {
  const known = options.resume
  const offset = known === undefined ? null : await offsetOf(requests, known, options.signal)
  const address =
    known !== undefined && offset !== null ? known : await begin(requests, source, options)
  await new Sending(requests, source, options, address).run(offset ?? 0)
  return address
}

/** The id that the results of uploads have. */
export const uploadIdOf = (address: string): string => address.split('/').at(-1) ?? ''

async function begin(
  requests: Requests,
  source: ByteSource,
  { metadata, onBegin, signal }: TusOptions,
): Promise<string> {
  const headers = {
    ...PROTOCOL,
    'Upload-Length': String(source.size),
    'Upload-Metadata': encoded(metadata),
  }
  const init = { method: 'POST', headers, ...(signal ? { signal } : {}) }
  const response = await requests.send('/api/uploads', init, PATIENCE_MS)
  const address = response.headers.get('location')
  if (response.status !== 201 || address === null) throw await errorFrom(response)
  await onBegin?.(address)
  return address
}

/** The bytes that have arrived; null: there is no such upload any more. Throws `StevedoreError`. */
async function offsetOf(
  requests: Requests,
  address: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const init = { method: 'HEAD', headers: PROTOCOL, ...(signal ? { signal } : {}) }
  const response = await requests.send(address, init, PATIENCE_MS)
  if (response.status === 404 || response.status === 410) return null
  const offset = Number(response.headers.get('upload-offset') ?? Number.NaN)
  if (!response.ok || Number.isNaN(offset)) throw await errorFrom(response)
  return offset
}

/** The state of one upload. */
class Sending {
  readonly #requests: Requests
  readonly #source: ByteSource
  readonly #options: TusOptions
  readonly #address: string
  #piece = FIRST_PIECE
  /** Failures since the last byte arrived. */
  #failures = 0

  constructor(requests: Requests, source: ByteSource, options: TusOptions, address: string) {
    this.#requests = requests
    this.#source = source
    this.#options = options
    this.#address = address
  }

  async run(from: number): Promise<void> {
    let offset = from
    while (offset < this.#source.size) {
      this.#options.onProgress?.(offset)
      offset = await this.#next(offset)
    }
    this.#options.onProgress?.(offset)
  }

  /** Sends the piece at this offset; resolves with the offset after it. */
  async #next(offset: number): Promise<number> {
    const length = Math.min(this.#piece, this.#source.size - offset)
    const bytes = await this.#source.read(offset, length)
    // The last piece starts the import.
    if (offset + length === this.#source.size) await this.#source.requireUnchanged?.()
    const begun = performance.now()
    const outcome = await this.#patch(offset, bytes)
    if (outcome instanceof Response && outcome.status === 204) {
      this.#failures = 0
      this.#adapt(performance.now() - begun)
      return Number(outcome.headers.get('upload-offset') ?? offset + length)
    }
    return this.#continueAfter(outcome, offset)
  }

  #patch(offset: number, body: Uint8Array<ArrayBuffer>): Promise<Response | StevedoreError> {
    const { signal } = this.#options
    return this.#requests.attempt(this.#address, {
      method: 'PATCH',
      headers: { ...PROTOCOL, 'Content-Type': BYTES, 'Upload-Offset': String(offset) },
      body,
      ...(signal ? { signal } : {}),
    })
  }

  #adapt(took: number): void {
    if (took < PIECE_MS) this.#piece = Math.min(this.#piece * 2, LARGEST_PIECE)
    else if (took > 4 * PIECE_MS) this.#piece = Math.max(this.#piece / 2, FIRST_PIECE / 4)
  }

  async #continueAfter(outcome: Response | Error, offset: number): Promise<number> {
    const { signal } = this.#options
    // 409 and 423: another request of this upload has not ended yet.
    const mayContinue =
      outcome instanceof Error || isTemporary(outcome.status) || [409, 423].includes(outcome.status)
    const wait = waitAfter(outcome, this.#failures)
    if (!mayContinue || this.#failures === MAX_FAILURES || wait > PATIENCE_MS)
      throw outcome instanceof Response ? await errorFrom(outcome) : outcome
    // The first repetition follows immediately: nobody needs to know.
    if (this.#failures++ > 0) await this.#requests.pause(outcome, wait, signal)
    else await this.#requests.sleep(wait, signal)
    const now = await offsetOf(this.#requests, this.#address, signal)
    if (now === null) throw new StevedoreError('upload_expired', 'The upload has expired')
    if (now > offset) this.#failures = 0
    return now
  }
}

const encoded = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')
