// An admission onto an existing file: whether the file has its bytes already, and what its source
// states in addition to them. Equal bytes make no version: nothing that follows from new bytes happens.
import {
  namesIn,
  wantedPacks,
  SETTING_NAMES,
  type KnownVersion,
  type SettingName,
  type SourceBytes,
  type StagedBlob,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { present } from '../core/lazy.ts'
import {
  admittedTags,
  refusedAdmission,
  type Admission,
  type AdmissionResult,
} from './admission.ts'
import type { Ledger } from './change-ledger.ts'
import { changeFiles } from './changes.ts'
import { draftOfRecord, readRecords, type Change, type Draft, type FileRecord } from './drafts.ts'
import { changeDraftPacks } from './packs.ts'
import { nameKey } from './rules.ts'

/** What is compared of an admission, and written in addition to its bytes. */
type Onto = Pick<
  Admission,
  'draft' | 'staged' | 'states' | 'tagsRemoved' | 'packsRemoved' | 'replaces' | 'onConflict'
>

/** A file whose current version has the bytes of an admission. */
interface Holder {
  at: number
  id: string
  filename: string
  mapped: boolean
  claimed: boolean
}

/**
 * The results of those of the admissions (`replacesBytes`) whose files have their bytes, by admission. What their sources
 * state in addition to the bytes is written.
 */
export async function admitPresent<Given extends Onto>(
  tx: ShopScope,
  admissions: readonly Given[],
): Promise<Map<Given, AdmissionResult>> {
  const results = new Map<Given, AdmissionResult>()
  const sources: { file: string; source: SourceBytes }[] = []
  for (const { at, id, filename, mapped, claimed } of await findHolders(tx, admissions)) {
    const admission = present(admissions[at], 'an admission')
    // Its operation may be giving it other bytes: the item waits for it.
    const { source } = admission.staged
    if (source && !claimed) sources.push({ file: id, source })
    const stated = claimed ? refusalOf('file_in_use') : await changeAsStated(tx, id, admission)
    results.set(
      admission,
      'code' in stated
        ? { status: 'refused', ...stated }
        : { status: 'same', fileId: id, filename, mapped, ...stated },
    )
  }
  await updateSources(tx, sources)
  return results
}

/** SQL: the current versions of given files or names whose bytes are readable. */
const CURRENT_OF_GIVEN = `from jsonb_to_recordset(:rows::jsonb)
       as g(at int, file uuid, name_key text collate "C", hash text)
     cross join lateral (
       select * from files f where f.shop_id = :shop and f.deleted_at is null
         and f.id = g.file
       union all
       select * from files f where f.shop_id = :shop and f.deleted_at is null
         and f.name_key = g.name_key
     ) named
     join files f on f.shop_id = :shop and f.id = named.id
     join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
     join blob_locations l on l.shop_id = v.shop_id and l.hash = v.hash
       and l.location = v.location and not v.bytes_damaged and l.damaged_since is null`

/** Locks the files: a change of their bytes waits until the caller's transaction ends. */
function findHolders(tx: ShopScope, onto: readonly Onto[]): Promise<Holder[]> {
  if (onto.length === 0) return Promise.resolve([])
  const rows = onto.map(({ draft, replaces, staged }, at) => ({
    at,
    file: replaces ?? null,
    name_key: replaces === undefined ? nameKey(draft.filename) : null,
    hash: staged.hash,
  }))
  return tx.query<Holder>(
    `select g.at, f.id, f.filename, f.mapping_state = 'mapped' as mapped,
       exists (select from file_claims c where c.shop_id = f.shop_id and c.file_id = f.id)
         as claimed
     ${CURRENT_OF_GIVEN}
     where v.hash = decode(g.hash, 'hex')
     order by f.id for update of f`,
    { rows: JSON.stringify(rows) },
  )
}

/**
 * Changes what the admission's source states of an existing file.
 * @returns the change; null in it: there was none. Or why it is refused
 */
export async function changeAsStated(
  tx: ShopScope,
  fileId: string,
  admission: Pick<Admission, 'draft' | 'states' | 'tagsRemoved' | 'packsRemoved' | 'replaces'>,
): Promise<{ ledger: Ledger | null; mapped?: boolean } | StatedRefusal> {
  if ((admission.states ?? []).length === 0) return { ledger: null }
  const record = (await readRecords(tx, [fileId])).get(fileId)
  const change = await statedChange(tx, present(record, 'the file'), admission)
  const [result] = await changeFiles(tx, [change])
  if (result?.status === 'refused') return result
  if (result?.status !== 'changed') return { ledger: null }
  return { ledger: result.ledger, mapped: change.draft.mappings.length > 0 }
}

type StatedRefusal = Pick<Extract<AdmissionResult, { status: 'refused' }>, 'code' | 'message'>

const refusalOf = (code: Parameters<typeof refusedAdmission>[0]) =>
  refusedAdmission(code) as Extract<AdmissionResult, { status: 'refused' }>

/** The change of an existing file to what an admission's source states. */
async function statedChange(
  tx: ShopScope,
  record: FileRecord,
  admission: Pick<Admission, 'draft' | 'states' | 'tagsRemoved' | 'packsRemoved' | 'replaces'>,
): Promise<Change> {
  const { draft: wanted, states = [], packsRemoved, replaces } = admission
  const draft = draftOfRecord(record)
  if (states.includes('packs'))
    await changeStatedPacks(tx, draft, record, { names: wanted.new_packs ?? [], packsRemoved })
  if (replaces !== undefined && states.includes('filename')) draft.filename = wanted.filename
  for (const name of states) if (isSetting(name)) setSetting(draft, wanted, name)
  if (states.includes('tags')) draft.tags = admittedTags(record.tags, admission)
  if (states.includes('products')) {
    const had = new Set(draft.mappings.map(targetOf))
    const stated = wanted.mappings.filter(({ method }) => STATED.has(method))
    draft.mappings.push(...stated.filter((mapping) => !had.has(targetOf(mapping))))
  }
  return { record, draft }
}

/** Puts the draft into the packs of these names, and out of others; its products follow. */
async function changeStatedPacks(
  tx: ShopScope,
  draft: Draft,
  record: FileRecord,
  {
    names,
    packsRemoved: remove,
  }: { names: readonly string[]; packsRemoved: readonly string[] | undefined },
): Promise<void> {
  const named = remove === undefined ? { replace: names } : { add: names, remove }
  await changeDraftPacks(tx, draft, record, (shelf) => wantedPacks(named, shelf), namesIn(named))
}

/** How products are found that the source names: others are guesses, which new files only get. */
const STATED: ReadonlySet<string> = new Set(['sku', 'manual'])
const SETTINGS: ReadonlySet<string> = new Set(SETTING_NAMES)
const isSetting = (name: string): name is SettingName => SETTINGS.has(name)

function setSetting<Name extends SettingName>(draft: Draft, wanted: Draft, name: Name): void {
  draft[name] = wanted[name] as Draft[Name]
}

const targetOf = ({ product_id, variant_id }: Draft['mappings'][number]) =>
  `${product_id} ${variant_id ?? ''}`

/**
 * The current versions of the files that these entries would give bytes to, by the entries' indexes:
 * those of which it is known what they were made of.
 */
export async function findKnownVersions(
  scope: ShopScope,
  entries: readonly { filename: string; replaces?: string | undefined }[],
): Promise<Map<number, KnownVersion>> {
  if (entries.length === 0) return new Map()
  const rows = entries.map(({ filename, replaces }, at) => ({
    at,
    file: replaces ?? null,
    name_key: replaces === undefined ? nameKey(filename) : null,
  }))
  const found = await scope.query<StagedBlob & { at: number; source: SourceBytes }>(
    `select g.at, encode(v.hash, 'hex') as hash, v.location, v.size_bytes, v.content_type, v.source
     ${CURRENT_OF_GIVEN}
     where v.source is not null`,
    { rows: JSON.stringify(rows) },
  )
  return new Map(found.map(({ at, source, ...bytes }) => [at, { bytes, source }]))
}

/** Keeps what the source of these bytes says now: its server may have another name for them. */
async function updateSources(
  tx: ShopScope,
  rows: readonly { file: string; source: SourceBytes }[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `update versions v set source = g.source
     from jsonb_to_recordset(:rows::jsonb) as g(file uuid, source jsonb)
     join files f on f.shop_id = :shop and f.id = g.file
     where v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
       and v.source is distinct from g.source`,
    { rows: JSON.stringify(rows) },
  )
}
