// Asks a ClamAV daemon whether bytes contain a virus, over its socket. They are streamed to it (the
// command INSTREAM), so that it needs no access to the storage locations.
// Protocol: https://docs.clamav.net/manual/Usage/Scanning.html, and clamd(8).
import { connect, type Socket } from 'node:net'
import type { ScannerAddress } from '../core/configuration/environment.ts'

/** No answer within this time: the daemon hangs, or loads its signatures. */
const QUIET_MS = 120_000
/** A longer answer is none of clamd. */
const MAX_ANSWER = 4096

/** The daemon was not reached, or did not answer as it should; the message says what happened. */
export class ScannerError extends Error {
  /** Whether another attempt may succeed: not if the daemon refused these bytes. */
  readonly retryable: boolean
  constructor(
    message: string,
    { retryable = true, cause }: ErrorOptions & { retryable?: boolean },
  ) {
    super(message, { cause })
    this.name = 'ScannerError'
    this.retryable = retryable
  }
}

/**
 * The daemon's name of what it found; null: nothing. Throws `ScannerError`, the signal's reason, and
 * errors of `bytes`.
 */
export async function scanBytes(
  at: ScannerAddress,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  quietMs = QUIET_MS,
): Promise<string | null> {
  signal.throwIfAborted()
  const socket = connect(at)
  const stop = () => socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  socket.setTimeout(quietMs, () => socket.destroy(new Error('it did not answer in time')))
  const answer = new Answer(socket)
  try {
    await send(socket, answer, bytes)
    return verdictIn(await answer.text)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    socket.destroy()
  }
}

/** Pieces are sent with their lengths; one without bytes is the end. Stops when there is an answer. */
async function send(
  socket: Socket,
  answer: Answer,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  await written(socket, Buffer.from('zINSTREAM\0'))
  for await (const piece of bytes) {
    if (piece.length === 0) continue
    // The daemon answers early if it refuses the rest.
    if (!socket.writable || answer.hasBegun) return
    await written(socket, lengthOf(piece.length))
    await written(socket, piece)
  }
  await written(socket, lengthOf(0))
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}

/** Resolves when more can be written, also if the socket is closed: its answer says why. */
function written(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.once('drain', done).once('close', done)
  })
}

/** What the daemon says until it ends its answer with a 0 byte, or closes the connection. */
class Answer {
  readonly text: Promise<string>
  hasBegun = false

  constructor(socket: Socket) {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.text = promise
    // The caller may fail before it waits for the answer.
    promise.catch(() => {})
    let text = ''
    let failure: NodeJS.ErrnoException | null = null
    socket.on('error', (error) => (failure = error))
    socket.on('data', (piece) => {
      this.hasBegun = true
      text += piece.toString('latin1')
      if (text.includes('\0') || text.length > MAX_ANSWER) resolve(text)
    })
    socket.once('close', () => {
      if (text === '') reject(new ScannerError(closedText(failure), { cause: failure }))
      else resolve(text)
    })
  }
}

/** A connection that is reset in the middle of the bytes takes the daemon's reason with it. */
function closedText(failure: NodeJS.ErrnoException | null): string {
  if (failure === null) return 'it closed the connection'
  const { code = '', message } = failure
  return ['EPIPE', 'ECONNRESET'].includes(code)
    ? `it closed the connection while the bytes were sent: its StreamMaxLength may be too small`
    : message
}

/** `stream: OK`, `stream: NAME FOUND`, or a message that ends in `ERROR`. */
function verdictIn(answer: string): string | null {
  const text = answer.split('\0', 1).join('').trim()
  if (text === 'stream: OK') return null
  const [, found] = /^stream: (.{1,200}) FOUND$/.exec(text) ?? []
  if (found !== undefined) return found
  const said = text.slice(0, 200)
  throw new ScannerError(said, { retryable: !/size limit exceeded/i.test(said) })
}
