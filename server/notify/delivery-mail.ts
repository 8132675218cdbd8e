// The mail that brings an order's files: one link to the delivery's page, in the buyer's language.
// As with links, a message stores only the delivery's id; the key is inserted when it is sent.
import type { ShopScope } from '../db/for-shop.ts'
import { queueMessages, queueMessage } from '../queue/queue.ts'
import { linkAddress } from '../files/links.ts'
import { readShop } from '../files/shop-settings.ts'
import type { Secrets } from '../secrets.ts'
import { mailLanguage, mailText } from './delivery-mail-texts.ts'
import { HIDDEN_KEY } from './link-mail.ts'
import type { Content } from './outbox.ts'
import { renderMail } from './templates.ts'

const TEMPLATE = 'order-delivery'
/** Further files are on the page. */
const MOST_NAMED = 20

interface DeliveryPayload {
  template: typeof TEMPLATE
  /** A bare UUID. */
  delivery: string
  /** `update`: a file of it has a new version. */
  about?: 'order' | 'update'
}

/** What a waiting mail brings, and why. */
export interface BroughtDelivery {
  delivery: string
  about: 'order' | 'update'
}

/** The delivery that a message is about, or null for other messages. */
export function broughtDelivery(payload: unknown): BroughtDelivery | null {
  const { template, delivery, about = 'order' } = payload as Partial<DeliveryPayload>
  return template === TEMPLATE && typeof delivery === 'string' ? { delivery, about } : null
}

/**
 * Queues the mail of a delivery (a bare UUID), before all mail that is sent in bulk. Idempotent for
 * each `occasion`. Call it in the transaction that decides to send it.
 */
export async function queueDeliveryMail(
  tx: ShopScope,
  delivery: string,
  occasion: string,
): Promise<boolean> {
  const [id] = await insertMails(tx, [delivery], occasion, null)
  if (id === undefined) return false
  await queueMessage(tx, id)
  return true
}

/** The same for many deliveries, as an operation does: behind all other mail, one after another. */
export async function queueDeliveryMails(
  tx: ShopScope,
  deliveries: readonly string[],
  about: { occasion: string; operation: string },
): Promise<number> {
  const ids = await insertMails(tx, deliveries, about.occasion, about.operation)
  await queueMessages(tx, ids)
  return ids.length
}

/** The ready deliveries with an address that contain these files (bare UUIDs), by file. */
export async function buyersOf(
  scope: ShopScope,
  files: readonly string[],
): Promise<Map<string, string[]>> {
  if (files.length === 0) return new Map()
  const rows = await scope.query<{ file_id: string; deliveries: string[] }>(
    `select df.file_id, array_agg(distinct df.delivery_id) as deliveries
     from delivery_files df
     join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
       and d.revoked_at is null and d.withdrawn_at is null and d.held_by is null
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where df.shop_id = :shop and df.file_id = any(:files::uuid[]) and not df.withdrawn
       and coalesce(d.email, o.email) is not null
     group by df.file_id`,
    { files },
  )
  return new Map(rows.map(({ file_id, deliveries }) => [file_id, deliveries]))
}

async function insertMails(
  tx: ShopScope,
  deliveries: readonly string[],
  occasion: string,
  operation: string | null,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id)
     select :shop, 'delivery/' || delivery || '/' || :occasion::text, 'email',
       jsonb_build_object('template', :template::text, 'delivery', delivery,
         'about', case when :operation::uuid is null then 'order' else 'update' end), :operation::uuid
     from unnest(:deliveries::uuid[]) delivery on conflict do nothing returning id`,
    { deliveries, template: TEMPLATE, occasion, operation },
  )
  return rows.map(({ id }) => id)
}

interface MailRow {
  id: string
  order_name: string
  email: string | null
  locale: string | null
  filenames: string[]
  files: number
  /** The last day on which every file can be downloaded. */
  expires_at: Date | null
}

/** The message of each of them, in their order, without its key. Deleted deliveries have none. */
export async function writeDeliveryMails(
  scope: ShopScope,
  brought: readonly BroughtDelivery[],
  baseUrl: string,
): Promise<(Content | null)[]> {
  if (brought.length === 0) return []
  const deliveries = brought.map(({ delivery }) => delivery)
  const { name: shop } = await readShop(scope)
  const rows = await scope.query<MailRow>(
    `select d.id, o.name as order_name, coalesce(d.email, o.email) as email, o.locale, f.filenames, f.files, f.expires_at
     from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     join lateral (
       select coalesce((array_agg(f.filename order by f.filename))[1:${MOST_NAMED}], '{}') as filenames,
         count(*)::int as files, min(l.expires_at) as expires_at
       from links p join links l on l.shop_id = p.shop_id and l.parent_id = p.id and l.revoked_at is null
       join files f on f.shop_id = l.shop_id and f.id = l.file_id and f.deleted_at is null
       where p.shop_id = d.shop_id and p.delivery_id = d.id) f on true
     where d.shop_id = :shop and d.id = any(:deliveries::uuid[])`,
    { deliveries },
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return brought.map(({ delivery, about }) => {
    const row = found.get(delivery)
    return row ? contentOf(row, about, shop, baseUrl) : null
  })
}

function contentOf(
  row: MailRow,
  about: BroughtDelivery['about'],
  shopName: string,
  baseUrl: string,
): Content {
  const language = mailLanguage(row.locale)
  const shop = oneLine(shopName)
  const values = { shop, order: oneLine(row.order_name), count: row.files }
  const date = row.expires_at?.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' })
  const text = (name: Parameters<typeof mailText>[1]) =>
    mailText(language, name, { ...values, date: date ?? '' })
  const more = row.files - row.filenames.length
  const files = row.filenames.map(oneLine)
  const data = {
    ...{ language, shop: { name: shop }, files: more > 0 ? [...files, `+ ${more}`] : files },
    subject: text(about === 'update' ? 'updateSubject' : 'subject'),
    intro: text(about === 'update' ? 'updateIntro' : 'intro'),
    button: text('button'),
    ...{ expires: date === undefined ? '' : text('expires') },
    ...{ keep: text('keep'), footer: text('footer'), address: linkAddress(baseUrl, HIDDEN_KEY) },
  }
  const mail = renderMail({ template: TEMPLATE, data }, baseUrl)
  return { ...mail, to: row.email === null ? [] : [row.email] }
}

/** The message with the key, or null when the delivery is not ready any more. */
export async function withDeliveryKey(
  scope: ShopScope,
  content: Content,
  delivery: string,
  { secrets, baseUrl }: { secrets: Secrets; baseUrl: string },
): Promise<Content | null> {
  const [link] = await scope.query<{ id: string; rotation: number }>(
    `select id, rotation from links
     where shop_id = :shop and delivery_id = :delivery and revoked_at is null`,
    { delivery },
  )
  if (!link) return null
  const key = secrets.linkKey(link.id, link.rotation)
  const fill = (text: string) =>
    text.replaceAll(linkAddress(baseUrl, HIDDEN_KEY), linkAddress(baseUrl, key))
  return {
    ...content,
    text: fill(content.text),
    ...(content.html ? { html: fill(content.html) } : {}),
  }
}

/** A name must not start a new line of the message. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
