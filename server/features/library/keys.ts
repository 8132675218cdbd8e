// Keys that open a buyer's library. A request only adds a pending row, so that it takes the same
// time whether or not the address has bought something; the task in `tasks.ts` decides that.
import type { Database } from '../../core/db/database.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueTask, type TaskKind } from '../../core/queue/background.ts'
import { hashKey, type Secrets } from '../../core/secrets.ts'
import { firstOf } from '../../core/lazy.ts'
import { orderedIds } from '../links/model/creation.ts'

export const LIBRARY_MAILS: TaskKind = { name: 'library-mails' }

const DAY_MS = 24 * 60 * 60 * 1000
export const LIBRARY_DAYS = 7
/** An expired key is known for this long: its page says so and offers a new one. */
const KEPT_DAYS = 30
const VISITS_KEPT_MONTHS = 13
/** Requests within this time belong to one visit. */
const VISIT_MINUTES = 30

export interface LibraryRequest {
  email: string
  /** The language of the page on which it was asked for. */
  locale: string | null
  now: Date
}

/** Asks for a key by mail. Takes the same time for every address. */
export const requestLibrary = (
  scope: ShopScope,
  secrets: Secrets,
  { email, locale, now }: LibraryRequest,
): Promise<void> =>
  scope.transaction(async (tx) => {
    const id = firstOf(orderedIds(now, 1))
    await tx.insert('library_keys', {
      id,
      email: email.toLowerCase(),
      locale,
      created_at: now,
      key_hash: hashKey(secrets.linkKey(id, 0)),
      expires_at: new Date(now.getTime() + LIBRARY_DAYS * DAY_MS),
    })
    await queueTask(tx, LIBRARY_MAILS, String(tx.shop))
  })

const ACCOUNT_MINUTES = 60

/**
 * Opens the library of an address that the platform has confirmed; returns its key. It ends soon,
 * and does not end the keys that were mailed.
 */
export async function openLibraryKey(
  scope: ShopScope,
  secrets: Secrets,
  { email, locale, now }: LibraryRequest,
): Promise<string> {
  const id = firstOf(orderedIds(now, 1))
  const key = secrets.linkKey(id, 0)
  await scope.insert('library_keys', {
    id,
    email: email.toLowerCase(),
    locale,
    created_at: now,
    key_hash: hashKey(key),
    pending: false,
    opened_at: now,
    expires_at: new Date(now.getTime() + ACCOUNT_MINUTES * 60_000),
  })
  return key
}

export interface LibraryKey {
  shop: number
  id: string
  email: string
  locale: string | null
  expires_at: Date
}

/** The sent key of an installed shop, also an expired one; null: there is none. */
export async function findLibraryKey(
  { pool }: Pick<Database, 'pool'>,
  key: string,
): Promise<LibraryKey | null> {
  const { rows } = await pool.query<LibraryKey>(
    `select k.shop_id as shop, k.id, k.email, k.locale, k.expires_at
     from library_keys k join shops s on s.id = k.shop_id and s.uninstalled_at is null
     where k.key_hash = $1 and not k.pending`,
    [hashKey(key)],
  )
  return rows[0] ?? null
}

/**
 * Records that a library was opened; returns when it was visited before, null: never. The first
 * opening of a key ends the earlier keys of its address: not the request, because anyone can make
 * one.
 */
export const visitLibrary = (
  scope: ShopScope,
  { id, email }: Pick<LibraryKey, 'id' | 'email'>,
  now: Date,
): Promise<Date | null> =>
  scope.transaction(async (tx) => {
    await tx.query(
      `with opened as (
         update library_keys set opened_at = :now
         where shop_id = :shop and id = :id and opened_at is null returning id
       )
       update library_keys k set expires_at = :now from opened
       where k.shop_id = :shop and k.email = :email and k.id < opened.id and not k.pending
         and k.expires_at > :now`,
      { id, email, now },
    )
    const { previous_at } = await tx.one<{ previous_at: Date | null }>(
      `insert into library_visits as v (shop_id, email, visited_at) values (:shop, :email, :now)
       on conflict (shop_id, email) do update set
         previous_at = case
           when v.visited_at < excluded.visited_at - interval '${VISIT_MINUTES} minutes'
           then v.visited_at else v.previous_at end,
         visited_at = excluded.visited_at
       returning previous_at`,
      { email, now },
    )
    return previous_at
  })

/** When the address visited its library before; reading it records nothing. */
export async function lastVisit(scope: ShopScope, email: string): Promise<Date | null> {
  const [row] = await scope.query<{ previous_at: Date | null }>(
    'select previous_at from library_visits where shop_id = :shop and email = :email',
    { email },
  )
  return row?.previous_at ?? null
}

/** Deletes keys that expired a while ago and old visits, of all shops; returns their number. */
export async function sweepLibraries({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const keys = await pool.query(
    `delete from library_keys where expires_at < now() - interval '${KEPT_DAYS} days'`,
  )
  const visits = await pool.query(
    `delete from library_visits where visited_at < now() - interval '${VISITS_KEPT_MONTHS} months'`,
  )
  return (keys.rowCount ?? 0) + (visits.rowCount ?? 0)
}
