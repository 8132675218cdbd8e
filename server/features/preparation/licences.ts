// Licence keys, for plugins on one delivery. Which keys a delivery has is stored with the keys, so
// that a repeated run takes no more.
import { PortError, say, type Licences } from '../../../plugins/contract/index.ts'
import { type ShopScope, lockUntilCommit } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import { parsePublicId } from '../../core/ids.ts'
import { supplyKeys } from './key-supply.ts'
import {
  IS_CURRENT_KEY,
  MAX_LINE_KEYS,
  openKey,
  readLicenceList,
  warnOfFewKeys,
  type LicenceList,
} from './licence-lists.ts'
import type { DeliveryRun, OrderLine } from './runs.ts'

/** Keys that units of a delivered file still wait for. */
export interface LackingKeys {
  /** The list's name. */
  list: string
  count: number
}

/**
 * @param delivery a bare UUID.
 * @param lacks called when units were added to a file that has keys, and the list has too few for
 *   them: the file stays as it is, and only these units wait.
 */
export function createLicences(
  scope: ShopScope,
  secrets: Secrets,
  { delivery_id: delivery, about: { lines } }: Pick<DeliveryRun, 'delivery_id' | 'about'>,
  lacks: (lacking: LackingKeys) => void,
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
      const count = await scope.transaction((tx) =>
        assign(tx, secrets, { list: found, delivery, file, owners }),
      )
      if (count > 0) lacks({ list: found.name, count })
      // Not in the same transaction: keys that others take meanwhile would still count as free.
      if (!found.generate) await scope.transaction((tx) => warnOfFewKeys(tx, found))
    },
    keysOf: async (file) => {
      const own = lines.filter(({ files }) => files.includes(file)).map(({ id }) => id)
      const rows = await scope.query<{ sealed: Buffer }>(
        `select k.sealed from licence_keys k
         where k.shop_id = :shop and k.delivery_id = :delivery and ${IS_CURRENT_KEY}
           and (k.line_id = any(:own::text[]) or k.line_id is null and k.file_id = :file)
         order by k.list_id, k.line_id, k.ordinal`,
        { delivery, file, own },
      )
      return rows.map(({ sealed }) => openKey(secrets, scope.shop, sealed))
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

interface WantedKeys {
  list: LicenceList
  delivery: string
  file: string
  owners: readonly Owner[]
}

/**
 * The first keys of a file are assigned all or none.
 * @returns how many keys are lacking for units that were added to a file with keys.
 */
async function assign(
  tx: ShopScope,
  secrets: Secrets,
  { list, delivery, file, owners }: WantedKeys,
): Promise<number> {
  const about = { list: list.id, delivery, file }
  // Two runs for the same delivery take turns: each sees what the other has taken. An advisory lock
  // instead of the delivery's row, so that other writers of that row do not wait.
  await lockUntilCommit(tx, `licences/${delivery}`)
  let needed = 0
  let taken = 0
  let there = 0
  for (const { line, count } of owners) {
    // A key of the file counts for each unit: its workflow gave one for each file when it ran before.
    const has = await tx.one<{ keys: number; last: number }>(
      `select count(*) as keys, coalesce(max(k.ordinal), 0)::int as last from licence_keys k
       where k.shop_id = :shop and k.list_id = :list and k.delivery_id = :delivery
         and (k.line_id = :line or k.line_id is null and k.file_id = :file) and ${IS_CURRENT_KEY}`,
      { ...about, line },
    )
    there += has.keys
    const missing = count - has.keys
    if (missing <= 0) continue
    needed += missing
    const owner = { delivery, file, line, last: has.last }
    taken += (await supplyKeys(tx, secrets, list, owner, missing)).length
  }
  if (taken < needed && there === 0)
    throw new PortError(
      'licence_keys_used_up',
      say('The list “{list}” has too few licence keys left: this delivery needs {count}', {
        list: list.name,
        count: needed,
      }),
      false,
    )
  return needed - taken
}
