// Addresses of buyers that do not exist, as a mail server said: nothing more is sent to them until the
// shop corrects or allows them. Repeated mails to unknown addresses make receivers distrust the sender.
// Addresses that reported a mail as spam get no news, but still what they bought.
import { type AnyText, sayPlain, type Text } from '../../../plugins/contract/index.ts'
import { reasonColumns } from '../../core/texts.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { DeliveryResult } from '../../core/outbox/outbox.ts'

/** The result of a mail to a blocked address. */
export const BLOCKED: DeliveryResult & { status: 'failed' } = {
  status: 'failed',
  reason: sayPlain(
    'An earlier mail to this address came back, because it does not exist. Correct the address, or allow it again',
  ),
  blocked: true,
}

/** The result of news to an address that reported a mail as spam. */
export const COMPLAINED: DeliveryResult & { status: 'failed' } = {
  status: 'failed',
  reason: sayPlain(
    'This address reported a mail as spam, so it gets no mails about new versions and added files. Send it from the delivery, or allow the address again',
  ),
}

/** `news`: mails that the buyer can do without are not sent. */
export type BlockKind = 'all' | 'news'

/** Those of the addresses that are blocked, in lower case. */
export async function blockedAmong(
  scope: ShopScope,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, BlockKind>> {
  if (addresses.length === 0) return new Map()
  const rows = await scope.query<{ email: string; complaint: boolean }>(
    'select email, complaint from mail_blocks where shop_id = :shop and email = any(:emails::text[])',
    { emails: addresses.map((address) => address.toLowerCase()) },
  )
  return new Map(rows.map(({ email, complaint }) => [email, complaint ? 'news' : 'all']))
}

export async function blockAddress(
  tx: ShopScope,
  email: string,
  because: AnyText,
  kind: BlockKind = 'all',
): Promise<void> {
  const { reason, reasonText } = reasonColumns(because)
  await tx.query(
    `insert into mail_blocks as b (shop_id, email, reason, reason_text, complaint)
     values (:shop, lower(:email), :reason, :reasonText, :complaint)
     on conflict (shop_id, email) do update set reason = excluded.reason,
       reason_text = excluded.reason_text, complaint = false
     where b.complaint and not excluded.complaint`,
    { email, reason, reasonText, complaint: kind === 'news' },
  )
}

/** Idempotent. Mails to the address are sent again, and deliveries to it can be reached. */
export async function allowAddress(scope: ShopScope, email: string): Promise<boolean> {
  return scope.transaction(async (tx) => {
    const rows = await tx.query(
      'delete from mail_blocks where shop_id = :shop and email = lower(:email) returning 1',
      { email },
    )
    await tx.query(
      `update deliveries d set bounced_at = null from orders o
       where d.shop_id = :shop and d.bounced_at is not null and o.shop_id = d.shop_id
         and o.id = d.order_id and lower(coalesce(d.email, o.email)) = lower(:email)`,
      { email },
    )
    return rows.length > 0
  })
}

export interface BlockedAddress {
  email: string
  reason: string
  reason_text: Text | null
  /** It reported a mail as spam: only news is not sent to it. */
  complaint: boolean
  created_at: Date
}

/** In the order of the addresses, after the given one. */
export const listBlocked = (
  scope: ShopScope,
  page: { limit: number; after?: string | undefined },
): Promise<BlockedAddress[]> =>
  scope.query<BlockedAddress>(
    `select email, reason, reason_text, complaint, created_at from mail_blocks where shop_id = :shop
       and (:after::text is null or email > :after::text) order by email limit :limit`,
    { limit: page.limit, after: page.after ?? null },
  )

/**
 * Marks the deliveries of these messages (bare UUIDs): their last mail did not arrive. Messages
 * about other things are ignored.
 */
export async function markBounced(tx: ShopScope, messages: readonly string[]): Promise<void> {
  await tx.query(
    `update deliveries d set bounced_at = now() from outbox m
     where m.shop_id = :shop and m.id = any(:messages::uuid[]) and d.shop_id = m.shop_id
       and d.id = (m.payload ->> 'delivery')::uuid
       -- Another address was entered in the meantime.
       and (m.result is null or coalesce(d.email, (select o.email from orders o
         where o.shop_id = d.shop_id and o.id = d.order_id)) = any(select
           jsonb_array_elements_text(m.result -> 'to')))`,
    { messages },
  )
}
