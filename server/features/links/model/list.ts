// Lists links, newest first. A shop may have a million links: each filter names the index that
// serves it, and conditions without an index are tested on spans of rows within a time limit.
import { searchWords, textOf } from '../../../../plugins/contract/index.ts'
import { firstOf, lastOf } from '../../../core/lazy.ts'
import type { Bindings, ShopScope } from '../../../core/db/for-shop.ts'
import { likeLiteral } from '../../../core/db/like-pattern.ts'
import { hasAllWords } from '../../../core/db/word-match.ts'
import { AppError, ERRORS } from '../../../core/errors.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { nameAndTags } from '../../../files/word-search.ts'
import { viewedOnly } from '../../../files/view-kinds.ts'
import {
  usableUntil,
  LINK_COLUMNS,
  LINK_TABLES,
  linkOf,
  MAPPING_STATE,
  type Link,
  type LinkRow,
  type LinkStatus,
} from './links.ts'

/** Every condition must hold. Ids are bare UUIDs. */
export interface LinkFilter {
  /** Includes links that a pack's link gave to the file. Index: links_file. */
  fileId?: string | undefined
  /** Of the links of a file: without those that a pack's link or a delivery gave to it. */
  isOwn?: boolean | undefined
  /** Index: links_pack. */
  packId?: string | undefined
  /** Links that this operation created. Index: links_operation. */
  operation?: string | undefined
  /** This address, ignoring case. Index: links_email. */
  email?: string | undefined
  /**
   * The file's or the pack's name contains it, or the address begins with it, ignoring case. Index:
   * links_file, links_email.
   */
  search?: string | undefined
  /**
   * Revoked: index links_revoked; withdrawn: index links_file; exhausted: table used_up_links and index
   * links_used_up_views; other statuses are tested row by row.
   */
  status?: LinkStatus | undefined
}

export interface LinkPage {
  data: readonly Link[]
  next_cursor: string | null
}

/**
 * How many rows one query reads, at first and at most; and the time after which a page is returned
 * although it is not full.
 */
const SPAN = { first: 1000, max: 32_000 }
const TIME_LIMIT_MS = 1000
/** A query names up to this many files, packs or links by id. */
const MAX_NAMED = 10_000
/** Links of up to this many files are read by their files. */
const MAX_WITHDRAWN = 20_000

const OFFERED = `l.revoked_at is null and f.deleted_at is null and ${MAPPING_STATE} <> 'unmapped'`
const RELEASED = '(l.available_at is null or l.available_at <= :now)'

const VIEWED_ONLY = viewedOnly('f')
const END = usableUntil('l', 'f')
const LASTS = `(${END} is null or ${END} > :now)`
const IS_USED_UP = `case when ${VIEWED_ONLY} then l.views >= l.view_limit
  else l.downloads >= l.download_limit end`

/** The same as `shownStatus`. */
const STATUS: Readonly<Record<LinkStatus, string>> = {
  revoked: 'l.revoked_at is not null',
  withdrawn: `l.revoked_at is null and (f.deleted_at is not null or ${MAPPING_STATE} = 'unmapped')`,
  not_released: `${OFFERED} and l.available_at > :now`,
  expired: `${OFFERED} and ${RELEASED} and ${END} <= :now`,
  exhausted: `${OFFERED} and ${RELEASED} and ${LASTS} and ${IS_USED_UP}`,
  active: `${OFFERED} and ${RELEASED} and ${LASTS} and (${IS_USED_UP}) is not true`,
}

/**
 * A page of links, newest first; `cursor` is the `next_cursor` of the previous page. A page may be
 * short without being the last one. Throws `validation_failed` for an invalid cursor.
 */
export async function listLinks(
  scope: ShopScope,
  secrets: Secrets,
  page: LinkFilter & { limit: number; cursor?: string | undefined },
  now: Date,
): Promise<LinkPage> {
  requireCursor(page.cursor)
  const { rows, last } = (await readNewest(scope, page, now)) ?? (await readAll(scope, page, now))
  const data = rows.slice(0, page.limit).map((row) => linkOf(row, secrets, now))
  return { data, next_cursor: rows.length > page.limit ? lastOf(data).id : last }
}

async function readAll(scope: ShopScope, page: LinkFilter & Place, now: Date): Promise<FoundLinks> {
  const { where, bindings, served } = await compile(scope, page, now)
  const read = served ? readByIndex : readBySpans
  return read(scope, where, bindings, page)
}

/**
 * A full page of a search among the newest links, before all names and addresses that have the text
 * are looked up; null: they do not fill it.
 */
