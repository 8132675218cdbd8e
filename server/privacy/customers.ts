// The platform's demands about one customer: hand out what is known of them, or erase it. A customer
// is found by their address, by the platform's id, and by the orders that the platform names.
import Handlebars from 'handlebars'
import type { ShopScope } from '../db/for-shop.ts'
import { likeLiteral } from '../db/like-pattern.ts'
import { queueMessage } from '../queue/queue.ts'
import { raiseNotice } from '../files/notices.ts'
import { readShop } from '../files/shop-settings.ts'
import type { ApplyChange } from '../storefront/webhooks/apply.ts'
import { ADDRESS_COLUMNS } from './personal-columns.ts'

/** As `topics.ts` takes it from the webhook. */
export interface Customer {
  customer: string | null
  email: string | null
  /** Ids of orders. */
  orders: readonly string[]
}

const ERASED = 'erased@customer.invalid'

/** SQL: the orders `o` of the customer. */
const THEIRS = `(o.id = any(:orders::text[]) or o.customer_id = :customer or lower(o.email) = any(:emails::text[]))`

export const eraseCustomer: ApplyChange = async (scope, { payload }) => {
  await scope.transaction((tx) => erase(tx, payload as Customer))
  return null
}

async function erase(tx: ShopScope, given: Customer): Promise<void> {
  const found = await findCustomer(tx, given)
  await tx.query(
    `delete from artifacts a using links l
     where a.shop_id = :shop and l.shop_id = a.shop_id and l.operation_id = a.operation_id
       and lower(l.email) = any(:emails::text[])`,
    found,
  )
  await tx.query(
    `update downloads d set address = '', agent = '' from links l
     where d.shop_id = :shop and l.shop_id = d.shop_id and l.id = d.link_id
       and (lower(l.email) = any(:emails::text[]) or l.parent_id in (select p.id from links p
         join deliveries v on v.shop_id = p.shop_id and v.id = p.delivery_id
         join orders o on o.shop_id = v.shop_id and o.id = v.order_id where p.shop_id = :shop and ${THEIRS}))`,
    found,
  )
  // Replies that may contain the addresses of links are kept for a day: they are sealed.
  await tx.query('delete from idempotency_keys where shop_id = :shop and reply is not null')
  await tx.query(
    `update deliveries d set email = null, ask = null from orders o
     where d.shop_id = :shop and o.shop_id = d.shop_id and o.id = d.order_id and ${THEIRS}`,
    found,
  )
  await tx.query(
    `update links set email = null where shop_id = :shop and lower(email) = any(:emails::text[])`,
    found,
  )
  await tx.query(
    `update orders o set email = null, customer_id = null, locale = null
     where o.shop_id = :shop and ${THEIRS}`,
    found,
  )
  for (const email of found.emails) await replaceEverywhere(tx, email)
}

interface Found {
  orders: readonly string[]
  customer: string | null
  /** In lower case: the one that the platform names, and those that their orders have. */
  emails: string[]
  [name: string]: unknown
}

async function findCustomer(tx: ShopScope, given: Customer): Promise<Found> {
  const named = given.email === null ? [] : [given.email.toLowerCase()]
  const found = { orders: given.orders, customer: given.customer, emails: named }
  const rows = await tx.query<{ email: string }>(
    `select distinct lower(e.email) as email from orders o
     left join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id,
     lateral (values (o.email), (d.email), (d.ask ->> 'email')) as e (email)
     where o.shop_id = :shop and e.email is not null and ${THEIRS}`,
    found,
  )
  return { ...found, emails: [...new Set([...named, ...rows.map(({ email }) => email)])] }
}

