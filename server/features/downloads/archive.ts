// "Download all": streams the files of a delivery or a pack as one ZIP file. Its length is known
// before the first byte is sent, so it supports ranges and clients can resume it.
import type { ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import { errorFields, type Logger } from '../../core/log.ts'
import { hashKey } from '../../core/secrets.ts'
import { StoreError, type BlobStore, type ByteRange } from '../../core/store/store.ts'
import {
  createArchiveCounting,
  type ArchiveAsker,
  type ArchiveEntry,
  type PlannedEntry,
} from './archive-counting.ts'
import { eachPiece } from './archive-reading.ts'
import { createByteSender, written, type Bytes } from './bytes.ts'
import type { Client } from '../../http/clients.ts'
import { evaluateConditions, isProbe } from '../../http/conditions.ts'
import { fileHeaders, PRIVATE } from '../../http/headers.ts'
import type { Recorder } from './record.ts'
import { sitesOf } from './referrers.ts'
import { hasConditions } from './request.ts'
import type { Revocation } from './revocation.ts'
import { isBodiless, type Visit } from './serve.ts'
import { openPieceBudget, type PieceBudget } from './session-budget.ts'
import type { FileTarget, Query } from './targets.ts'
import { layoutZip, type ZipLayout } from './zip.ts'

export interface ArchiveAsked {
  shop: number
  link: string
  key: string
  /** The name of the ZIP file, without its extension. */
  name: string
  client: Client
}

/** Why there is no ZIP file. */
export type ArchiveRefusal =
  | 'link_exhausted'
  | 'unavailable'
  | 'precondition_failed'
  | 'range_not_satisfiable'

export interface Archives {
  /** Sends the response; or returns a refusal, and then nothing was sent or counted. */
  answer(visit: Visit, asked: ArchiveAsked): Promise<ArchiveRefusal | null>
}

type Archive = ZipLayout<ArchiveEntry> & { modifiedMs: number; entries: readonly ArchiveEntry[] }

/** Files may change between the plan and the count; then both are repeated. */
const MAX_ATTEMPTS = 3

export function createArchives(parts: {
  query: Query
  stores: ReadonlyMap<string, BlobStore>
  revocation: Revocation
  recorder: Recorder
  log: Logger
  stallMs: number
  /** Called when a blob's bytes are not there. */
  missing(target: FileTarget): void
}): Archives {
  const { stores, revocation, recorder, log, stallMs } = parts
  const counting = createArchiveCounting(parts.query)
  const bytes = createByteSender(stores)

  /** Computes the checksums that are not known yet, each once for a blob. */
  async function ensureChecksums(planned: readonly PlannedEntry[]): Promise<void> {
    const missing = new Map(
      planned.filter((one) => one.crc32 === null).map((one) => [one.hash, one]),
    )
    for (const entry of missing.values())
      await counting.storeChecksum(entry.shop, entry.hash, await checksumOf(bytes, entry))
  }

  /** Counts the download of each file that has downloads left, and returns these files. */
  async function charge(asker: ArchiveAsker): Promise<readonly ArchiveEntry[]> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // Usually every checksum is known, and nothing needs to be planned.
      const charged = await counting.charge(asker)
      if (charged.length > 0) return revertUnlessPresent(asker, charged)
      const planned = await counting.plan(asker)
      if (planned.length === 0) return []
      await requirePresent(stores, planned, parts.missing)
      await ensureChecksums(planned)
    }
    return []
  }

  /** If bytes are missing, takes the count back and rejects with a `StoreError`. */
  async function revertUnlessPresent(
    asker: ArchiveAsker,
    entries: readonly ArchiveEntry[],
  ): Promise<readonly ArchiveEntry[]> {
    try {
      await requirePresent(stores, entries, parts.missing)
      return entries
    } catch (error) {
      await counting.revertCount(asker, entries)
      throw error
    }
  }

  /**
   * The ZIP file to which HEAD and conditions refer: that of the client's session, or the one that
   * it would get now. Null: no file has downloads left.
   */
  async function preview(
    asker: ArchiveAsker,
    begun: readonly ArchiveEntry[] | null,
  ): Promise<Archive | null> {
    if (begun) return archiveOf(begun)
    const planned = await counting.plan(asker)
    if (planned.length === 0) return null
    await ensureChecksums(planned)
    return archiveOf((await counting.plan(asker)).map((one) => ({ ...one, crc32: one.crc32 ?? 0 })))
  }

  async function answer(visit: Visit, asked: ArchiveAsked): Promise<ArchiveRefusal | null> {
    const { request } = visit
    const { shop, link, client } = asked
    const sites = sitesOf(request.headers.referer)
    const asker: ArchiveAsker = { shop, link, client: client.hash, sites, now: visit.now }
    if (request.method === 'HEAD' || hasConditions(request)) {
      const answered = await answerUncounted(visit, asked, asker)
      if (answered !== 'to_count') return answered
    }
    return answerCounted(visit, asked, asker)
  }

  /**
   * Answers HEAD, conditions that need no body, probes, and the parts of a download that was
   * counted before. `to_count`: the request starts a download.
   */
  async function answerUncounted(
    visit: Visit,
    asked: ArchiveAsked,
    asker: ArchiveAsker,
  ): Promise<ArchiveRefusal | 'to_count' | null> {
    const { request, response } = visit
    const begun = await counting.session(asker)
    const archive = await preview(asker, begun)
    if (!archive) return 'link_exhausted'
    const decision = evaluateConditions(
      request.method ?? '',
      request.headers,
      representation(archive),
    )
    if (decision.status === 412) return 'precondition_failed'
    if (decision.status === 416) return 'range_not_satisfiable'
    if (isBodiless(decision) || request.method === 'HEAD') {
      const length = decision.status === 304 ? [] : ['Content-Length', String(archive.size)]
      response.writeHead(decision.status, [...headersOf(archive, asked), ...length])
      response.end()
      return null
    }
    const range = 'range' in decision ? decision.range : null
    if (begun && range && range.start > 0) return resume(visit, asked, asker, archive, range)
    if (!isProbe(range, archive.size)) return 'to_count'
    await send(visit, asked, archive, range, null, null)
    return null
  }

  async function answerCounted(
    visit: Visit,
    asked: ArchiveAsked,
    asker: ArchiveAsker,
  ): Promise<ArchiveRefusal | null> {
    const { request, response, now } = visit
    const entries = await charge(asker)
    if (entries.length === 0) return 'link_exhausted'
    const undo = () => counting.revertCount(asker, entries)
    // The client left while its files were read and counted: it has received nothing.
    if (response.destroyed) {
      await undo()
      return null
    }
    const archive = archiveOf(entries)
    const decision = evaluateConditions('GET', request.headers, representation(archive))
    const range = 'range' in decision ? decision.range : null
    for (const target of entries)
      recorder.record({ target, link: target.link, client: asked.client, at: now })
    await send(visit, asked, archive, range, null, undo)
    return null
  }

  /** Sends the rest of a counted download; its bytes are taken from the session, not counted. */
  async function resume(
    visit: Visit,
    asked: ArchiveAsked,
    asker: ArchiveAsker,
    archive: Archive,
    range: ByteRange,
  ): Promise<null> {
    const budget = await openPieceBudget({
      ...{ size: archive.size, length: range.end - range.start + 1 },
      spend: (amount) => counting.spend(asker, amount),
      refund: (amount) => counting.refund(asker, amount),
      more: () => Promise.resolve(false),
    })
    if (!budget) {
      visit.response.writeHead(429, [...PRIVATE, 'Retry-After', '1800', 'Content-Length', '0'])
      visit.response.end()
      return null
    }
    await budget.end(await send(visit, asked, archive, range, budget, null))
    return null
  }

  async function send(
    { response }: Visit,
    asked: ArchiveAsked,
    archive: Archive,
    range: ByteRange | null,
    budget: PieceBudget | null,
    undo: (() => Promise<void>) | null,
  ): Promise<number> {
    const part = range ?? { start: 0, end: archive.size - 1 }
    response.writeHead(range ? 206 : 200, [
      ...headersOf(archive, asked),
      'Content-Length',
      String(part.end - part.start + 1),
      ...(range ? ['Content-Range', `bytes ${part.start}-${part.end}/${archive.size}`] : []),
    ])
    response.setTimeout(stallMs, () => response.destroy())
    const { shop, link, key } = asked
    const permits = [
      { kind: 'archive' as const, shop, link, keyHash: hashKey(key) },
      ...archive.entries.map((file) => ({ kind: 'archived' as const, shop, link: file.link })),
    ]
    revocation.watch(permits, response)
    const state = { sent: 0 }
    try {
      await sendSegments(response, bytes, archive, part, budget, state)
      response.setTimeout(0)
    } catch (error) {
      log.error('a file could not be read completely', { shop, link, ...errorFields(error) })
      if (state.sent === 0) await undo?.()
      response.destroy()
    }
    return state.sent
  }

  return { answer }
}

