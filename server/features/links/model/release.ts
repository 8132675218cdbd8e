// SQL of the terms of time: when a file becomes available through a link, and whether its customer
// has the tag that the file requires.

/**
 * SQL: when the file `f` becomes available to a buyer who bought at `bought`. Null: its file has no
 * such term. `s` is the shop's row.
 */
const releaseOf = (bought: string): string => `greatest(
    f.available_from::timestamp at time zone coalesce(s.settings ->> 'time_zone', 'UTC'),
    ${bought} + f.available_after_days * interval '24 hours')`

/** SQL: the same if it is after `now`; null: the file is available already. */
export const laterReleaseOf = (bought: string, now: string): string =>
  `nullif(greatest(${releaseOf(bought)}, ${now}), ${now})`

/** SQL: the tag that the link `l` requires, if it needs one: that of one buyer, or the file's. */
export const requiredTag = (l: string): string => `coalesce(${l}.own_tag, f.customer_tag)`

/** SQL: a customer `o.customer_id` has the tag that the link `l` requires. */
const hasTag = (l: string): string => `exists (select from customer_tags g
  where g.shop_id = o.shop_id and g.customer_id = o.customer_id
    and lower(${requiredTag(l)}) = any(g.tags))`

/** SQL: the file `f` may be had through the link `l` under a delivery's page, as for its tag. */
export const tagAllows = (l: string): string => `(not ${l}.needs_tag or ${requiredTag(l)} is null
  or exists (select from links page
    join deliveries d on d.shop_id = page.shop_id and d.id = page.delivery_id
    join orders o on o.shop_id = d.shop_id and o.id = d.order_id
    where page.shop_id = ${l}.shop_id and page.id = ${l}.parent_id and ${hasTag(l)}))`

/** Why a customer tag closes a file to its buyer; null: it does not. */
export type TagProblem = 'missing' | 'guest'

/** SQL: `TagProblem` of the file `f` and its link `l` under the delivery of the order `o`. */
export const tagProblemOf = (l: string): string => `case
  when ${l}.needs_tag and ${requiredTag(l)} is not null then
    case when o.customer_id is null then 'guest' when not ${hasTag(l)} then 'missing' end end`