async function readNewest(
  scope: ShopScope,
  page: LinkFilter & Place,
  now: Date,
): Promise<FoundLinks | null> {
  const { search, ...others } = page
  if (!search) return null
  const { where, bindings, served } = await compile(scope, others, now)
  if (served && !isAlone(others)) return null
  const [sql, texts] = anywhere(search)
  const all = { ...bindings, ...texts }
  const found = await readBySpans(scope, `${where} and ${sql}`, all, page, 1)
  return found.rows.length > page.limit ? found : null
}

const isAlone = ({ fileId, packId, operation, email, status }: LinkFilter): boolean =>
  [fileId, packId, operation, email, status].every((one) => one === undefined)

/** All links of the filter, a page at a time. */
export async function* pagesOfLinks(
  scope: ShopScope,
  secrets: Secrets,
  filter: LinkFilter,
  now: Date,
  signal: AbortSignal,
): AsyncGenerator<readonly Link[]> {
  let cursor: string | undefined
  do {
    signal.throwIfAborted()
    const page = await listLinks(scope, secrets, { ...filter, limit: PAGE, cursor }, now)
    yield page.data
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}
const PAGE = 1000

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function requireCursor(cursor: string | undefined): void {
  if (cursor === undefined || UUID.test(cursor)) return
  const message = textOf(ERRORS.invalid_value.message)
  throw new AppError('validation_failed', {
    details: [{ param: 'cursor', code: 'invalid_value', message }],
  })
}

interface LinkCondition {
  where: string
  bindings: Bindings
  /**
   * An index leads to the links, or all of the newest ones match; otherwise links are searched row
   * by row.
   */
  served: boolean
}

async function compile(
  scope: ShopScope,
  filter: LinkFilter & Place,
  now: Date,
): Promise<LinkCondition> {
  const conditions: string[] = []
  const bindings: Bindings = {}
  let served = filter.status === 'revoked' || (filter.status === undefined && !filter.search)
  const add = (sql: string, given: Bindings, isServed = true) => {
    conditions.push(sql)
    Object.assign(bindings, given)
    served ||= isServed
  }
  const { fileId, isOwn, packId, operation, email, search, status } = filter
  if (fileId !== undefined) add('l.file_id = :fileId', { fileId })
  // Only a file's list shows links that a pack's link or a delivery gave to it. Elsewhere the
  // pack's link represents them, and deliveries have their own list.
  if (fileId === undefined || isOwn === true)
    conditions.push('l.parent_id is null and l.delivery_id is null')
  if (packId !== undefined) add('l.pack_id = :packId', { packId })
  if (operation !== undefined) add('l.operation_id = :operation', { operation })
  if (email !== undefined) add(`${EMAIL} = lower(:email) collate "C"`, { email })
  if (search) {
    add(...(await searchedLinks(scope, search, isAlone(filter) ? filter : null)))
  }
  if (status !== undefined)
    add(STATUS[status], status === 'revoked' || status === 'withdrawn' ? {} : { now }, false)
  if (status === 'withdrawn' && !served) {
    const { files } = await scope.one<{ files: number }>(
      `select count(*) as files from (${WITHDRAWN} limit :most) w`,
      { most: MAX_WITHDRAWN + 1 },
    )
    if (files <= MAX_WITHDRAWN) add(`l.file_id = any(array(${WITHDRAWN}))`, {})
  }
  if (status === 'exhausted' && !served) add(USED_UP, {})
  return { where: conditions.join(' and '), bindings, served }
}

/** Indexes: used_up_links_pkey, links_used_up_views. */
const USED_UP = `l.id in (select u.link_id from used_up_links u where u.shop_id = :shop
  union all select u.id from links u where u.shop_id = :shop and u.views >= u.view_limit)`
const EMAIL = 'lower(l.email) collate "C"'
// The same condition in two forms, each with its own index: files_unmapped excludes the trash.
const WITHDRAWN = `select id from files where shop_id = :shop and deleted_at is not null
  union all select id from files where shop_id = :shop and deleted_at is null
    and mapping_state = 'unmapped'`
const GONE_NAME = 'search_text(l.pack_name)'

/** SQL: queries of what has all words of a search. Uses files_search. */
function namedBy(text: string) {
  const words = searchWords(text)
  const has = (searched: string) => hasAllWords(searched, words).sql
  const files = (shown: string) =>
    `select id from files where shop_id = :shop and deleted_at is ${shown} and ${has(nameAndTags('files'))}`
  return {
    has,
    files: `${files('null')} union all ${files('not null')}`,
    packs: `select id from packs where shop_id = :shop and ${has('search_text(name)')}`,
    gonePacks: `select id from links l where shop_id = :shop and pack_name is not null
      and ${has(GONE_NAME)}`,
    words: hasAllWords('', words).bindings,
  }
}
const ADDRESSED = `select id from links l where shop_id = :shop
  and ${EMAIL} like lower(:start) collate "C"`

/** @param page if there is no other condition: of the links by their address, only those are needed */
async function searchedLinks(
  scope: ShopScope,
  text: string,
  page: Place | null,
): Promise<[sql: string, bindings: Bindings, served: boolean]> {
  const after = page?.cursor === undefined ? {} : { cursor: page.cursor }
  const newest = page
    ? `and l.parent_id is null and l.delivery_id is null
       ${page.cursor === undefined ? '' : 'and l.id < :cursor'} order by l.id desc limit :rows`
    : ''
  const named = namedBy(text)
  const files = await fewIds(scope, named.files, named.words)
  const packs = await fewIds(scope, named.packs, named.words)
  const links = await fewIds(scope, `(${ADDRESSED} ${newest}) union ${named.gonePacks}`, {
    ...named.words,
    start: startOf(text),
    ...after,
    ...(page ? { rows: page.limit + 1 } : {}),
  })
  if (files && packs && links)
    return [
      // Not constants: the planner would examine each id of them.
      `(l.file_id = any((select :files::uuid[])::uuid[])
        or l.pack_id = any((select :packs::uuid[])::uuid[])
        or l.id = any((select :links::uuid[])::uuid[]))`,
      { files, packs, links },
      true,
    ]
  return [...anywhere(text), false]
}

const startOf = (text: string) => `${likeLiteral(text)}%`

/** The search as a condition on each link. */
function anywhere(text: string): [sql: string, bindings: Bindings] {
  const { has, words } = namedBy(text)
  return [
    `(${has(nameAndTags('f'))} or ${has('search_text(p.name)')} or ${has(GONE_NAME)}
      or ${EMAIL} like lower(:start) collate "C")`,
    { ...words, start: startOf(text) },
  ]
}

/**
 * The ids that a query finds, as the text of an array; or null if there are more than another query
 * can name.
 */
async function fewIds(
  scope: ShopScope,
  select: string,
  bindings: Bindings,
): Promise<string | null> {
  const { count, ids } = await scope.one<{ count: number; ids: string }>(
    `select count(*)::int as count, coalesce(array_agg(id), '{}')::text as ids
     from (select id from (${select}) s limit :limit) found`,
    { ...bindings, limit: MAX_NAMED + 1 },
  )
  return count > MAX_NAMED ? null : ids
}

interface FoundLinks {
  rows: LinkRow[]
  /** Where to continue if the end was not reached and the page is not full. */
  last: string | null
}
interface Place {
  limit: number
  cursor?: string | undefined
}

async function readByIndex(
  scope: ShopScope,
  where: string,
  bindings: Bindings,
  place: Place,
): Promise<FoundLinks> {
  const { limit, cursor } = place
  // The tables that the condition does not name are joined for the page only.
  const rows = await scope.query<LinkRow>(
    `select ${LINK_COLUMNS} from ${LINK_TABLES}
     where l.shop_id = :shop and l.id = any(array(
       select l.id from ${LINK_TABLES}
       where l.shop_id = :shop and ${where} ${cursor === undefined ? '' : 'and l.id < :cursor'}
       order by l.id desc limit :rows))
     order by l.id desc`,
    { ...bindings, rows: limit + 1, ...(cursor === undefined ? {} : { cursor }) },
  )
  return { rows, last: null }
}

/**
 * Reads span after span until the page is full, no links are left, or the time limit has passed.
 */
async function readBySpans(
  scope: ShopScope,
  where: string,
  bindings: Bindings,
  place: Place,
  spans = Infinity,
): Promise<FoundLinks> {
  const until = performance.now() + TIME_LIMIT_MS
  const found: LinkRow[] = []
  let last = place.cursor ?? null
  for (let span = SPAN.first, read = 1; ; span = Math.min(SPAN.max, span * 4), read++) {
    const rows = await scope.query<LinkRow & { last: string | null; read: number }>(
      `with span as materialized (
         select l.* from links l where l.shop_id = :shop ${last === null ? '' : 'and l.id < :last'}
         order by l.id desc limit :span
       ), page as (
         select ${LINK_COLUMNS} from ${LINK_TABLES.replace('links l', 'span l')}
         where ${where} order by l.id desc limit :rows
       )
       select page.*, span.last, span.read
       from (select (array_agg(id order by id))[1] as last, count(*) as read from span) span
         left join page on true
       order by page.id desc`,
      {
        ...bindings,
        span,
        rows: place.limit + 1 - found.length,
        ...(last === null ? {} : { last }),
      },
    )
    found.push(...rows.filter(({ id }) => id !== null))
    // A row without a link if the span has none.
    const about = firstOf(rows)
    last = about.read < span ? null : about.last
    if (found.length > place.limit) return { rows: found, last: null }
    if (last === null || read >= spans || performance.now() > until) return { rows: found, last }
  }
}
