// app/uninstalled: deletes the shop's tokens and stops serving its files. Its data is kept until
// the platform requests the deletion, 48 hours later, or the shop reinstalls the app.
import type { Database } from '../core/db/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import type { Logger } from '../core/log.ts'

/**
 * Uninstalls the app from a shop. Its links stop within a second: the update notifies every web
 * process (trigger `shops_changed`), and a missed notification costs no more than the link cache's time to
 * live. Idempotent.
 */
export async function uninstallShop(
  { database, log }: { database: Database; log: Logger },
  shop: number,
): Promise<void> {
  const uninstalled = await forShop(database, shop).transaction(uninstall)
  if (uninstalled) log.info('uninstalled a shop', { shop })
}

/**
 * Uninstalls the app in the caller's transaction; false: the shop is uninstalled already, or
 * unknown.
 */
export async function uninstall(tx: ShopScope): Promise<boolean> {
  const isUninstalled = await tx.has(
    `update shops set uninstalled_at = now() where id = :shop and uninstalled_at is null
     returning pg_notify('drop_control', 'shop ' || id)`,
  )
  await tx.query('delete from shop_tokens where shop_id = :shop')
  await tx.query('delete from token_leases where shop_id = :shop')
  return isUninstalled
}
