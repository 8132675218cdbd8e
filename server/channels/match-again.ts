// Files that found no product are matched again when the catalog has learned of products.
import type { ShopScope } from '../db/for-shop.ts'
import type { Engine } from '../engine/engine.ts'
import { readShop } from '../files/shop-settings.ts'

const WORKFLOW = 'map-products'
/** The rest come with the next products. */
const MOST_FILES = 50_000

/**
 * Starts one operation over the files that never had a product, where there are some and the shop guesses; gives its UUID. Files
 * that someone took off their products stay as they are.
 * @param added how many products are new.
 */
export async function matchAgain(engine: Engine, scope: ShopScope, added: number): Promise<string | null> {
  if (added === 0) return null
  const { settings } = await readShop(scope)
  if (!settings.auto_map || settings.match_by.every((method) => method === 'sku')) return null
  const ids = await scope.query<{ id: string }>(
    `select id from files where shop_id = :shop and deleted_at is null and mapping_state = 'never'
     order by created_at desc, id desc limit :most`,
    { most: MOST_FILES },
  )
  if (ids.length === 0) return null
  return engine.start(scope, {
    workflow: engine.workflow(WORKFLOW)!,
    channel: 'catalog',
    source: { type: 'files', ids: ids.map(({ id }) => id) },
    request: {},
    requestedBy: 'catalog refresh',
  })
}
