// What the merchant does with an assigned key: revoke and restore it, replace it by another one, and
// end its activations. All are idempotent but the replacement.
import { say } from '../../../../plugins/contract.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { AppError } from '../../../core/errors.ts'
import { firstOf } from '../../../core/present.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { readLicenceList, warnOfFewKeys } from './licence-lists.ts'
import { supplyKeys } from './key-supply.ts'

interface LockedKey {
  id: string
  list_id: string
  delivery_id: string
  file_id: string
  line_id: string | null
  ordinal: number
  revoked_by: string | null
}

/** Throws `not_found`, and `conflict` if another key has replaced it. */
async function lockKey(tx: ShopScope, id: string): Promise<LockedKey> {
  const [key] = await tx.query<LockedKey>(
    `select id, list_id, delivery_id, file_id, line_id, ordinal, revoked_by from licence_keys
     where shop_id = :shop and id = :id and delivery_id is not null for no key update`,
    { id },
  )
  if (!key) throw new AppError('not_found')
  if (key.revoked_by === 'rotation')
    throw new AppError('conflict', { message: say('This key was replaced by another one') })
  return key
}

/** Refunds and their reversal then leave it revoked. */
export const revokeLicenceKey = (scope: ShopScope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await lockKey(tx, id)
    await tx.query(
      `update licence_keys set revoked_at = coalesce(revoked_at, now()), revoked_by = 'merchant',
         restored_at = null
       where shop_id = :shop and id = :id`,
      { id },
    )
  })

/** Refunds then leave it active. */
export const restoreLicenceKey = (scope: ShopScope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await lockKey(tx, id)
    await tx.query(
      `update licence_keys set revoked_at = null, revoked_by = null, restored_at = now()
       where shop_id = :shop and id = :id and revoked_at is not null`,
      { id },
    )
  })

/** Its buyer's programs can be activated again, up to the limit. */
export const resetActivations = (scope: ShopScope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await lockKey(tx, id)
    await tx.query('delete from licence_activations where shop_id = :shop and key_id = :id', { id })
  })

/**
 * Gives the buyer another key of the same list, which expires when the replaced one did. Copies of
 * the delivery that show keys are made again. Returns the new key's bare UUID. Throws `conflict`
 * if the list has none.
 */
export async function rotateLicenceKey(
  scope: ShopScope,
  secrets: Secrets,
  id: string,
): Promise<string> {
  const { made, list } = await scope.transaction(async (tx) => {
    const old = await lockKey(tx, id)
    if (old.revoked_by === 'refund')
      throw new AppError('conflict', { message: say('This key was refunded: restore it first') })
    const list = await readLicenceList(tx, old.list_id)
    if (!list) throw new AppError('conflict', { message: say('The list of this key was deleted') })
    await tx.query(
      `update licence_keys set revoked_at = now(), revoked_by = 'rotation'
       where shop_id = :shop and id = :id`,
      { id },
    )
    const { delivery_id: delivery, file_id: file, line_id: line, ordinal } = old
    const supplied = await supplyKeys(
      tx,
      secrets,
      list,
      { delivery, file, line, last: ordinal - 1 },
      1,
    )
    if (supplied.length === 0)
      throw new AppError('conflict', {
        message: say('The list “{name}” has no keys left: add keys first', { name: list.name }),
      })
    const made = firstOf(supplied)
    await tx.query(
      `update licence_keys k set expires_at = old.expires_at, shown_at = old.shown_at
       from licence_keys old
       where k.shop_id = :shop and k.id = :made and old.shop_id = :shop and old.id = :id`,
      { made, id },
    )
    await tx.query(
      `update prepared_files set stale = true where shop_id = :shop and delivery_id = :delivery
         and status = 'ready' and hash is not null`,
      { delivery },
    )
    return { made, list }
  })
  if (!list.generate) await scope.transaction((tx) => warnOfFewKeys(tx, list))
  return made
}