function archiveOf(entries: readonly ArchiveEntry[]): Archive {
  const modifiedMs = Math.max(...entries.map((entry) => entry.modifiedMs))
  return { ...layoutZip(entries), modifiedMs, entries }
}

const representation = ({ tag, modifiedMs, size }: Archive) => ({
  etag: `"${tag}"`,
  modifiedMs,
  size,
})

const headersOf = (archive: Archive, { name }: ArchiveAsked): string[] =>
  fileHeaders({
    ...{ filename: `${name}.zip`, contentType: 'application/zip' },
    ...{ etag: `"${archive.tag}"`, modifiedMs: archive.modifiedMs },
  })

/**
 * Rejects with a `StoreError` if a blob is missing or has another length; `missing` gets each of
 * them.
 */
async function requirePresent(
  stores: ReadonlyMap<string, BlobStore>,
  entries: readonly PlannedEntry[],
  missing: (entry: PlannedEntry) => void,
): Promise<void> {
  const sizes = entries.map(({ location, shop, hash }) => stores.get(location)?.size(shop, hash))
  const found = await Promise.all(sizes)
  const lost = entries.filter((entry, at) => found[at] !== entry.size)
  lost.forEach(missing)
  if (lost.length > 0) throw new StoreError('missing')
}

async function checksumOf(bytes: Bytes, entry: PlannedEntry): Promise<number> {
  let sum = 0
  const whole = [{ at: 0, length: entry.size, entry }]
  await eachPiece(bytes, whole, { start: 0, end: entry.size - 1 }, (piece) => {
    sum = crc32(piece, sum)
    return Promise.resolve(true)
  })
  return sum
}

/** Sends a part of the ZIP file. `state.sent` counts the bytes, also if this rejects. */
async function sendSegments(
  response: ServerResponse,
  bytes: Bytes,
  { segments }: Archive,
  part: ByteRange,
  budget: PieceBudget | null,
  state: { sent: number },
): Promise<void> {
  const sent = await eachPiece(bytes, segments, part, async (piece) => {
    if (budget && !(await budget.take(piece.length))) return false
    if (!(await written(response, piece))) return false
    state.sent += piece.length
    return true
  })
  // The client sees that the file is incomplete.
  if (sent) response.end()
  else response.destroy()
}
