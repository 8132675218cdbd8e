// Feeds as rows: created, read, changed, deleted. The address and the headers of its requests are
// sealed together, and never shown again.
import { english, say } from '../../../plugins/contract/index.ts'
import { withoutSecrets } from '../../core/client-address.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { countInTurn } from '../../core/db/shop-maximum.ts'
import { AppError } from '../../core/errors.ts'
import type { FetchHeaders, FetchTarget } from '../../core/fetch-headers.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { StoredDetail } from '../../core/texts.ts'
import { readShop } from '../../files/shop-settings.ts'
import type { BytesIdentity } from '../../ports/guarded-fetch.ts'
import type { ColumnMapping } from '../csv/columns.ts'
import { nextRuns } from '../schedules/times.ts'
import { openTarget, sealTarget } from './sealed.ts'

export interface FeedOptions {
  /** What happens to the file of a row that the table has no more. */
  vanished: 'keep' | 'trash' | 'tag'
  /** The tag that it gets. */
  vanished_tag: string | null
  /** Whether a row's tags and products replace those of its file, or are added. */
  tags: 'add' | 'replace'
  products: 'add' | 'replace'
  auto_map: boolean
  notify: boolean
}

export interface Feed {
  id: string
  name: string
  /** Without its query, which may contain a secret. */
  url: string
  sealed: Buffer
  header_names: string[]
  mapping: ColumnMapping
  key_column: string | null
  options: FeedOptions
  cron: string | null
  enabled: boolean
  next_run_at: Date | null
  identity: BytesIdentity | null
  error: (StoredDetail & { code: string }) | null
  created_at: Date
}

/** A caller's values. */
export interface FeedInput {
  name: string
  url: string
  headers: FetchHeaders
  mapping: ColumnMapping
  key_column: string | null
  options: FeedOptions
  cron: string | null
  enabled: boolean
}

const MAX_FEEDS = 100

export const listFeeds = (scope: ShopScope): Promise<Feed[]> =>
  scope.query<Feed>(
    `select * from feeds where shop_id = :shop order by lower(name), id limit ${MAX_FEEDS}`,
  )

/** Reads the feed. Throws `not_found`. */
export async function requireFeed(scope: ShopScope, id: string): Promise<Feed> {
  const row = await scope.first<Feed>('select * from feeds where shop_id = :shop and id = :id', {
    id,
  })
  if (!row) throw new AppError('not_found')
  return row
}

/** Locks the feed: until the transaction ends no run of it starts or ends. Throws `not_found`. */
export async function holdFeed(tx: ShopScope, id: string): Promise<Feed> {
  const row = await tx.first<Feed>(
    'select * from feeds where shop_id = :shop and id = :id for no key update',
    { id },
  )
  if (!row) throw new AppError('not_found')
  return row
}

/** The address of a feed with the headers of its requests. Throws `validation_failed` if they cannot be opened. */
export function targetOf(
  secrets: Secrets,
  scope: ShopScope,
  feed: Pick<Feed, 'sealed'>,
): FetchTarget {
  const target = openTarget(secrets, scope.shop, feed.sealed)
  if (target) return target
  const message = say('The address was sealed with another secret: enter it again')
  throw new AppError('validation_failed', {
    param: 'url',
    details: [{ param: 'url', code: 'invalid_value', message }],
  })
}

/** Creates a feed and returns its UUID. Throws `conflict` above the maximum. */
export async function createFeed(
  secrets: Secrets,
  scope: ShopScope,
  input: FeedInput,
  now: Date,
): Promise<string> {
  return scope.transaction(async (tx) => {
    if ((await countInTurn(tx, 'feeds where shop_id = :shop')) >= MAX_FEEDS)
      throw new AppError('conflict', {
        message: say('A shop has at most {most} feeds: delete one first', { most: MAX_FEEDS }),
      })
    const row = await tx.one<{ id: string }>(
      `insert into feeds (shop_id, name, url, sealed, header_names, mapping, key_column, options,
         cron, enabled, next_run_at)
       values (:shop, :name, :url, :sealed, :names, :mapping, :key_column, :options, :cron, :enabled,
         :next)
       returning id`,
      await columnsOf(secrets, tx, input, now),
    )
    return row.id
  })
}

