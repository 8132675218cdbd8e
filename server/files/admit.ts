// The only entry points for bytes: `admitFiles` creates files, and `admitVersion` gives an existing
// file new bytes. Both decide name, size, type and conflicts for every channel, and run inside the
// caller's transaction.
import {
  packNameProblem,
  SETTING_NAMES,
  settingColumns,
  settingsOf,
  type StagedBlob,
} from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { Draft } from './drafts.ts'
import { addMappings } from './mappings.ts'
import { findNameOwners } from './name-allocation.ts'
import { FEWEST_NUMBERS, FIRST_NUMBER, freeNames } from './numbered-names.ts'
import { placeInPacks } from './packs.ts'
import { ensurePublicAddresses } from './public-addresses.ts'
import { refusedByQuota, type ShopQuotas } from './quotas.ts'
import {
  contentTypeOf,
  extensionOf,
  filenameProblem,
  MAX_TAGS,
  nameKey,
  numberedName,
  tagProblem,
} from './rules.ts'

const SETTINGS = SETTING_NAMES.join(', ')
const TYPED_SETTINGS = Object.entries(settingColumns())
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')

export type OnConflict = 'error' | 'rename' | 'overwrite' | 'new_version'

export interface Admission {
  draft: Draft
  staged: StagedBlob
  onConflict: OnConflict
  /** The file whose next version it becomes; its name is ignored. */
  replaces?: string | undefined
  channel: string
  /**
   * What its import says about products, kept for SKUs that the catalog does not know yet. Absent:
   * nothing.
   */
  wishes?: ProductWishes
}

export interface ProductWishes {
  sku: string | null
  /** Whether to guess; null: the shop's setting decides. */
  auto_map: boolean | null
}

/** Without the shop's quotas, nothing is limited by them. */
export type AdmissionLimits = { file_bytes: number } & Partial<ShopQuotas>

const NO_WISHES: ProductWishes = { sku: null, auto_map: null }

export type Admitted =
  | { status: 'created' | 'replaced'; fileId: string; filename: string }
  | { status: 'versioned'; fileId: string; filename: string; before: number; version: number }
  | { status: 'refused'; code: ErrorCode; message: string }

const LAST_NUMBER = 1_000_000
const MOST_NUMBERS = 5000

/**
 * Creates a file for each admission, in the order given, and gives one result for each. A refused
 * admission changes nothing and does not affect the others.
 */
export async function admitFiles(
  tx: ShopScope,
  admissions: readonly Admission[],
  limits: AdmissionLimits,
): Promise<Admitted[]> {
  const results = admissions.map((admission) => refusal(admission, limits))
  const open = () => admissions.flatMap((admission, at) => (results[at] ? [] : [{ admission, at }]))
  const quota = open()
  const refusals = await refusedByQuota(tx, quota.map(wantedOf), limits)
  refusals.forEach((one, n) => {
    if (one) results[quota[n]!.at] = { status: 'refused', ...one }
  })
  await holdBlobs(
    tx,
    open().map(({ admission }) => admission.staged),
  )
  for (const { admission, at } of open())
    if (admission.replaces !== undefined)
      results[at] = await replaceBytes(tx, admission.replaces, admission.staged)
  const created = await insertFiles(
    tx,
    open().map(({ admission }) => admission),
  )
  for (const { admission, at } of open()) {
    const id = created.get(admission)
    if (id) results[at] = { status: 'created', fileId: id, filename: admission.draft.filename }
  }
  // The names of the others are taken, by a file or by an earlier admission of this call.
  const numbered = await admitNumbered(
    tx,
    open().flatMap(({ admission }) => (admission.onConflict === 'rename' ? [admission] : [])),
  )
  for (const { admission, at } of open()) {
    const result = numbered.get(admission)
    if (result) results[at] = result
  }
  for (const { admission, at } of open()) results[at] = await resolveConflict(tx, admission)
  await placeInPacks(tx, packedOnes(admissions, results as Admitted[]))
  await ensurePublicAddresses(tx, publicOnes(admissions, results as Admitted[]))
  return results as Admitted[]
}

const wantedOf = ({
  admission: { draft, staged, onConflict, replaces },
}: {
  admission: Admission
}) => ({
  newName: replaces === undefined ? nameKey(draft.filename) : null,
  bytes: staged.size_bytes,
  overwrites: onConflict === 'overwrite' || onConflict === 'new_version',
})

/** The new files whose settings make them public. */
function publicOnes(admissions: readonly Admission[], results: readonly Admitted[]): string[] {
  return results.flatMap((result, at) => {
    const written = result.status === 'created' || result.status === 'replaced'
    return written && admissions[at]!.draft.visibility === 'public' ? [result.fileId] : []
  })
}

function packedOnes(admissions: readonly Admission[], results: readonly Admitted[]) {
  return results.flatMap((result, at) => {
    const pack = admissions[at]!.draft.new_pack
    const written = result.status === 'created' || result.status === 'replaced'
    return written && pack !== undefined ? [{ fileId: result.fileId, pack }] : []
  })
}

