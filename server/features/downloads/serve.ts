// Sends the response to a request that was allowed: headers, then the bytes, and reports to the
// download's transfer how that ended.
import type { IncomingMessage } from 'node:http'
import { addressInShortcut, isLinkFile } from '../../../plugins/contract/index.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { StoreError, createVerifier, DamagedBytes, type Verifier } from '../../core/store/store.ts'
import type { Sha256Sums } from '../../files/sha256-sums.ts'
import type { Answer } from '../../http/conditions.ts'
import { asksForDigest, PAGE_HEADERS } from '../../http/headers.ts'
import { closeOpened, PIECE_BYTES, send, type Bytes, type OpenedBytes } from './bytes.ts'
import type { FileTransfer } from './counting/file-transfer.ts'
import type { DailyChecks } from './daily-checks.ts'
import type { Delegate } from './delegates.ts'
import { refuse, type RefusalContext } from './refusal.ts'
import {
  describePart,
  isWholeFile,
  lengthOf,
  sendBody,
  withoutBody,
  type Part,
  type Visit,
} from './response.ts'
import type { Revocation } from './revocation.ts'
import { blobFields, type FileTarget } from './targets.ts'

export interface ByteServer {
  /** Answers with the bytes, or with an error. Ends the transfer. */
  serve(visit: Visit, part: Part, transfer: FileTransfer): Promise<void>
  /** Answers HEAD, and what the request's conditions decide. */
  describe(visit: Visit, part: Part, answer: Answer, refused: RefusalContext): Promise<void>
  /** Computes the digest of a file if it is not known; does not wait for that of a large one. */
  addDigest(visit: Visit, target: FileTarget): Promise<void> | void
  /** Answers with a text that is made of all bytes of a small file, or with an error. */
  serveText(visit: Visit, target: FileTarget, text: ShownText): Promise<void>
}

interface ShownText {
  type: string
  of(bytes: Buffer): Promise<string>
}

interface ServingParts {
  bytes: Bytes
  /** Null: this process sends all bytes. */
  delegate: Delegate | null
  revocation: Revocation
  log: Logger
  stallMs: number
  sums: Pick<Sha256Sums, 'ofContent'>
  checks: Pick<DailyChecks, 'isWhole' | 'isSuspect' | 'end' | 'enqueue' | 'report' | 'withdraw'>
}

export function createServing(parts: ServingParts): ByteServer {
  const { log, checks, sums } = parts
  const addDigest = ({ request }: Visit, target: FileTarget) => {
    if (target.sha256 !== null || target.damaged || isLinkFile(target.contentType)) return
    return computeDigest(sums, request, target)
  }
  const served = { ...parts, addDigest }
  const failed = async ({ request, response }: Visit, target: FileTarget, error: unknown) => {
    log.error('the bytes of a file are missing', { ...blobFields(target), ...errorFields(error) })
    if (error instanceof DamagedBytes) await checks.withdraw(target)
    if (error instanceof StoreError && error.code === 'missing') checks.report(target)
    refuse(request, response, 'unavailable', { headers: ['Retry-After', '60'] })
  }
  return {
    addDigest,
    describe: async (visit, part, answer, refused) => {
      // The address of a link is in the answer to a request that is counted.
      if (isLinkFile(part.target.contentType))
        return void visit.response.writeHead(204, [...PAGE_HEADERS]).end()
      await addDigest(visit, part.target)
      withoutBody(visit, part, answer, refused)
    },
    serve: async (visit, part, transfer) => {
      try {
        if (isLinkFile(part.target.contentType)) await serveLink(served, visit, part, transfer)
        else await serveBytes(served, visit, part, transfer)
      } catch (error) {
        await transfer.undo()
        await failed(visit, part.target, error)
      }
    },
    serveText: async (visit, target, { type, of }) => {
      try {
        const text = await of(await readVerified(parts.bytes, target))
        sendBody(visit, [...PAGE_HEADERS, 'Content-Type', type], text)
      } catch (error) {
        await failed(visit, target, error)
      }
    },
  }
}

