// Renders documents of an operation's files and links in the database: a page is one query and one
// text, so that memory use does not grow with the number of files.
import { lastOf, present } from '../../core/lazy.ts'
import type { ExportColumn, Listings, MadeLink } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { StoredBlob } from '../../files/blob-checks.ts'
import type { Sha256Sums } from '../../files/sha256-sums.ts'
import { FRAME, columnsInOrder, listingSql, type ListingFormat } from '../../files/file-listing.ts'
import { copiedAddress, readCopied } from './model/copied.ts'

/** Batches of an operation's files in one page; and items, if it has items. */
const BATCHES = 2
const ITEMS = 4000
const LINKS = 1000
/** How many pages are read ahead while one is written. */
const AHEAD = 2

export interface LinkListingParts {
  secrets: Secrets
  baseUrl: string
  sums: Pick<Sha256Sums, 'of'>
}

export const createListings =
  (parts: LinkListingParts) =>
  (
    scope: ShopScope,
    operation: string,
    seen: (files: number, written: number) => void,
  ): Pick<Listings, 'files' | 'links'> => ({
    files: (format, columns, signal) =>
      filesAs(
        { scope, operation, base: parts.baseUrl, sums: parts.sums, seen },
        format,
        columnsInOrder(columns),
        signal,
      ),
    links: (signal) => linksOf(scope, operation, parts, signal),
  })

interface Job {
  scope: ShopScope
  operation: string
  base: string
  sums: LinkListingParts['sums']
  seen(files: number, written: number): void
}

async function* filesAs(
  { scope, operation, base, sums, seen }: Job,
  format: ListingFormat,
  columns: readonly ExportColumn[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { begin, between, end } = FRAME[format]
  const textOf = async ({ ids, files }: Page) => {
    if (columns.includes('sha256')) await computeSums(scope, sums, ids, signal)
    const sql = listingSql(format, columns, areAscending(ids))
    const row = await scope.one<{ text: string | null; written: number }>(sql, {
      ids,
      between,
      ...(/:base/.test(sql) ? { base } : {}),
    })
    return { ...row, files }
  }
  let [count, total] = [0, 0]
  let first = true
  yield Buffer.from(begin(columns))
  for await (const { text, files, written } of inAdvance(
    pagesOf(scope, operation),
    textOf,
    signal,
  )) {
    if (text !== null) yield Buffer.from(first ? text : between + text)
    first &&= text === null
    seen((count += files), (total += written))
  }
  signal.throwIfAborted()
  yield Buffer.from(first && format === 'csv' ? '' : end)
}

/** An array of UUIDs as PostgreSQL writes it, passed unchanged from one query to the next. */
interface Page {
  ids: string
  files: number
}

/** Computes the SHA-256 digests that a page lacks. */
async function computeSums(
  scope: ShopScope,
  sums: LinkListingParts['sums'],
  ids: string,
  signal: AbortSignal,
): Promise<void> {
  const blobs = await scope.query<StoredBlob>(
    `select distinct :shop::int as shop, encode(v.hash, 'hex') as hash, v.location
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version
     join blobs b on b.shop_id = v.shop_id and b.hash = v.hash and b.sha256 is null
     where f.shop_id = :shop and f.id = any(:ids::uuid[]) and f.deleted_at is null and not v.damaged`,
    { ids },
  )
  for (const blob of blobs) {
    signal.throwIfAborted()
    await sums.of(blob)
  }
}

/** Ids of a filter ascend, since its files are frozen in the order of their creation. */
function areAscending(ids: string): boolean {
  let before = ''
  return ids
    .slice(1, -1)
    .split(',')
    .every((id) => {
      const ascends = before < id
      before = id
      return ascends
    })
}

/**
 * The operation's files in their order: from its batches if no items were written, or else from its
 * items.
 */
async function* pagesOf(scope: ShopScope, operation: string): AsyncGenerator<Page> {
  for (const next of [nextBatches, nextItems]) {
    let after = -1
    while (true) {
      const page = await scope.one<Page & { last: number | null }>(next, { operation, after })
      if (page.last === null) break
      after = page.last
      yield page
    }
  }
}

const nextBatches = `
  select array_agg(id order by position, n)::text as ids, count(*) as files, max(position) as last
  from (select position, file_ids from item_batches
    where shop_id = :shop and operation_id = :operation and position > :after order by position
      limit ${BATCHES}) b,
    unnest(b.file_ids) with ordinality as t(id, n)`

const nextItems = `
  select coalesce(array_agg(file_id order by position) filter (where file_id is not null),
    '{}')::text as ids, count(*) as files, max(position) as last
  from (select position, file_id from items
    where shop_id = :shop and operation_id = :operation and position > :after order by position
      limit ${ITEMS}) i`

/**
 * Returns the result of `work` for each input, in their order, while it works on the next inputs.
 * Throws the signal's reason within a page.
 */
async function* inAdvance<Input, Output>(
  inputs: AsyncIterable<Input>,
  work: (input: Input) => Promise<Output>,
  signal: AbortSignal,
): AsyncGenerator<Output> {
  const running: Promise<Output>[] = []
  try {
    for await (const input of inputs) {
      signal.throwIfAborted()
      const working = work(input)
      // The code that awaits it handles the failure.
      working.catch(() => {})
      running.push(working)
      if (running.length > AHEAD) yield await present(running.shift(), 'The earliest input')
    }
    for (let next = running.shift(); next; next = running.shift()) {
      signal.throwIfAborted()
      yield await next
    }
  } finally {
    // No query may still run when this returns.
    await Promise.allSettled(running)
  }
}

interface LinkRow {
  position: number
  id: string | null
  rotation: number
  key_hash: Buffer
  filename: string
  email: string | null
  expires_at: Date | null
  download_limit: number | null
}

/** By items, since several batches create links at the same time. */
async function* linksOf(
  scope: ShopScope,
  operation: string,
  { secrets, baseUrl }: LinkListingParts,
  signal: AbortSignal,
): AsyncGenerator<readonly MadeLink[]> {
  const copied = await readCopied(scope)
  let after = -1
  while (true) {
    signal.throwIfAborted()
    const rows = await scope.query<LinkRow>(
      `with page as materialized (
         select position, case when jsonb_typeof(after -> 'link') = 'string'
           then (after ->> 'link')::uuid end as link
         from items where shop_id = :shop and operation_id = :operation and position > :after
         order by position limit ${LINKS}
       )
       select page.position, l.id, l.rotation, l.key_hash, f.filename, l.email, l.expires_at, l.download_limit
       from page
       left join links l on l.shop_id = :shop and l.id = page.link and l.operation_id = :operation
         and l.revoked_at is null
       left join files f on f.shop_id = :shop and f.id = l.file_id
       order by page.position`,
      { operation, after },
    )
    if (rows.length === 0) return
    after = lastOf(rows).position
    yield rows.flatMap(({ id, rotation, key_hash, filename, email, expires_at, download_limit }) =>
      id === null
        ? []
        : [
            {
              filename,
              email,
              download_limit,
              url: copiedAddress(baseUrl, secrets.linkKey(id, rotation, key_hash), copied),
              expires_at: expires_at?.toISOString() ?? null,
            },
          ],
    )
  }
}
