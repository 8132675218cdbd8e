// "Download all": streams the files of a delivery or a pack as one ZIP file. Its length is known
// before the first byte is sent, so it supports ranges and clients can resume it.
import type { ServerResponse } from 'node:http'
import { errorFields, type Logger } from '../../core/log.ts'
import { hashKey } from '../../core/secrets.ts'
import type { BlobStore, ByteRange } from '../../core/store/store.ts'
import {
  archiveOf,
  chargeArchive,
  planArchive,
  type Archive,
  type ContentParts,
} from './archive-content.ts'
import { DamagedEntry, eachPiece } from './archive-reading.ts'
import { createByteSender, written, type Bytes, type SendAllowance } from './bytes.ts'
import type { DailyChecks } from './daily-checks.ts'
import type { Client } from '../../core/client-address.ts'
import { evaluateConditions, isProbe, namesVersion } from '../../http/conditions.ts'
import { fileHeaders, PRIVATE } from '../../http/headers.ts'
import type { ArchiveAsker, ArchiveCounter, BegunArchive } from './counting/archive-counter.ts'
import { readSettled } from './counting/counting.ts'
import { UNCOUNTED, type FileTransfer } from './counting/file-transfer.ts'
import { hasConditions, resumedPart, sitesIn } from './request.ts'
import { isBodiless, rangeOfAnswer, type Visit } from './response.ts'
import type { Revocation } from './revocation.ts'

export interface WantedArchive {
  shop: number
  link: string
  key: string
  /** The name of the ZIP file, without its extension. */
  name: string
  client: Client
  /** As for `ArchiveAsker`. */
  opened: readonly string[]
}

/** Why there is no ZIP file. */
export type ArchiveRefusal =
  | 'link_exhausted'
  | 'unavailable'
  | 'precondition_failed'
  | 'range_not_satisfiable'

export interface Archives {
  /** Sends the response; or returns a refusal, and then nothing was sent or counted. */
  answer(visit: Visit, asked: WantedArchive): Promise<ArchiveRefusal | null>
}

interface ArchiveParts extends ContentParts {
  revocation: Revocation
  log: Logger
  clock: () => Date
  stallMs: number
}

/** One request for a ZIP file. */
interface ArchiveRequest {
  visit: Visit
  asked: WantedArchive
  asker: ArchiveAsker
}

type Outcome = ArchiveRefusal | null

export function createArchives(given: {
  counter: ArchiveCounter
  stores: ReadonlyMap<string, BlobStore>
  revocation: Revocation
  log: Logger
  clock: () => Date
  stallMs: number
  checks: Pick<DailyChecks, 'isSuspect' | 'report' | 'withdraw'>
}): Archives {
  const parts: ArchiveParts = { ...given, bytes: createByteSender(given.stores) }
  return {
    answer: (visit, asked) => {
      const { shop, link, key, client, opened } = asked
      const sites = sitesIn(visit.request)
      const part = resumedPart(visit.request)
      const askerAt = (now: Date) => ({
        shop,
        link,
        key,
        client,
        sites,
        now,
        opened,
        ...part,
      })
      // A transfer that is just breaking off may leave a copy that is owed to this client.
      return readSettled(
        () => answer(parts, { visit, asked, asker: askerAt(parts.clock()) }),
        (outcome) =>
          outcome === 'link_exhausted' && parts.counter.isRunning(askerAt(parts.clock())),
      )
    },
  }
}

async function answer(parts: ArchiveParts, one: ArchiveRequest): Promise<Outcome> {
  const { request } = one.visit
  const begun = await parts.counter.session(one.asker)
  if (request.method === 'HEAD' || hasConditions(request)) {
    const answered = await answerUncounted(parts, one, begun)
    if (answered !== 'to_count') return answered
  } else if (begun) {
    if (isWithdrawn(parts, begun)) return 'unavailable'
    const sent = await resume(parts, one, begun, archiveOf(begun.entries), null)
    if (sent) return null
  }
  return answerCounted(parts, one)
}

/** Was one of its files found damaged since it was counted? */
const isWithdrawn = ({ checks }: ArchiveParts, { entries }: BegunArchive): boolean =>
  entries.some((entry) => entry.damaged || checks.isSuspect(entry))

/**
 * Answers HEAD, conditions that need no body, probes, and what continues a download that was counted
 * before. `to_count`: the request starts a download.
 */
async function answerUncounted(
  parts: ArchiveParts,
  one: ArchiveRequest,
  begun: BegunArchive | null,
): Promise<Outcome | 'to_count'> {
  const { request } = one.visit
  const archive = begun ? archiveOf(begun.entries) : await planArchive(parts, one.asker)
  if (!archive) return 'link_exhausted'
  if (begun && isWithdrawn(parts, begun)) return 'unavailable'
  const decision = evaluateConditions(
    request.method ?? '',
    request.headers,
    representation(archive),
  )
  if (decision.status === 412) return 'precondition_failed'
  if (decision.status === 416) return 'range_not_satisfiable'
  if (isBodiless(decision) || request.method === 'HEAD') {
    sendHead(one, archive, decision.status)
    return null
  }
  const range = rangeOfAnswer(decision)
  if (begun && (await resume(parts, one, begun, archive, range))) return null
  if (!isProbe(range, archive.size)) return 'to_count'
  await send(parts, one, archive, range, UNCOUNTED)
  return null
}