/** The target may be that of a cached link: its next answers name the digest. */
async function computeDigest(
  sums: ServingParts['sums'],
  request: IncomingMessage,
  target: FileTarget,
): Promise<void> {
  const { shop, location, hash, size: size_bytes } = target
  const blob = { shop, location, hash, size_bytes }
  await sums.ofContent(blob, asksForDigest(request), (sha256) => {
    target.sha256 = sha256
  })
}

/** Rejects if they are missing or damaged. */
async function readVerified(bytes: Bytes, target: FileTarget): Promise<Buffer> {
  const whole = await bytes.readWhole(target)
  if (!createVerifier(target).accepts(whole)) throw new DamagedBytes()
  return whole
}

/**
 * Rejects if damage was found and its file is not withdrawn yet. A small file is compared here,
 * before this process or another server sends any part of it.
 */
async function requireSound({ bytes, checks }: ServingParts, target: FileTarget): Promise<void> {
  if (checks.isSuspect(target)) throw new DamagedBytes()
  if (target.size > PIECE_BYTES || checks.isWhole(target)) return
  await readVerified(bytes, target)
  checks.end(target, 'whole')
}

/** Sends the buyer of a link to its address. A file of its name that has none is sent as it is. */
async function serveLink(
  parts: ServingParts & Pick<ByteServer, 'addDigest'>,
  visit: Visit,
  part: Part,
  transfer: FileTransfer,
): Promise<void> {
  const { target } = part
  const small = target.size <= PIECE_BYTES
  const address = small && addressInShortcut((await readVerified(parts.bytes, target)).toString())
  if (!address) return serveBytes(parts, visit, part, transfer)
  const { response } = visit
  if (response.destroyed) return transfer.undo()
  transfer.opened(response)
  transfer.confirmed()
  response.writeHead(302, [...PAGE_HEADERS, 'Location', address, 'Content-Length', '0'])
  response.end()
  return transfer.end(lengthOf(part))
}

/** Rejects, before anything is sent, if the bytes cannot be opened or are known to be damaged. */
async function serveBytes(
  parts: ServingParts & Pick<ByteServer, 'addDigest'>,
  visit: Visit,
  part: Part,
  transfer: FileTransfer,
): Promise<void> {
  const { bytes, delegate, checks, addDigest } = parts
  await requireSound(parts, part.target)
  if (delegate && !transfer.allowance && (await delegate(visit, part, addDigest))) {
    transfer.opened(visit.response)
    transfer.confirmed()
    checks.enqueue(part.target)
    return transfer.end(lengthOf(part))
  }
  await addDigest(visit, part.target)
  const opened = await bytes.open(part.target, part.range)
  // The client left while a slow store was opening the bytes: it has received nothing.
  if (visit.response.destroyed) {
    await Promise.all([closeOpened(opened), transfer.undo()])
    return
  }
  transfer.opened(visit.response)
  if (isWholeFile(part) && !checks.isWhole(part.target))
    return sendVerified(parts, visit, part, opened, transfer)
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
  const sent = await sendOpened(parts, visit, part, opened, transfer, verifier)
  const result = verifier.result()
  if (result === 'damaged') return transfer.undo()
  parts.checks.end(part.target, result)
  transfer.confirmed()
  return transfer.end(sent)
}

/** Returns the number of bytes that the socket took. */
async function sendOpened(
  { revocation, log, stallMs, checks }: ServingParts,
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
    const isDamaged = error instanceof DamagedBytes
    const what = isDamaged
      ? 'a file was not sent to its end: its bytes are damaged'
      : 'a file could not be read completely'
    log.error(what, { ...blobFields(part.target), ...errorFields(error) })
    // Before the client knows: its next request must not get a part of them.
    if (isDamaged) await checks.withdraw(part.target)
    response.destroy()
    return 0
  }
}
