// The shop's rules that map files by their names: `names that start with WS- belong to …`. The first
// that a name matches counts.
import {
  say,
  nameKey,
  type NamePattern,
  type NameRule,
} from '../../../../plugins/contract/index.ts'
import { deleteRow } from '../../../core/db/delete-row.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { takeTurn } from '../../../core/db/shop-maximum.ts'
import { AppError } from '../../../core/errors.ts'
import { nameMatches } from '../../../matching/name-rules.ts'
import { findProduct } from '../../../storefront/mirror/lookup.ts'

export interface MappingRuleRow extends NameRule {
  /** A bare UUID. */
  id: string
  /** Null: the product is that of a SKU. */
  product_title: string | null
  /** Of the product in the catalog; null: it is no longer there. */
  current_title: string | null
  image: string | null
  variant_title: string | null
  created_at: Date
  created_by: string
}

/** What a rule maps to: a product or one of its variants, or the product of a SKU. */
export type RuleTarget =
  | { product_id: string; variant_id: string | null; sku_template: null }
  | { product_id: null; variant_id: null; sku_template: string }

export type RuleValues = NamePattern & RuleTarget & Pick<NameRule, 'new_files'>

export const MAX_RULES = 200

/** In the shop's order. */
export const listRules = (scope: ShopScope): Promise<MappingRuleRow[]> =>
  scope.query<MappingRuleRow>(
    `select r.id, r.kind, r.text, r.product_id, r.variant_id, r.sku_template, r.new_files, r.product_title,
       r.created_at, r.created_by, p.title as current_title, p.image_url as image, v.title as variant_title
     from mapping_rules r
     left join products p on p.shop_id = r.shop_id and p.id = r.product_id
     left join variants v on v.shop_id = r.shop_id and v.id = r.variant_id
     where r.shop_id = :shop order by r.position, r.id`,
  )

/** Throws `not_found`. */
export async function requireRule(scope: ShopScope, id: string): Promise<MappingRuleRow> {
  const rule = (await listRules(scope)).find((one) => one.id === id)
  if (!rule) throw new AppError('not_found')
  return rule
}

/**
 * Creates a rule. Throws `conflict` if the shop has the same rule or the maximum number, and
 * `validation_failed` if the catalog has no such product.
 * @param place from 1; null: the last.
 */
export const createRule = (
  scope: ShopScope,
  given: RuleValues,
  { place, by }: { place: number | null; by: string },
): Promise<MappingRuleRow> =>
  scope.transaction(async (tx) => {
    const ids = await lockRules(tx)
    if (ids.length >= MAX_RULES)
      throw new AppError('conflict', {
        message: say('A shop has at most {most} rules', { most: MAX_RULES }),
      })
    const title = await titleOf(tx, given)
    const [made] = await tx.query<{ id: string }>(
      `insert into mapping_rules (shop_id, kind, text, text_key, product_id, variant_id,
         sku_template, new_files, product_title, position, created_by)
       values (:shop, :kind, :text, :key, :product_id, :variant_id, :sku_template, :new_files,
         :title, :position, :by)
       on conflict (shop_id, kind, text_key) do nothing returning id`,
      {
        ...given,
        by,
        key: nameKey(given.text),
        title,
        position: ids.length + 1,
      },
    )
    if (!made) throw taken()
    if (place !== null) await arrange(tx, moved([...ids, made.id], made.id, place))
    return requireRule(tx, made.id)
  })

/** Changes a rule; absent fields stay as they are. Throws as `createRule`, and `not_found`. */
export const changeRule = (
  scope: ShopScope,
  id: string,
  change: RuleChange,
): Promise<MappingRuleRow> =>
  scope.transaction(async (tx) => {
    const ids = await lockRules(tx)
    const old = await requireRule(tx, id)
    const { kind, text } = change.pattern ?? old
    const target = change.target ? change.target(old) : old
    const isMoved = target.product_id !== old.product_id || target.variant_id !== old.variant_id
    const title = isMoved ? await titleOf(tx, target) : old.product_title
    const key = nameKey(text)
    const same = await tx.query(
      `select from mapping_rules where shop_id = :shop and kind = :kind and text_key = :key
         and id <> :id`,
      { id, kind, key },
    )
    if (same.length > 0) throw taken()
    const { product_id, variant_id, sku_template } = target
    await tx.query(
      `update mapping_rules set kind = :kind, text = :text, text_key = :key,
         product_id = :product_id, variant_id = :variant_id, sku_template = :sku_template,
         new_files = :new_files, product_title = :title
       where shop_id = :shop and id = :id`,
      {
        id,
        kind,
        text,
        key,
        product_id,
        variant_id,
        sku_template,
        title,
        new_files: change.new_files === undefined ? old.new_files : change.new_files,
      },
    )
    if (change.place !== undefined) await arrange(tx, moved(ids, id, change.place))
    return requireRule(tx, id)
  })