function refusal({ draft, staged }: Admission, limits: { file_bytes: number }): Admitted | null {
  const problem =
    filenameProblem(draft.filename) ??
    (draft.new_pack === undefined ? null : packNameProblem(draft.new_pack)) ??
    draft.tags.map(tagProblem).find((wrong) => wrong !== null) ??
    null
  if (problem) return { status: 'refused', ...problem }
  if (draft.tags.length > MAX_TAGS)
    return { status: 'refused', code: 'invalid_tag', message: `At most ${MAX_TAGS} tags` }
  if (staged.size_bytes > limits.file_bytes) return refused('file_too_large')
  return null
}

const refused = (code: ErrorCode): Admitted => ({
  status: 'refused',
  code,
  message: new AppError(code).message,
})

/**
 * Writes the blobs' rows and locks those that exist, so that no sweep removes them in the meantime.
 * Their bytes were written just before, or `holdsBlob` has confirmed them.
 */
export async function holdBlobs(tx: ShopScope, blobs: readonly StagedBlob[]): Promise<void> {
  if (blobs.length === 0) return
  await tx.query(`with ${HOLD_BLOBS} select 1 where :shop > 0`, { blobs: JSON.stringify(blobs) })
}

/**
 * SQL: the same as a part of another statement's `with`; binds `blobs`. Rows are locked in the
 * order of their hashes: two transactions that share some then wait for each other instead of
 * deadlocking.
 */
export const HOLD_BLOBS = `
  given as (
    select distinct on (hash, location) decode(hash, 'hex') as hash, size_bytes, location
    from jsonb_to_recordset(:blobs::jsonb) as g(hash text, size_bytes bigint, location text)
    order by hash, location
  ), held as (
    insert into blobs (shop_id, hash, size_bytes) select distinct on (hash) :shop, hash, size_bytes from given
    order by hash
    on conflict (shop_id, hash) do update set size_bytes = excluded.size_bytes
    returning hash
  ), placed as (
    insert into blob_locations (shop_id, hash, location)
    select :shop, given.hash, given.location from given join held using (hash) order by given.hash, given.location
    on conflict (shop_id, hash, location) do update set unneeded_since = null
      where blob_locations.unneeded_since is not null
  )`

/** Inserts the admissions whose names are free; the others are absent from the result. */
async function insertFiles(
  tx: ShopScope,
  admissions: readonly Admission[],
): Promise<Map<Admission, string>> {
  if (admissions.length === 0) return new Map()
  const rows = admissions.map(({ draft, staged, channel, wishes = NO_WISHES }, at) => ({
    at,
    wanted_sku: wishes.sku,
    auto_map: wishes.auto_map,
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
  }))
  const inserted = await tx.query<{ id: string; at: number }>(
    `with given as (
       select distinct on (name_key) *
       from jsonb_to_recordset(:rows::jsonb) as g(at int, name_key text collate "C", filename text, extension text,
         size_bytes bigint, content_type text, hash text, location text, channel text, tags text[], ${TYPED_SETTINGS},
         mapped boolean, wanted_sku text, auto_map boolean)
       order by name_key, at
     ), file as (
       insert into files (shop_id, filename, name_key, extension, size_bytes, content_type, channel, tags, ${SETTINGS}, mapping_state,
         wanted_sku, auto_map, created_at)
       select :shop, filename, name_key, extension, size_bytes, content_type, channel, tags, ${SETTINGS},
         case when mapped then 'mapped' else 'never' end, wanted_sku, auto_map,
         -- Keeps the order of one import in a list that is sorted by time.
         now() + at * interval '1 microsecond'
       from given
       on conflict (shop_id, name_key) where deleted_at is null do nothing
       returning id, name_key
     ), version as (
       insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type, filename)
       select :shop, file.id, 1, decode(given.hash, 'hex'), given.location, given.size_bytes, given.content_type,
         given.filename
       from file join given on given.name_key = file.name_key
     )
     select file.id, given.at from file join given on given.name_key = file.name_key`,
    { rows: JSON.stringify(rows) },
  )
  const created = new Map(inserted.map(({ id, at }) => [admissions[at]!, id]))
  await addMappings(
    tx,
    [...created].flatMap(([{ draft }, id]) =>
      draft.mappings.map((mapping) => ({ fileId: id, mapping })),
    ),
  )
  return created
}

/** Another operation has claimed it. */
const CLAIMED =
  'exists (select from file_claims c where c.shop_id = files.shop_id and c.file_id = files.id)'

async function resolveConflict(tx: ShopScope, admission: Admission): Promise<Admitted> {
  if (admission.onConflict === 'error') return refused('duplicate_filename')
  if (admission.onConflict === 'rename') return admitRenamed(tx, admission)
  const { filename } = admission.draft
  const [existing] = await tx.query<{ id: string; version: number; claimed: boolean }>(
    `select id, version, ${CLAIMED} as claimed from files where shop_id = :shop and name_key = :key and deleted_at is null for update`,
    { key: nameKey(filename) },
  )
  if (!existing) return resolveFreed(tx, admission)
  if (existing.claimed) return refused('file_in_use')
  const version = await admitVersion(tx, existing.id, admission.staged)
  if (admission.onConflict === 'new_version')
    return { status: 'versioned', fileId: existing.id, filename, before: existing.version, version }
  await overwriteRecord(tx, existing.id, admission)
  return { status: 'replaced', fileId: existing.id, filename }
}

