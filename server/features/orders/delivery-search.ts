// Finds deliveries by the beginning of their buyer's address or of their order's name.
import type { Bindings, ShopScope } from '../../core/db/for-shop.ts'
import { likeLiteral } from '../../core/db/like-pattern.ts'

/** Up to this many found deliveries are replaced by their ids. */
const FEW = 5000

const EMAIL = 'lower(coalesce(d.email, o.email)) collate "C"'
const NAME = 'lower(o.name) collate "C"'

/** SQL: the ids, each kind of beginning from its own index. */
const FOUND = [
  `select b.id from orders o join deliveries b on b.shop_id = o.shop_id and b.order_id = o.id
     and b.email is null
   where o.shop_id = :shop and lower(o.email) collate "C" like :start`,
  `select b.id from deliveries b
   where b.shop_id = :shop and lower(b.email) collate "C" like :start`,
  ...['start', 'number'].map(
    (beginning) =>
      `select b.id from orders o join deliveries b on b.shop_id = o.shop_id and b.order_id = o.id
       where o.shop_id = :shop and ${NAME} like :${beginning}`,
  ),
].map((select) => `(${select} limit :most)`)

/**
 * The condition on deliveries `d` with orders `o` that a search stands for. A beginning of few
 * deliveries becomes their ids; of many, each row is tested in the order of the list.
 * @param few tests set fewer
 */
export async function conditionOfSearch(
  scope: ShopScope,
  search: string,
  few = FEW,
): Promise<{ sql: string; bindings: Bindings }> {
  const beginning = `${likeLiteral(search.toLowerCase())}%`
  const bindings = { start: beginning, number: `#${beginning}` }
  const { ids, isFew } = await scope.one<{ ids: string; isFew: boolean }>(
    `select count(*) < :most as "isFew", coalesce(array_agg(distinct id), '{}')::text as ids
     from (${FOUND.join(' union all ')}) found`,
    { ...bindings, most: few },
  )
  return isFew
    ? { sql: 'd.id = any((select :found::uuid[])::uuid[])', bindings: { found: ids } }
    : { sql: `(${EMAIL} like :start or ${NAME} like :start or ${NAME} like :number)`, bindings }
}
