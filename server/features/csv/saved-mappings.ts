// Column mappings that a shop has saved under a name. A file with the same headers gets its mapping
// automatically.
import { say, type Text } from '../../../plugins/contract/index.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { countInTurn } from '../../core/db/shop-maximum.ts'
import { FIELDS, headersKey, type ColumnMapping } from './columns.ts'
import { normalizeHeader } from './headers.ts'

export interface SavedMapping {
  id: string
  name: string
  /** The headers that it applies to, as JSON. */
  headers_key: string
  mapping: ColumnMapping
  created_at: Date
  updated_at: Date
}

const MAX_SAVED = 200

/** Checks a mapping for these headers. Throws `validation_failed` with its problems. */
export function requireMapping(mapping: ColumnMapping, headers: readonly string[]): void {
  const details = FIELDS.flatMap((field, at): ErrorDetail[] => {
    const header = mapping[field]
    if (header === null) return []
    const wrong = (message: Text) => [
      { param: `mapping.${field}`, code: 'invalid_value' as const, message },
    ]
    if (!headers.includes(header)) return wrong(say('There is no column {header}', { header }))
    const other = FIELDS.slice(0, at).find((one) => mapping[one] === header)
    return other ? wrong(say('The column {header} is {other} already', { header, other })) : []
  })
  if (details[0]) throw new AppError('validation_failed', { details, param: details[0].param })
}

/** Saves the mapping under this name and replaces an earlier one with the name. */
export async function saveMapping(
  scope: ShopScope,
  { name, headers, mapping }: { name: string; headers: readonly string[]; mapping: ColumnMapping },
): Promise<SavedMapping> {
  requireMapping(mapping, headers)
  return scope.transaction(async (tx) => {
    const others = 'csv_column_mappings where shop_id = :shop and name <> :name'
    if ((await countInTurn(tx, others, { name })) >= MAX_SAVED)
      throw new AppError('too_many', {
        message: say('At most {most} mappings can be saved', { most: MAX_SAVED }),
      })
    return tx.one<SavedMapping>(
      `insert into csv_column_mappings (shop_id, name, headers_key, mapping)
         values (:shop, :name, :key, :mapping)
       on conflict (shop_id, name) do update set headers_key = excluded.headers_key,
         mapping = excluded.mapping, updated_at = now()
       returning id, name, headers_key, mapping, created_at, updated_at`,
      { name, key: headersKey(headers), mapping: JSON.stringify(mapping) },
    )
  })
}

export const listMappings = (scope: ShopScope): Promise<SavedMapping[]> =>
  scope.query(
    `select id, name, headers_key, mapping, created_at, updated_at from csv_column_mappings where shop_id = :shop
      order by name`,
  )

export async function removeMapping(scope: ShopScope, id: string): Promise<void> {
  await deleteRow(scope, 'csv_column_mappings', id)
}

/**
 * Finds the mapping that was saved last for files with these headers. It has the headers as this
 * file writes them.
 */
export async function findSavedMapping(
  scope: ShopScope,
  headers: readonly string[],
): Promise<{ name: string; mapping: ColumnMapping } | null> {
  const [saved] = await scope.query<SavedMapping>(
    `select name, mapping from csv_column_mappings where shop_id = :shop and headers_key = :key
     order by updated_at desc limit 1`,
    { key: headersKey(headers) },
  )
  if (!saved) return null
  const names = headers.map(normalizeHeader)
  const here = (header: string | null = null) =>
    header === null
      ? null
      : (headers.find((one) => one === header) ??
        headers[names.indexOf(normalizeHeader(header))] ??
        null)
  const mapping = Object.fromEntries(FIELDS.map((field) => [field, here(saved.mapping[field])]))
  return { name: saved.name, mapping: mapping as ColumnMapping }
}
