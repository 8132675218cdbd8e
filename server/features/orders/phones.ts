// Phone numbers of buyers whose orders have no email address. They are kept only while a text may be sent
// to them: not beside an address, and not after the delivery has ended. docs/decisions/0078.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import { normalPhone, openPhone, sealPhone } from '../messages/buyer-phone.ts'

interface OrderPhone {
  id: string
  email: string | null
  phone: string | null
}

/**
 * Writes the numbers of orders with a delivery. Call it after the orders and their deliveries were
 * written.
 */
export async function writePhones(
  tx: ShopScope,
  secrets: Secrets,
  orders: readonly OrderPhone[],
): Promise<void> {
  const numbers = new Map(
    orders.flatMap(({ id, email, phone }) => {
      const number = email === null && phone !== null ? normalPhone(phone) : null
      return number === null ? [] : [[id, number] as const]
    }),
  )
  const rows = await tx.query<{ id: string; phone: Buffer | null }>(
    `select id, phone from orders where shop_id = :shop and id = any(:ids::text[])
       and (phone is not null or id = any(:numbered::text[]))`,
    { ids: orders.map(({ id }) => id), numbered: [...numbers.keys()] },
  )
  const changed = rows.filter(({ id, phone }) => {
    const before = phone && openPhone(secrets, tx.shop, phone)
    return before !== (numbers.get(id) ?? null)
  })
  if (changed.length === 0) return
  await tx.query(
    `update orders o set phone = g.phone from unnest(:ids::text[], :phones::bytea[]) as g (id, phone)
     where o.shop_id = :shop and o.id = g.id and (g.phone is null or exists (
       select from deliveries d where d.shop_id = o.shop_id and d.order_id = o.id))`,
    {
      ids: changed.map(({ id }) => id),
      phones: changed.map(({ id }) => {
        const number = numbers.get(id)
        return number === undefined ? null : sealPhone(secrets, tx.shop, number)
      }),
    },
  )
}

/** SQL: the number of the order `o` with the delivery `d` is not needed any more. */
const NEEDLESS = `(d.revoked_at is not null or d.withdrawn_at is not null
  or coalesce(d.email, o.email) is not null)`

/**
 * Deletes the numbers of deliveries that have ended or have an email address.
 * @param orders the platform's ids; absent: all of the shop.
 */
export async function forgetPhones(tx: ShopScope, orders?: readonly string[]): Promise<void> {
  if (orders?.length === 0) return
  const which = { orders: orders ?? null }
  await tx.query(
    `update orders o set phone = null from deliveries d
     where o.shop_id = :shop and o.phone is not null and d.shop_id = o.shop_id
       and d.order_id = o.id and (:orders::text[] is null or o.id = any(:orders::text[]))
       and ${NEEDLESS}`,
    which,
  )
  await tx.query(
    `update deliveries d set phone = null from orders o
     where d.shop_id = :shop and d.phone is not null and o.shop_id = d.shop_id
       and o.id = d.order_id and (:orders::text[] is null or o.id = any(:orders::text[]))
       and ${NEEDLESS}`,
    which,
  )
}

/** Deletes all numbers that the platform named, in a shop that sends no texts any more. */
export const forgetOrderPhones = async (tx: ShopScope): Promise<void> => {
  await tx.query('update orders set phone = null where shop_id = :shop and phone is not null')
}