async function columnsOf(secrets: Secrets, tx: ShopScope, input: FeedInput, now: Date) {
  const { name, url, headers, mapping, key_column, options, cron, enabled } = input
  return {
    name,
    key_column,
    cron,
    enabled,
    url: withoutSecrets(url),
    sealed: sealTarget(secrets, tx.shop, { url, headers }),
    names: Object.keys(headers),
    mapping: JSON.stringify(mapping),
    options: JSON.stringify(options),
    next: await nextRunOf(tx, { cron, enabled }, now),
  }
}

/** When a feed is imported next; null: by hand, or it is paused. */
export async function nextRunOf(
  tx: ShopScope,
  { cron, enabled }: Pick<Feed, 'cron' | 'enabled'>,
  now: Date,
): Promise<Date | null> {
  if (cron === null || !enabled) return null
  const { time_zone } = (await readShop(tx)).settings
  return nextRuns(cron, time_zone, now, 1)[0] ?? null
}

/**
 * Changes a feed. Another table, or another way to read it, is compared whole again. Throws `not_found`.
 */
export function changeFeed(
  secrets: Secrets,
  scope: ShopScope,
  id: string,
  input: Partial<FeedInput>,
  now: Date,
): Promise<void> {
  return scope.transaction(async (tx) => {
    const feed = await holdFeed(tx, id)
    // Its name may change even if its address cannot be opened any more.
    const before =
      input.url !== undefined && input.headers !== undefined ? null : targetOf(secrets, tx, feed)
    const merged: FeedInput = {
      name: input.name ?? feed.name,
      url: input.url ?? before?.url ?? feed.url,
      headers: input.headers ?? keptHeaders(before, input.url),
      mapping: input.mapping ?? feed.mapping,
      key_column: input.key_column === undefined ? feed.key_column : input.key_column,
      options: input.options ?? feed.options,
      cron: input.cron === undefined ? feed.cron : input.cron,
      enabled: input.enabled ?? feed.enabled,
    }
    const isSameTime = merged.cron === feed.cron && merged.enabled === feed.enabled
    const columns = await columnsOf(secrets, tx, merged, now)
    await tx.query(
      `update feeds set name = :name, url = :url, sealed = :sealed, header_names = :names,
         mapping = :mapping, key_column = :key_column, options = :options, cron = :cron,
         enabled = :enabled, next_run_at = :next, identity = null
       where shop_id = :shop and id = :id`,
      { id, ...columns, next: isSameTime ? feed.next_run_at : columns.next },
    )
    // Rows have other keys then: they are found by the names of their files.
    if (merged.key_column !== feed.key_column)
      await tx.query('delete from feed_rows where shop_id = :shop and feed_id = :id', { id })
  })
}

/** Headers stay with their host: another one does not get them. */
const keptHeaders = (before: FetchTarget | null, url: string | undefined): FetchHeaders =>
  before && (url === undefined || isSameHost(before.url, url)) ? (before.headers ?? {}) : {}

/** Do requests to the second address go to the host of the first one, as safely? */
export function isSameHost(first: string, second: string): boolean {
  const [one, other] = [URL.parse(first), URL.parse(second)]
  return (
    one !== null && other !== null && one.host === other.host && one.protocol === other.protocol
  )
}

/** Deletes a feed. Its files stay. */
export const deleteFeed = (tx: ShopScope, id: string): Promise<void> => deleteRow(tx, 'feeds', id)

const failureTitle = (name: string) => say('“{name}” could not be imported', { name })
const waitingTitle = (name: string) => say('“{name}” waits for your confirmation', { name })

export const feedTitles = { failure: failureTitle, waiting: waitingTitle }

/** Marks the notice of a failure as read: a run has succeeded. */
export const readFailure = (tx: ShopScope, { name }: Pick<Feed, 'name'>): Promise<unknown> =>
  tx.query(
    `update notices set read_at = now() where shop_id = :shop and read_at is null and title = :title
       and operation_id is null`,
    { title: english(failureTitle(name)) },
  )
