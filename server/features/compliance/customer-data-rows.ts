// Answers to customers' requests for their data: sealed documents, kept for the merchant for 30
// days.
import { createHmac } from 'node:crypto'
import type { Database } from '../../core/db/database.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Buyer, CustomerRequest } from './buyer.ts'

const KEPT_DAYS = 30
/** The platform repeats a request, and a job may run twice: both get the stored answer. */
const SAME_WITHIN = '1 hour'

export interface CustomerAnswer {
  /** The bare UUID of the answer. */
  id: string
  customer_id: string | null
  order_ids: string[]
  size_bytes: number
  created_at: Date
  expires_at: Date
}

const COLUMNS = 'id, customer_id, order_ids, size_bytes, created_at, expires_at'
/** What a document is sealed for. */
export const documentPlace = (shop: number, id: string): string =>
  `${shop}/customer_data.document/${id}`

const hashesOf = (secrets: Secrets, { addresses }: Buyer): Buffer[] => {
  const key = secrets.lookupKey('customer-data')
  return addresses.map((address) => createHmac('sha256', key).update(address).digest())
}

/** SQL: documents about a person. */
const ABOUT = `(customer_id = :customerId or order_ids && :orderIds::text[]
  or addresses && :addresses::bytea[])`
const aboutPerson = (
  secrets: Secrets,
  { customerId, orderIds }: CustomerRequest,
  buyer: Buyer,
) => ({
  customerId,
  orderIds: [...orderIds],
  addresses: hashesOf(secrets, buyer),
})

/** Finds the id of the answer to the same request within the hour, or null. */
export async function recentAnswer(
  scope: ShopScope,
  secrets: Secrets,
  request: CustomerRequest,
  buyer: Buyer,
): Promise<string | null> {
  const [row] = await scope.query<{ id: string }>(
    `select id from customer_data where shop_id = :shop
       and customer_id is not distinct from :customerId
       and order_ids = :orderIds::text[] and addresses = :addresses::bytea[]
       and created_at > now() - interval '${SAME_WITHIN}' order by id desc limit 1`,
    aboutPerson(secrets, request, buyer),
  )
  return row?.id ?? null
}

/** Stores the document; returns its id and expiry. */
export async function storeAnswer(
  tx: ShopScope,
  secrets: Secrets,
  about: { request: CustomerRequest; buyer: Buyer; document: string; now: Date },
): Promise<Pick<CustomerAnswer, 'id' | 'expires_at'>> {
  const [{ id }] = (await tx.query<{ id: string }>(
    'select uuidv7() as id from shops where id = :shop',
  )) as [{ id: string }]
  const row = await tx.one<Pick<CustomerAnswer, 'id' | 'expires_at'>>(
    `insert into customer_data (shop_id, id, customer_id, order_ids, addresses, document,
       size_bytes,
       created_at, expires_at)
     values (:shop, :id, :customerId, :orderIds::text[], :addresses::bytea[], :document, :size,
       :now, :now::timestamptz + interval '${KEPT_DAYS} days') returning id, expires_at`,
    {
      ...aboutPerson(secrets, about.request, about.buyer),
      id,
      document: secrets.seal(about.document, documentPlace(tx.shop, id)),
      size: Buffer.byteLength(about.document),
      now: about.now,
    },
  )
  return row
}

/** Lists the answers, newest first. `before`: the previous page's last id. */
export const listAnswers = (
  scope: ShopScope,
  page: { before?: string; limit: number },
): Promise<CustomerAnswer[]> =>
  scope.query<CustomerAnswer>(
    `select ${COLUMNS} from customer_data where shop_id = :shop and expires_at > now()
       and (:before::uuid is null or id < :before) order by id desc limit :limit`,
    { before: page.before ?? null, limit: page.limit },
  )

/** Reads the answer and its document, as JSON; null: there is none, or it has expired. */
export async function readAnswer(
  scope: ShopScope,
  secrets: Secrets,
  id: string,
): Promise<{ answer: CustomerAnswer; document: string } | null> {
  const [row] = await scope.query<CustomerAnswer & { document: Buffer }>(
    `select ${COLUMNS}, document from customer_data
     where shop_id = :shop and id = :id and expires_at > now()`,
    { id },
  )
  if (!row) return null
  const { document, ...answer } = row
  return { answer, document: secrets.open(document, documentPlace(scope.shop, id)) }
}

export const deleteAnswer = (scope: ShopScope, id: string): Promise<boolean> =>
  scope.has('delete from customer_data where shop_id = :shop and id = :id returning id', { id })

/** Deletes all answers about a person. */
export async function dropAnswers(
  tx: ShopScope,
  secrets: Secrets,
  request: CustomerRequest,
  buyer: Buyer,
): Promise<void> {
  await tx.query(
    `delete from customer_data where shop_id = :shop and ${ABOUT}`,
    aboutPerson(secrets, request, buyer),
  )
}

/** Deletes the expired answers of all shops, and returns their number. */
export async function sweepAnswers({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rowCount } = await pool.query('delete from customer_data where expires_at < now()')
  return rowCount ?? 0
}