async function replaceBytes(tx: ShopScope, id: string, staged: StagedBlob): Promise<Admitted> {
  const [file] = await tx.query<{ filename: string; version: number; claimed: boolean }>(
    `select filename, version, ${CLAIMED} as claimed from files
     where shop_id = :shop and id = :id and deleted_at is null for update`,
    { id },
  )
  if (!file) return refused('file_not_found')
  if (file.claimed) return refused('file_in_use')
  const version = await admitVersion(tx, id, staged)
  return { status: 'versioned', fileId: id, filename: file.filename, before: file.version, version }
}

/** The name became free between the insert and the look-up. */
async function resolveFreed(tx: ShopScope, admission: Admission): Promise<Admitted> {
  const id = (await insertFiles(tx, [admission])).get(admission)
  return id
    ? { status: 'created', fileId: id, filename: admission.draft.filename }
    : refused('duplicate_filename')
}

/**
 * Creates files under numbered names where their names are taken; admissions whose numbered names
 * were taken too are absent.
 */
async function admitNumbered(
  tx: ShopScope,
  admissions: readonly Admission[],
): Promise<Map<Admission, Admitted>> {
  if (admissions.length === 0) return new Map()
  const names = await freeNames(
    tx,
    admissions.map(({ draft }) => draft.filename),
  )
  const renamed = new Map<Admission, Admission>()
  for (const [at, admission] of admissions.entries())
    if (names[at] !== null)
      renamed.set({ ...admission, draft: { ...admission.draft, filename: names[at]! } }, admission)
  const created = await insertFiles(tx, [...renamed.keys()])
  return new Map(
    [...created].map(([own, fileId]) => [
      renamed.get(own)!,
      { status: 'created', fileId, filename: own.draft.filename },
    ]),
  )
}

async function admitRenamed(tx: ShopScope, admission: Admission): Promise<Admitted> {
  let most = FEWEST_NUMBERS
  for (
    let from = FIRST_NUMBER;
    from <= LAST_NUMBER;
    from += most, most = Math.min(4 * most, MOST_NUMBERS)
  ) {
    const names = Array.from({ length: most }, (_, n) =>
      numberedName(admission.draft.filename, from + n),
    )
    const taken = await findNameOwners(tx, names.map(nameKey))
    for (const filename of names.filter((name) => !taken.has(nameKey(name)))) {
      // Another transaction may have taken the numbered name in the meantime.
      const renamed = { ...admission, draft: { ...admission.draft, filename } }
      const id = (await insertFiles(tx, [renamed])).get(renamed)
      if (id) return { status: 'created', fileId: id, filename }
    }
  }
  return refused('duplicate_filename')
}

/**
 * Makes staged bytes the newest and current version of a file (a bare UUID); older versions stay.
 * Its links serve the new bytes. Gives the version's number.
 */
export async function admitVersion(
  tx: ShopScope,
  fileId: string,
  staged: StagedBlob,
): Promise<number> {
  const number = await addVersion(tx, fileId, staged, null)
  await tx.query(
    `update files set version = :number, version_since = now(), size_bytes = :size, updated_at = now()
     where shop_id = :shop and id = :file`,
    { file: fileId, number, size: staged.size_bytes },
  )
  return number
}

/**
 * The same, but the file keeps its current version. `filename`: the name that the file will get, or
 * null.
 */
export async function addVersion(
  tx: ShopScope,
  fileId: string,
  staged: StagedBlob,
  filename: string | null,
): Promise<number> {
  await holdBlobs(tx, [staged])
  const [row] = await tx.query<{ number: number }>(
    `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type, filename)
     select :shop, :file, (select max(number) + 1 from versions where shop_id = :shop and file_id = :file),
       decode(:hash, 'hex'), :location, :size, coalesce(:type, content_type), coalesce(:filename, filename)
     from files where files.shop_id = :shop and files.id = :file
     returning number`,
    {
      ...{
        file: fileId,
        hash: staged.hash,
        location: staged.location,
        size: staged.size_bytes,
        filename,
      },
      type: filename === null ? null : contentTypeOf(filename),
    },
  )
  return row!.number
}

/**
 * Overwriting also replaces settings and tags and drops older versions; the file keeps its
 * products.
 */
async function overwriteRecord(
  tx: ShopScope,
  fileId: string,
  { draft, wishes = NO_WISHES }: Admission,
): Promise<void> {
  const { mappings, ...settings } = draft
  delete settings.new_pack
  const wanted = { wanted_sku: wishes.sku, auto_map: wishes.auto_map }
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
     where versions.shop_id = :shop and versions.file_id = :file and files.shop_id = :shop and files.id = :file
       and versions.number <> files.version`,
    { file: fileId },
  )
}
