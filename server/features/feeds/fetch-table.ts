// Fetches the table of a feed, and stores it as an uploaded table for as long as a run reads it.
import { directAddress, isPageType, PortError } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { FetchTarget } from '../../core/fetch-headers.ts'
import { mergedHeaders } from '../../core/fetch-headers.ts'
import type { BytesIdentity, GuardedClient, OpenedFile } from '../../ports/guarded-fetch.ts'
import { tooSlow } from '../../ports/failures.ts'
import { isEmptyTable } from '../csv/analyse.ts'
import {
  MAX_BYTES,
  receiveCsv,
  removeUpload,
  requireUpload,
  type CsvUpload,
} from '../csv/uploads.ts'
import type { ReadWorkbook } from '../csv/workbook.ts'
import { csvOfJson, isJsonText, MAX_JSON_BYTES } from './json-table.ts'

export interface FetchTableParts {
  client: Pick<GuardedClient, 'openChanged'>
  readWorkbook: ReadWorkbook
}

export interface FetchedTable {
  upload: CsvUpload
  /** What a later request sends, to be told that nothing has changed. */
  identity: BytesIdentity | null
}

/** How much of a body shows what it is. */
const START_BYTES = 4096

/**
 * Calls `take` with the table at an address, which is stored until `take` ends. Null: the table has not
 * changed. Throws `PortError`, and `AppError` if it is no table that can be read, and errors of `take`.
 */
export async function withTable<Result>(
  parts: FetchTableParts,
  scope: ShopScope,
  target: FetchTarget,
  asked: { since: BytesIdentity | null; withinMs: number; signal: AbortSignal },
  take: (table: FetchedTable) => Promise<Result>,
): Promise<Result | null> {
  const stored = await fetchTable(parts, scope, target, asked)
  if (stored === null) return null
  const { id, identity } = stored
  try {
    return await take({ upload: await requireUpload(scope, id), identity })
  } finally {
    await removeUpload(scope, id)
  }
}

/** Stores the table at an address. Throws `tooSlow` if it has not arrived in time. */
async function fetchTable(
  { client, readWorkbook }: FetchTableParts,
  scope: ShopScope,
  target: FetchTarget,
  {
    since,
    withinMs,
    signal,
  }: { since: BytesIdentity | null; withinMs: number; signal: AbortSignal },
): Promise<{ id: string; identity: BytesIdentity | null } | null> {
  const late = AbortSignal.timeout(withinMs)
  const requester = { shop: scope.shop, headers: mergedHeaders(target.headers) }
  try {
    const opened = await client.openChanged(
      tableAddress(target.url),
      AbortSignal.any([signal, late]),
      requester,
      since ?? undefined,
    )
    if (opened === null) return null
    const id = await receive(scope, opened, nameOf(target.url), readWorkbook)
    return { id, identity: opened.identity }
  } catch (error) {
    throw late.aborted && !signal.aborted ? tooSlow() : error
  }
}

async function receive(
  scope: ShopScope,
  opened: OpenedFile,
  name: string,
  readWorkbook: ReadWorkbook,
): Promise<string> {
  const body = copied(opened)
  try {
    if (opened.size_bytes === 0) throw new AppError('empty_table')
    if ((opened.size_bytes ?? 0) > MAX_BYTES) throw new AppError('payload_too_large')
    const { start, all } = await startOf(body)
    const text = start.toString('utf8')
    if (isPage(text, opened.content_type)) throw new AppError('web_page')
    const bytes = isJsonText(text) ? asPieces(await csvOfJson(await textOf(all))) : all
    return await receiveCsv(scope, bytes, name, readWorkbook, { asIs: true })
  } catch (error) {
    throw error instanceof AppError && error.code === 'invalid_csv' && isEmptyTable(error)
      ? new AppError('empty_table')
      : error
  } finally {
    await body.return(undefined)
  }
}

/** A sign-in page has the type of one, or begins like one. */
const isPage = (start: string, type: string | null): boolean =>
  /^\ufeff?\s*<(?:!doctype|html|head|body|\?xml)\b/i.test(start) ||
  (isPageType(type ?? undefined) && /^\ufeff?\s*</.test(start))

/** The client uses the buffer of a piece again. */
async function* copied({ body }: OpenedFile): AsyncGenerator<Buffer> {
  for await (const piece of body) yield Buffer.from(piece)
}

async function startOf(
  body: AsyncGenerator<Buffer>,
): Promise<{ start: Buffer; all: AsyncIterable<Buffer> }> {
  const pieces: Buffer[] = []
  for (let bytes = 0; bytes < START_BYTES;) {
    const { done, value } = await body.next()
    if (done) break
    pieces.push(value)
    bytes += value.length
  }
  const all = async function* () {
    yield* pieces
    yield* body
  }
  return { start: Buffer.concat(pieces), all: all() }
}

async function* asPieces(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}

async function textOf(all: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of all) {
    bytes += piece.length
    if (bytes > MAX_JSON_BYTES) throw new AppError('payload_too_large')
    pieces.push(piece)
  }
  const text = Buffer.concat(pieces)
  const isWide = text[0] === 0xff && text[1] === 0xfe
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(text)
}

/** `guide.csv` of `https://example.com/feeds/guide.csv`. */
function nameOf(url: string): string {
  const { pathname, host } = new URL(url)
  return pathname.split('/').findLast((part) => part !== '') ?? host
}

const SHEET =
  /^https:\/\/docs\.google\.com\/spreadsheets\/d\/([\w-]+)\/(?:edit|view|copy|preview)?(?:[?#].*)?$/

/** The address of the table itself: a Google Sheet's page becomes its export. Exported for its test. */
export function tableAddress(url: string): string {
  const [, sheet] = SHEET.exec(url) ?? []
  if (sheet === undefined) return directAddress(url)
  const [, gid] = /[?#&]gid=(\d+)/.exec(url) ?? []
  const chosen = gid === undefined ? '' : `&gid=${gid}`
  return `https://docs.google.com/spreadsheets/d/${sheet}/export?format=csv${chosen}`
}

/** Could another attempt soon succeed? */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof AppError) && !(error instanceof PortError && !error.retryable)