export interface RuleChange {
  pattern?: NamePattern | undefined
  /** From the rule as it is. Throws `validation_failed`. */
  target?: ((old: MappingRuleRow) => RuleTarget) | undefined
  /** From 1. */
  place?: number | undefined
  /** Absent: unchanged. */
  new_files?: NameRule['new_files'] | undefined
}

/** Deletes a rule; files keep their products. Throws `not_found`. */
export async function deleteRule(scope: ShopScope, id: string): Promise<void> {
  await deleteRow(scope, 'mapping_rules', id)
}

/** The rules in their order. Two changes of the order follow each other. */
async function lockRules(tx: ShopScope): Promise<string[]> {
  await takeTurn(tx)
  const rows = await tx.query<{ id: string }>(
    'select id from mapping_rules where shop_id = :shop order by position, id',
  )
  return rows.map(({ id }) => id)
}

function moved(ids: readonly string[], id: string, place: number): string[] {
  const others = ids.filter((one) => one !== id)
  return others.toSpliced(Math.max(0, place - 1), 0, id)
}

const arrange = (tx: ShopScope, ids: readonly string[]) =>
  tx.query(
    `update mapping_rules r set position = g.place
     from unnest(:ids::uuid[]) with ordinality as g (id, place)
     where r.shop_id = :shop and r.id = g.id`,
    { ids },
  )

/**
 * The title of the product, as it is now; null: a SKU names the product. Throws
 * `validation_failed` if the catalog has no such product.
 */
async function titleOf(
  scope: ShopScope,
  { product_id, variant_id }: Pick<NameRule, 'product_id' | 'variant_id'>,
): Promise<string | null> {
  if (product_id === null) return null
  const product = await findProduct(scope, product_id, variant_id)
  if (product) return product.product_title
  const message = say('The catalog has no such product')
  const details = [{ param: 'product_id', code: 'invalid_value', message } as const]
  throw new AppError('validation_failed', { param: 'product_id', details })
}

const taken = () =>
  new AppError('conflict', {
    param: 'pattern',
    message: say('Another rule is about the same names'),
  })

export interface MatchedFiles {
  /** All files that match. */
  files: number
  /** Of them, those that never had a product: `apply` maps them. */
  unmapped: number
  /** Names of some of them. */
  examples: string[]
}

const EXAMPLES = 3
/** The most files that one application of a rule maps. */
const MAX_APPLIED = 50_000
/** A file whose import named a SKU is matched by that SKU only. */
const UNMAPPED = `f.mapping_state = 'never' and f.wanted_sku is null`

export async function countMatches(scope: ShopScope, pattern: NamePattern): Promise<MatchedFiles> {
  const { sql, bindings } = nameMatches(pattern)
  const matching = `from files f where f.shop_id = :shop and f.deleted_at is null and ${sql}`
  const [counts, examples] = await Promise.all([
    scope.one<{ files: number; unmapped: number }>(
      `select count(*) as files, count(*) filter (where ${UNMAPPED}) as unmapped ${matching}`,
      bindings,
    ),
    scope.query<{ filename: string }>(
      `select filename ${matching} order by f.created_at desc, f.id desc limit :limit`,
      { ...bindings, limit: EXAMPLES },
    ),
  ])
  return { ...counts, examples: examples.map(({ filename }) => filename) }
}

/** Bare UUIDs of the files without a product that match, newest first. */
export async function unmappedMatches(scope: ShopScope, pattern: NamePattern): Promise<string[]> {
  const { sql, bindings } = nameMatches(pattern)
  const rows = await scope.query<{ id: string }>(
    `select f.id from files f where f.shop_id = :shop and f.deleted_at is null and ${UNMAPPED}
       and ${sql}
     order by f.created_at desc, f.id desc limit :limit`,
    { ...bindings, limit: MAX_APPLIED },
  )
  return rows.map(({ id }) => id)
}
