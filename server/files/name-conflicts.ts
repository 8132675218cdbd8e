// Resolves an admission whose name another file has: by a numbered name, a new version,
// overwriting, or a refusal.
import { SETTING_NAMES, settingColumns, settingsOf } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { zip, elementAt } from '../core/lazy.ts'
import { addMappings } from './mappings.ts'
import { findNameOwners } from './name-allocation.ts'
import { MIN_NUMBERS, FIRST_NUMBER, freeNames, numberedNames } from './numbered-names.ts'
import { nameKey, contentTypeOf, extensionOf } from './rules.ts'
import {
  admittedTags,
  admittedTagsProblem,
  NO_PRODUCT_OPTIONS,
  refusedAdmission,
  type Admission,
  type AdmissionResult,
} from './admission.ts'
import { admitVersion } from './admit-version.ts'
import { changeAsStated } from './present-bytes.ts'

const LAST_NUMBER = 1_000_000
const MAX_NUMBERS = 5000

/** SQL: another operation has claimed the file. */
const CLAIMED =
  'exists (select from file_claims c where c.shop_id = files.shop_id and c.file_id = files.id)'

/** SQL: the file has products. */
const MAPPED = `mapping_state = 'mapped' as mapped`

interface ExistingFile {
  id: string
  filename: string
  version: number
  mapped: boolean
  claimed: boolean
  tags: string[]
}

export async function resolveConflict(
  tx: ShopScope,
  admission: Admission,
): Promise<AdmissionResult> {
  if (admission.onConflict === 'error') return refusedAdmission('duplicate_filename')
  if (admission.onConflict === 'rename') return admitRenamed(tx, admission)
  const { filename } = admission.draft
  const [existing] = await tx.query<ExistingFile>(
    `select id, filename, version, tags, ${MAPPED}, ${CLAIMED} as claimed from files
     where shop_id = :shop and name_key = :key
      and deleted_at is null for update`,
    { key: nameKey(filename) },
  )
  if (!existing) return resolveFreed(tx, admission)
  if (admission.onConflict === 'skip') return { status: 'left_out', existing: existing.id }
  if (existing.claimed) return refusedAdmission('file_in_use')
  if (admission.onConflict === 'new_version')
    return addVersionTo(tx, { ...existing, filename }, admission)
  const { id: fileId, mapped } = existing
  const tags = admittedTags(existing.tags, admission)
  const problem = admittedTagsProblem(tags)
  if (problem) return { status: 'refused', ...problem }
  await admitVersion(tx, fileId, admission.staged)
  await overwriteRecord(tx, fileId, { ...admission, draft: { ...admission.draft, tags } })
  const has = mapped || admission.draft.mappings.length > 0
  return { status: 'replaced', fileId, filename, mapped: has }
}

export async function replaceBytes(
  tx: ShopScope,
  id: string,
  admission: Pick<
    Admission,
    'draft' | 'staged' | 'states' | 'tagsRemoved' | 'packsRemoved' | 'replaces'
  >,
): Promise<AdmissionResult> {
  const [file] = await tx.query<ExistingFile>(
    `select id, filename, version, tags, ${MAPPED}, ${CLAIMED} as claimed from files
     where shop_id = :shop and id = :id and deleted_at is null for update`,
    { id },
  )
  if (!file) return refusedAdmission('file_not_found')
  if (file.claimed) return refusedAdmission('file_in_use')
  return addVersionTo(tx, file, admission)
}

/** Adds a version, and writes what the admission's source states in addition to the bytes. */
async function addVersionTo(
  tx: ShopScope,
  { id: fileId, filename, version: before, mapped }: ExistingFile,
  admission: Pick<
    Admission,
    'draft' | 'staged' | 'states' | 'tagsRemoved' | 'packsRemoved' | 'replaces'
  >,
): Promise<AdmissionResult> {
  const stated = await changeAsStated(tx, fileId, admission)
  if ('code' in stated) return { status: 'refused', ...stated }
  const version = await admitVersion(tx, fileId, admission.staged)
  return { status: 'versioned', fileId, filename, before, version, mapped, ...stated }
}

/** The name became free between the insert and the look-up. */
async function resolveFreed(tx: ShopScope, admission: Admission): Promise<AdmissionResult> {
  const id = (await insertFiles(tx, [admission])).get(admission)
  return id
    ? { status: 'created', fileId: id, filename: admission.draft.filename }
    : refusedAdmission('duplicate_filename')
}

