// Licence keys, for plugins on one delivery. A key is taken by a locked update, so that two
// deliveries never get the same one; which keys a delivery has is stored with the keys, so that a
// repeated run takes no more.
import { PortError, type Licences } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { MAX_LINE_KEYS, readLicenceList, warnOfFewKeys } from './model/licence-lists.ts'
import { parsePublicId } from '../../core/ids.ts'
import type { OrderLine } from './runs.ts'

/** @param delivery a bare UUID. */
export function createLicences(
  scope: ShopScope,
  delivery: string,
  lines: readonly OrderLine[],
): Licences {
  const find = async (list: string) => {
    const id = parsePublicId('licences', list)
    return id === null ? null : readLicenceList(scope, id)
  }
  return {
    find: async (list) => {
      const found = await find(list)
      return found && { name: found.name, left: found.left }
    },
    assign: async (list, file, per) => {
      const found = await find(list)
      if (!found)
        throw new PortError('licence_list_not_found', ERRORS.licence_list_not_found.message, false)
      const owners = per === 'file' ? [{ line: null, count: 1 }] : unitsOf(lines, file)
      await scope.transaction((tx) => assign(tx, { list: found, delivery, file, owners }))
      // Not in the same transaction: keys that others take meanwhile would still count as free.
      await scope.transaction((tx) => warnOfFewKeys(tx, found))
    },
  }
}

/** Who needs how many keys; null: the file itself. */
interface Owner {
  line: string | null
  count: number
}

const unitsOf = (lines: readonly OrderLine[], file: string): Owner[] =>
  lines
    .filter(({ files }) => files.includes(file))
    .map(({ id, quantity }) => ({ line: id, count: Math.min(quantity, MAX_LINE_KEYS) }))

interface Wanted {
  list: { id: string; name: string }
  delivery: string
  file: string
  owners: readonly Owner[]
}

async function assign(tx: ShopScope, { list, delivery, file, owners }: Wanted): Promise<void> {
  const about = { list: list.id, delivery, file }
  // Two runs for the same delivery take turns: each sees what the other has taken. An advisory lock
  // instead of the delivery's row, so that other writers of that row do not wait.
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended(:delivery::text, 0)) where :shop > 0`,
    about,
  )
  let needed = 0
  let taken = 0
  for (const { line, count } of owners) {
    // Keys of earlier versions belong to the file, also if they were assigned for its units.
    const has = await tx.one<{ keys: number; last: number }>(
      `select count(*) as keys, coalesce(max(ordinal), 0)::int as last from licence_keys
       where shop_id = :shop and list_id = :list and delivery_id = :delivery
         and (line_id = :line or line_id is null and file_id = :file)`,
      { ...about, line },
    )
    const missing = count - has.keys
    if (missing <= 0) continue
    needed += missing
    taken += await takeKeys(tx, { ...about, line, missing, last: has.last })
  }
  if (taken < needed)
    throw new PortError(
      'licence_keys_used_up',
      `The list “${list.name}” has too few licence keys left: this delivery needs ${needed}`,
      false,
    )
}

/** Takes up to `missing` keys; returns how many the list had. */
async function takeKeys(
  tx: ShopScope,
  wanted: {
    list: string
    delivery: string
    file: string
    line: string | null
    missing: number
    last: number
  },
): Promise<number> {
  const rows = await tx.query(
    `with free as (
       select id from licence_keys where shop_id = :shop and list_id = :list and delivery_id is null
       order by id limit :missing for update skip locked
     ), numbered as (select id, row_number() over (order by id) as n from free)
     update licence_keys k set delivery_id = :delivery, file_id = :file, line_id = :line,
       ordinal = :last + n, assigned_at = now()
     from numbered where k.shop_id = :shop and k.id = numbered.id returning k.id`,
    wanted,
  )
  return rows.length
}
