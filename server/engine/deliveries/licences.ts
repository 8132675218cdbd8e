// Licence keys, for plugins on one delivery. A key is taken by a locked update, so that two
// deliveries never get the same one; which keys a delivery has is stored with the keys, so that a
// repeated run takes no more.
import { PortError, type Licences } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { ERRORS } from '../../errors.ts'
import { readLicenceList, warnOfFewKeys } from '../../files/licence-lists.ts'
import { parsePublicId } from '../../ids.ts'

/** @param delivery a bare UUID. */
export function createLicences(scope: ShopScope, delivery: string): Licences {
  const find = async (list: string) => {
    const id = parsePublicId('licences', list)
    return id === null ? null : readLicenceList(scope, id)
  }
  return {
    find: async (list) => {
      const found = await find(list)
      return found && { name: found.name, left: found.left }
    },
    assign: async (list, file, count) => {
      const found = await find(list)
      if (!found)
        throw new PortError('licence_list_not_found', ERRORS.licence_list_not_found.message, false)
      await scope.transaction((tx) => assign(tx, { list: found, delivery, file, count }))
      // Not in the same transaction: keys that others take meanwhile would still count as free.
      await scope.transaction((tx) => warnOfFewKeys(tx, found))
    },
  }
}

interface Wanted {
  list: { id: string; name: string }
  delivery: string
  file: string
  count: number
}

async function assign(tx: ShopScope, { list, delivery, file, count }: Wanted): Promise<void> {
  const about = { list: list.id, delivery, file }
  // Two runs for the same delivery take turns: each sees what the other has taken.
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended(:delivery::text || :file::text, 0))
       where :shop > 0`,
    about,
  )
  const [has] = await tx.query<{ keys: number }>(
    `select count(*) as keys from licence_keys where shop_id = :shop and list_id = :list
       and delivery_id = :delivery and file_id = :file`,
    about,
  )
  const missing = count - has!.keys
  if (missing <= 0) return
  const taken = await tx.query(
    `with free as (
       select id from licence_keys where shop_id = :shop and list_id = :list and delivery_id is null
       order by id limit :missing for update skip locked
     ), numbered as (select id, row_number() over (order by id) as n from free)
     update licence_keys k set delivery_id = :delivery, file_id = :file, ordinal = :has + n,
       assigned_at = now()
     from numbered where k.shop_id = :shop and k.id = numbered.id returning k.id`,
    { ...about, missing, has: has!.keys },
  )
  if (taken.length < missing)
    throw new PortError(
      'licence_keys_used_up',
      `The list “${list.name}” has too few licence keys left: this delivery needs ${missing}`,
      false,
    )
}
