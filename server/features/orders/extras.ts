// The results of workflows for a delivery's files, shown on the order's page and in its mail:
// licence keys, and the buyer's own copies.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import { keysByFile, type ShownKey } from '../preparation/assigned-keys.ts'

export interface DeliveryExtras {
  /** In plain text: must be shown only to the buyer and to people of the shop. */
  licence_keys: readonly string[]
  /** The buyer's own copy; null: the buyer gets the file's current version. */
  copy: { size_bytes: number; content_type: string; version: number } | null
  /** Why the file is left out of the delivery; null: it is delivered. */
  left_out: string | null
}

interface PreparedRow {
  file_id: string
  status: 'waiting' | 'ready' | 'left_out'
  reason: string | null
  size_bytes: number | null
  content_type: string
  version: number
}

/**
 * By file. All ids are bare UUIDs. Files without extras are absent.
 * @param reader see `keysOfDeliveries`.
 */
export async function deliveryExtras(
  scope: ShopScope,
  secrets: Secrets,
  delivery: string,
  reader: { show: boolean },
): Promise<ReadonlyMap<string, DeliveryExtras>> {
  const rows = await scope.query<PreparedRow>(
    `select file_id, status, reason, size_bytes, content_type, version from prepared_files
     where shop_id = :shop and delivery_id = :delivery`,
    { delivery },
  )
  const keys = await keysByFile(scope, secrets, delivery, reader)
  const prepared = new Map(rows.map((row) => [row.file_id, row]))
  return new Map(
    [...new Set([...prepared.keys(), ...keys.keys()])].map((file) => [
      file,
      extrasOf(prepared.get(file), keys.get(file)),
    ]),
  )
}

const extrasOf = (
  row: PreparedRow | undefined,
  keys: readonly ShownKey[] = [],
): DeliveryExtras => ({
  licence_keys: keys.map(({ key }) => key),
  copy:
    row && row.size_bytes !== null
      ? { size_bytes: row.size_bytes, content_type: row.content_type, version: row.version }
      : null,
  left_out: row?.status === 'left_out' ? (row.reason ?? '') : null,
})