/** The address in every text that may contain it, also as HTML and as JSON write it. */
async function replaceEverywhere(tx: ShopScope, email: string): Promise<void> {
  const forms = new Set([
    email,
    Handlebars.escapeExpression(email),
    JSON.stringify(email).slice(1, -1),
  ])
  for (const form of forms)
    for (const [table, columns] of Object.entries(ADDRESS_COLUMNS))
      for (const column of columns) {
        const type = JSONB.has(`${table}.${column}`) ? '::jsonb' : ''
        await tx.query(
          `update ${table} set ${column} = regexp_replace(${column}::text, :pattern, :erased, 'gi')${type}
           where shop_id = :shop and ${column}::text ilike :like`,
          { pattern: literal(form), erased: ERASED, like: `%${likeLiteral(form)}%` },
        )
      }
}

const TEXTS = new Set([
  ...['links.email', 'orders.email', 'deliveries.email', 'outbox.error', 'notices.title'],
  ...['notices.body', 'operations.label', 'workflows.name', 'schedules.name'],
])
/** Columns of documents; the others are texts. */
const JSONB = new Set(
  Object.entries(ADDRESS_COLUMNS)
    .flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`))
    .filter((name) => !TEXTS.has(name)),
)

/** A text as a regular expression of PostgreSQL that matches it alone. */
const literal = (text: string) => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')

/** Writes what is known of the customer to the shop, which hands it on. */
export const handOutCustomer: ApplyChange = async (scope, { payload, subject }) => {
  await scope.transaction(async (tx) => {
    const found = await findCustomer(tx, payload as Customer)
    const data = await dataOf(tx, found)
    const { name, settings } = await readShop(tx)
    const title = 'A customer asks for their data'
    const text = JSON.stringify(data, null, 2)
    await raiseNotice(tx, {
      ...{ level: 'warning', title, operation_id: null },
      body: 'The platform has passed on a customer’s request for their data. It was sent to your notification recipients: hand it on within 30 days.',
    })
    if (settings.recipients.length === 0) return
    const mail = { template: 'customer-data', data: { shop: { name }, title, text } }
    const [row] = await tx.query<{ id: string }>(
      `insert into outbox (shop_id, key, kind, payload) values (:shop, :key, 'email', :mail)
       on conflict do nothing returning id`,
      { key: `customer-data/${subject}`, mail: JSON.stringify(mail) },
    )
    if (row) await queueMessage(tx, row.id)
  })
  return null
}

async function dataOf(tx: ShopScope, found: Found): Promise<object> {
  const orders = await tx.query(
    `select o.id, o.name, o.email, o.locale, o.ordered_at, d.email as corrected_email, d.opened_at, d.ask,
       (select json_agg(json_build_object('title', l.title, 'quantity', l.quantity) order by l.position)
        from order_lines l where l.shop_id = o.shop_id and l.order_id = o.id) as lines
     from orders o left join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id
     where o.shop_id = :shop and ${THEIRS} order by o.ordered_at`,
    found,
  )
  const links = await tx.query(
    `select f.filename, l.email, l.created_at, l.expires_at, l.download_limit, l.downloads, l.last_download_at
     from links l left join files f on f.shop_id = l.shop_id and f.id = l.file_id
     where l.shop_id = :shop and lower(l.email) = any(:emails::text[]) order by l.id`,
    found,
  )
  const downloads = await tx.query(
    `select f.filename, d.at, d.address, d.agent
     from links l join downloads d on d.shop_id = l.shop_id and d.link_id = l.id and d.file_id = l.file_id
     join files f on f.shop_id = l.shop_id and f.id = l.file_id
     where l.shop_id = :shop and lower(l.email) = any(:emails::text[]) order by d.at`,
    found,
  )
  const messages = await tx.query(
    `select result ->> 'subject' as subject, status, created_at, sent_at from outbox m
     where m.shop_id = :shop and exists (select from jsonb_array_elements_text(coalesce(result -> 'to', '[]')) t (address)
       where lower(t.address) = any(:emails::text[])) order by id`,
    found,
  )
  return { addresses: found.emails, orders, links, downloads, messages }
}
