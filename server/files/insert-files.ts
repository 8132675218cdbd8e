// Inserts new files whose names are free, with their first versions and mappings.
import { SETTING_NAMES, settingColumns, settingsOf } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { addMappings } from './mappings.ts'
import { contentTypeOf, extensionOf, nameKey } from './rules.ts'
import { NO_PRODUCT_OPTIONS, type Admission } from './admission.ts'
import { elementAt } from '../core/present.ts'

const SETTINGS = SETTING_NAMES.join(', ')
const TYPED_SETTINGS = Object.entries(settingColumns())
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')

/** Inserts the admissions whose names are free; the others are absent from the result. */
export async function insertFiles(
  tx: ShopScope,
  admissions: readonly Admission[],
): Promise<Map<Admission, string>> {
  if (admissions.length === 0) return new Map()
  const rows = admissions.map(
    ({ draft, staged, channel, productOptions = NO_PRODUCT_OPTIONS }, at) => ({
      at,
      wanted_sku: productOptions.sku,
      auto_map: productOptions.auto_map,
      name_key: nameKey(draft.filename),
      filename: draft.filename,
      extension: extensionOf(draft.filename),
      size_bytes: staged.size_bytes,
      content_type: contentTypeOf(draft.filename),
      hash: staged.hash,
      location: staged.location,
      channel,
      tags: draft.tags,
      ...settingsOf(draft),
      mapped: draft.mappings.length > 0,
    }),
  )
  const inserted = await tx.query<{ id: string; at: number }>(
    `with given as (
       select distinct on (name_key) *
       from jsonb_to_recordset(:rows::jsonb)
         as g(at int, name_key text collate "C", filename text, extension text,
         size_bytes bigint, content_type text, hash text, location text, channel text, tags text[],
         ${TYPED_SETTINGS}, mapped boolean, wanted_sku text, auto_map boolean)
       order by name_key, at
     ), file as (
       insert into files (shop_id, filename, name_key, extension, size_bytes, content_type, channel,
         tags, ${SETTINGS}, mapping_state, wanted_sku, auto_map, created_at)
       select :shop, filename, name_key, extension, size_bytes, content_type, channel, tags,
         ${SETTINGS}, case when mapped then 'mapped' else 'never' end, wanted_sku, auto_map,
         -- Keeps the order of one import in a list that is sorted by time.
         now() + at * interval '1 microsecond'
       from given
       on conflict (shop_id, name_key) where deleted_at is null do nothing
       returning id, name_key
     ), version as (
       insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type,
         filename)
       select :shop, file.id, 1, decode(given.hash, 'hex'), given.location, given.size_bytes,
         given.content_type, given.filename
       from file join given on given.name_key = file.name_key
     )
     select file.id, given.at from file join given on given.name_key = file.name_key`,
    { rows: JSON.stringify(rows) },
  )
  const created = new Map(inserted.map(({ id, at }) => [elementAt(admissions, at), id]))
  await addMappings(
    tx,
    [...created].flatMap(([{ draft }, id]) =>
      draft.mappings.map((mapping) => ({ fileId: id, mapping })),
    ),
  )
  return created
}
