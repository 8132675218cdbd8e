// Sends the response to a request that was allowed: headers, then the bytes, and reports to the
// download's transfer how that ended.
import { errorFields, type Logger } from '../../core/log.ts'
import { StoreError } from '../../core/store/store.ts'
import { PAGE_HEADERS } from '../../http/headers.ts'
import {
  closeOpened,
  createVerifier,
  DamagedBytes,
  send,
  type Bytes,
  type OpenedBytes,
  type Verifier,
} from './bytes.ts'
import type { FileTransfer } from './counting/file-transfer.ts'
import type { DailyChecks } from './daily-checks.ts'
import type { createDelegates } from './delegates.ts'
import { refuse } from './refusal.ts'
import { describePart, isWholeFile, lengthOf, sendBody, type Part, type Visit } from './response.ts'
import type { Revocation } from './revocation.ts'
import { blobFields, type FileTarget } from './targets.ts'

export interface ByteServer {
  /** Answers with the bytes, or with an error. Ends the transfer. */
  serve(visit: Visit, part: Part, transfer: FileTransfer): Promise<void>
  /** Answers with a text that is made of all bytes of a small file, or with an error. */
  serveText(visit: Visit, target: FileTarget, text: ShownText): Promise<void>
}

interface ShownText {
  type: string
  of(bytes: Buffer): Promise<string>
}

interface ServingParts {
  bytes: Bytes
  delegate: ReturnType<typeof createDelegates>
  revocation: Revocation
  log: Logger
  stallMs: number
  checks: Pick<DailyChecks, 'begin' | 'end' | 'enqueue' | 'report'>
}

export function createServing(parts: ServingParts): ByteServer {
  const { log, checks } = parts
  const failed = ({ request, response }: Visit, target: FileTarget, error: unknown) => {
    log.error('the bytes of a file are missing', { ...blobFields(target), ...errorFields(error) })
    if (error instanceof StoreError && error.code === 'missing') checks.report(target)
    refuse(request, response, 'unavailable', { headers: ['Retry-After', '60'] })
  }
  return {
    serve: async (visit, part, transfer) => {
      try {
        await serveBytes(parts, visit, part, transfer)
      } catch (error) {
        await transfer.undo()
        failed(visit, part.target, error)
      }
    },
    serveText: async (visit, target, { type, of }) => {
      try {
        const text = await of(await readWhole(parts.bytes, target))
        sendBody(visit, [...PAGE_HEADERS, 'Content-Type', type], text)
      } catch (error) {
        failed(visit, target, error)
      }
    },
  }
}

/** Rejects if they are missing or damaged. */
async function readWhole(bytes: Bytes, target: FileTarget): Promise<Buffer> {
  const whole = await bytes.readWhole(target)
  if (!createVerifier(target).accepts(whole)) throw new StoreError('missing')
  return whole
}

/** Rejects, before anything is sent, if the bytes cannot be opened. */
async function serveBytes(
  parts: ServingParts,
  visit: Visit,
  part: Part,
  transfer: FileTransfer,
): Promise<void> {
  const { bytes, delegate, checks } = parts
  if (!transfer.allowance && (await delegate(visit, part))) {
    transfer.opened(visit.response)
    transfer.confirmed()
    checks.enqueue(part.target)
    return transfer.end(lengthOf(part))
  }
  const opened = await bytes.open(part.target, part.range)
  // The client left while a slow store was opening the bytes: it has received nothing.
  if (visit.response.destroyed) {
    await Promise.all([closeOpened(opened), transfer.undo()])
    return
  }
  if (isWholeFile(part) && checks.begin(part.target))
    return sendVerified(parts, visit, part, opened, transfer)
  transfer.opened(visit.response)
  transfer.confirmed()
  checks.enqueue(part.target)
  return transfer.end(await sendOpened(parts, visit, part, opened, transfer, null))
}

/** Checks the bytes while they are sent; a damaged file is neither sent to its end nor counted. */
async function sendVerified(
  parts: ServingParts,
  visit: Visit,
  part: Part,
  opened: OpenedBytes,
  transfer: FileTransfer,
): Promise<void> {
  const verifier = createVerifier(part.target)
  // Before the first byte: the client gets a page that says so.
  if ('whole' in opened && !verifier.accepts(opened.whole)) throw new StoreError('missing')
  transfer.opened(visit.response)
  const sent = await sendOpened(parts, visit, part, opened, transfer, verifier)
  parts.checks.end(part.target, verifier.result())
  if (verifier.result() === 'damaged') return transfer.undo()
  transfer.confirmed()
  return transfer.end(sent)
}

/** Returns the number of bytes that the socket took. */
async function sendOpened(
  { revocation, log, stallMs }: ServingParts,
  { response }: Visit,
  part: Part,
  opened: OpenedBytes,
  { allowance }: FileTransfer,
  verifier: Verifier | null,
): Promise<number> {
  response.writeHead(part.range ? 206 : 200, describePart(part))
  const watch = () => part.permit && revocation.watch([part.permit], response)
  try {
    if (!('whole' in opened)) watch()
    const sent = await send(response, opened, { stallMs, allowance, verifier })
    // The client has not read all of a small file yet.
    if ('whole' in opened && response.socket?.writableLength) watch()
    return sent
  } catch (error) {
    const what =
      error instanceof DamagedBytes
        ? 'a file was not sent to its end: its bytes are damaged'
        : 'a file could not be read completely'
    log.error(what, { ...blobFields(part.target), ...errorFields(error) })
    response.destroy()
    return 0
  }
}