/**
 * Creates files under numbered names where their names are taken; admissions whose numbered names
 * were taken too are absent.
 */
export async function admitNumbered(
  tx: ShopScope,
  admissions: readonly Admission[],
): Promise<Map<Admission, AdmissionResult>> {
  if (admissions.length === 0) return new Map()
  const names = await freeNames(
    tx,
    admissions.map(({ draft }) => draft.filename),
  )
  const renamed = zip(admissions, names).flatMap(([admission, filename]) =>
    filename === null
      ? []
      : [{ admission, own: { ...admission, draft: { ...admission.draft, filename } } }],
  )
  const created = await insertFiles(
    tx,
    renamed.map(({ own }) => own),
  )
  const results = new Map<Admission, AdmissionResult>()
  for (const { admission, own } of renamed) {
    const fileId = created.get(own)
    if (fileId) results.set(admission, { status: 'created', fileId, filename: own.draft.filename })
  }
  return results
}

async function admitRenamed(tx: ShopScope, admission: Admission): Promise<AdmissionResult> {
  let count = MIN_NUMBERS
  for (
    let from = FIRST_NUMBER;
    from <= LAST_NUMBER;
    from += count, count = Math.min(4 * count, MAX_NUMBERS)
  ) {
    const names = numberedNames(admission.draft.filename, from, count)
    const taken = await findNameOwners(tx, names.map(nameKey))
    for (const filename of names.filter((name) => !taken.has(nameKey(name)))) {
      // Another transaction may have taken the numbered name in the meantime.
      const renamed = { ...admission, draft: { ...admission.draft, filename } }
      const id = (await insertFiles(tx, [renamed])).get(renamed)
      if (id) return { status: 'created', fileId: id, filename }
    }
  }
  return refusedAdmission('duplicate_filename')
}

/**
 * Overwriting also replaces settings and tags and drops older versions; the file keeps its
 * products.
 */
async function overwriteRecord(
  tx: ShopScope,
  fileId: string,
  { draft, productOptions = NO_PRODUCT_OPTIONS }: Admission,
): Promise<void> {
  const { mappings, ...settings } = draft
  delete settings.packs
  delete settings.new_packs
  const wanted = { wanted_sku: productOptions.sku, auto_map: productOptions.auto_map }
  const state = mappings.length > 0 ? { mapping_state: 'mapped' } : {}
  await tx
    .from('files')
    .where('id', fileId)
    .update({ ...settings, ...state, ...wanted, name_key: nameKey(draft.filename) } as never)
  await addMappings(
    tx,
    mappings.map((mapping) => ({ fileId, mapping })),
  )
  await tx.query(
    `delete from versions using files
     where versions.shop_id = :shop and versions.file_id = :file and files.shop_id = :shop
       and files.id = :file
       and versions.number <> files.version`,
    { file: fileId },
  )
}

// Inserts new files whose names are free, with their first versions and mappings.

const SETTINGS = SETTING_NAMES.join(', ')
const TYPED_SETTINGS = Object.entries(settingColumns())
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')

const newRowOf = ({ draft, staged, channel, productOptions = NO_PRODUCT_OPTIONS }: Admission) => ({
  wanted_sku: productOptions.sku,
  auto_map: productOptions.auto_map,
  name_key: nameKey(draft.filename),
  filename: draft.filename,
  extension: extensionOf(draft.filename),
  size_bytes: staged.size_bytes,
  content_type: contentTypeOf(draft.filename),
  hash: staged.hash,
  location: staged.location,
  source: staged.source ?? null,
  channel,
  tags: draft.tags,
  ...settingsOf(draft),
  mapped: draft.mappings.length > 0,
})

/** Inserts the admissions whose names are free; the others are absent from the result. */
export async function insertFiles(
  tx: ShopScope,
  admissions: readonly Admission[],
): Promise<Map<Admission, string>> {
  if (admissions.length === 0) return new Map()
  const rows = admissions.map((admission, at) => ({ at, ...newRowOf(admission) }))
  const inserted = await tx.query<{ id: string; at: number }>(
    `with given as (
       select distinct on (name_key) *
       from jsonb_to_recordset(:rows::jsonb)
         as g(at int, name_key text collate "C", filename text, extension text,
         size_bytes bigint, content_type text, hash text, location text, source jsonb, channel text,
         tags text[],
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
         filename, source)
       select :shop, file.id, 1, decode(given.hash, 'hex'), given.location, given.size_bytes,
         given.content_type, given.filename, given.source
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
