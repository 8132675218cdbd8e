// Matches files without a product again when the catalog has new products, SKUs or titles.
import { SKU_SEPARATOR } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { present } from '../../core/lazy.ts'
import { withOptions } from '../../engine/steps.ts'
import type { Engine } from '../../engine/engine.ts'
import { readShop } from '../../files/shop-settings.ts'
import { catalogChannel } from '../imports/origins.ts'

const ACTION = 'map-products'
/**
 * The maximum number of files in one operation; further files follow with the next change of the
 * catalog.
 */
const MAX_FILES = 50_000

/**
 * Starts one operation over files whose import named a SKU that a product has now, and one over
 * files whose products may be guessed; both only over files that never had a product. Returns the
 * operations' UUIDs.
 * @param added how many products and SKUs are new; 0 starts nothing.
 */
export async function rematchFiles(
  engine: Engine,
  scope: ShopScope,
  added: number,
): Promise<string[]> {
  if (added === 0) return []
  const { settings } = await readShop(scope)
  const named = await filesOf(scope, WANTED_IS_KNOWN)
  const guesses = settings.match_by.some((method) => method !== 'sku')
  const open = guesses ? await filesOf(scope, MAY_BE_GUESSED, { auto_map: settings.auto_map }) : []
  // A file whose import named a SKU is matched by that SKU only, and never by a guess.
  const works = [
    { ids: named, options: { match_by: [] } },
    { ids: open, options: {} },
  ]
  const started: string[] = []
  for (const { ids, options } of works)
    if (ids.length > 0) started.push(await start(engine, scope, ids, options))
  return started
}

const WANTED_IS_KNOWN = `exists (select from variants v where v.shop_id = :shop
  and (v.sku = f.wanted_sku or v.sku = any(string_to_array(f.wanted_sku, '${SKU_SEPARATOR}'))))`
const MAY_BE_GUESSED = `f.wanted_sku is null and coalesce(f.auto_map, :auto_map::boolean)`

async function filesOf(
  scope: ShopScope,
  which: string,
  bindings: { auto_map?: boolean } = {},
): Promise<string[]> {
  const rows = await scope.query<{ id: string }>(
    `select f.id from files f where f.shop_id = :shop and f.deleted_at is null
     and f.mapping_state = 'never' and ${which}
     order by f.created_at desc, f.id desc limit :limit`,
    { limit: MAX_FILES, ...bindings },
  )
  return rows.map(({ id }) => id)
}

/**
 * Starts the operation. It was not requested by a person, so it notifies only if files got
 * products.
 */
function start(
  engine: Engine,
  scope: ShopScope,
  ids: readonly string[],
  options: object,
): Promise<string> {
  const workflow = withOptions(present(engine.workflow(ACTION), ACTION), ACTION, { ...options })
  return engine.start(scope, {
    workflow: withOptions(workflow, 'notify', { when: 'matched' }),
    channel: catalogChannel.id,
    source: { type: 'files', ids },
    request: {},
    requestedBy: 'catalog refresh',
  })
}