function sendHead(
  { visit: { response }, asked }: ArchiveRequest,
  archive: Archive,
  status: number,
) {
  const length = status === 304 ? [] : ['Content-Length', String(archive.size)]
  response.writeHead(status, [...headersOf(archive, asked), ...length])
  response.end()
}

async function answerCounted(parts: ArchiveParts, one: ArchiveRequest): Promise<Outcome> {
  const { request, response } = one.visit
  const archive = await chargeArchive(parts, one.asker)
  if (!archive) return 'link_exhausted'
  const decision = evaluateConditions('GET', request.headers, representation(archive))
  const asked = rangeOfAnswer(decision)
  // Without a session and a condition the client's copy may be of another ZIP file.
  const range = asked && (asked.start === 0 || namesVersion(request.headers)) ? asked : null
  const transfer = parts.counter.begin(one.asker, archive.entries, partOf(archive, range))
  // The client left while its files were read and counted: it has received nothing.
  if (response.destroyed) {
    await transfer.undo()
    return null
  }
  await send(parts, one, archive, range, transfer)
  return null
}

/**
 * Sends the rest of a counted download, or all of it again if it broke off; its bytes are taken from
 * the session. False: the request starts a download.
 */
async function resume(
  parts: ArchiveParts,
  one: ArchiveRequest,
  begun: BegunArchive,
  archive: Archive,
  range: ByteRange | null,
): Promise<boolean> {
  if (isProbe(range, archive.size)) return false
  const transfer = await parts.counter.resume(one.asker, begun, partOf(archive, range))
  if (transfer === null) return false
  const { response } = one.visit
  if (transfer === 'used_up') {
    response.writeHead(429, [...PRIVATE, 'Retry-After', '1800', 'Content-Length', '0'])
    response.end()
  } else await send(parts, one, archive, range, transfer)
  return true
}

async function send(
  parts: ArchiveParts,
  { visit: { response }, asked }: ArchiveRequest,
  archive: Archive,
  range: ByteRange | null,
  transfer: FileTransfer,
): Promise<void> {
  const { shop, link, key } = asked
  const part = range ?? { start: 0, end: archive.size - 1 }
  transfer.opened(response)
  transfer.confirmed()
  response.writeHead(range ? 206 : 200, [
    ...headersOf(archive, asked),
    'Content-Length',
    String(part.end - part.start + 1),
    ...(range ? ['Content-Range', `bytes ${part.start}-${part.end}/${archive.size}`] : []),
  ])
  response.setTimeout(parts.stallMs, () => response.destroy())
  const permits = [
    { kind: 'archive' as const, shop, link, keyHash: hashKey(key) },
    ...archive.entries.map((file) => ({ kind: 'archived' as const, shop, link: file.link })),
  ]
  parts.revocation.watch(permits, response)
  const state = { sent: 0 }
  try {
    await sendSegments(response, parts.bytes, archive, part, transfer.allowance, state)
    response.setTimeout(0)
    await transfer.end(state.sent)
  } catch (error) {
    parts.log.error('a file could not be read completely', { shop, link, ...errorFields(error) })
    const isDamaged = error instanceof DamagedEntry
    if (isDamaged) await parts.checks.withdraw(error.entry)
    await (state.sent === 0 || isDamaged ? transfer.undo() : transfer.end(state.sent))
    response.destroy()
  }
}

const representation = ({ tag, modifiedMs, size }: Archive) => ({
  etag: `"${tag}"`,
  modifiedMs,
  size,
})

const partOf = ({ size }: Archive, range: ByteRange | null) => {
  const { start, end } = range ?? { start: 0, end: size - 1 }
  return { size, start, length: end - start + 1 }
}

const headersOf = (archive: Archive, { name }: WantedArchive): string[] =>
  fileHeaders({
    filename: `${name}.zip`,
    contentType: 'application/zip',
    etag: `"${archive.tag}"`,
    modifiedMs: archive.modifiedMs,
  })

/** Sends a part of the ZIP file. `state.sent` counts the bytes, also if this rejects. */
async function sendSegments(
  response: ServerResponse,
  bytes: Bytes,
  { segments }: Archive,
  part: ByteRange,
  allowance: SendAllowance | null,
  state: { sent: number },
): Promise<void> {
  const sent = await eachPiece(bytes, segments, part, async (piece) => {
    if (allowance && !(await allowance.take(piece.length))) return false
    if (!(await written(response, piece))) return false
    state.sent += piece.length
    return true
  })
  // The client sees that the file is incomplete.
  if (sent) response.end()
  else response.destroy()
}
