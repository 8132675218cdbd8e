// An admission onto an existing file: whether the file has its bytes already, and what its source
// states in addition to them. Equal bytes make no version: nothing that follows from new bytes happens.
import { SETTING_NAMES, type SettingName } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { present } from '../core/lazy.ts'
import {
  refusedAdmission,
  replacesBytes,
  type Admission,
  type AdmissionResult,
} from './admission.ts'
import type { Ledger } from './change-ledger.ts'
import { changeFiles } from './changes.ts'
import { draftOfRecord, readRecords, type Change, type Draft, type FileRecord } from './drafts.ts'
import { nameKey } from './rules.ts'

/** What is compared of an admission, and written in addition to its bytes. */
type Onto = Pick<Admission, 'draft' | 'staged' | 'states' | 'replaces' | 'onConflict'>

/** A file whose current version has the bytes of an admission. */
interface Holder {
  at: number
  id: string
  filename: string
  mapped: boolean
  claimed: boolean
}

/**
 * The results of the admissions onto files that have their bytes, by admission. What their sources
 * state in addition to the bytes is written.
 */
export async function admitPresent<Given extends Onto>(
  tx: ShopScope,
  admissions: readonly Given[],
): Promise<Map<Given, AdmissionResult>> {
  const onto = admissions.filter(replacesBytes)
  const results = new Map<Given, AdmissionResult>()
  for (const { at, id, filename, mapped, claimed } of await findHolders(tx, onto)) {
    const admission = present(onto[at], 'an admission')
    // Its operation may be giving it other bytes: the item waits for it.
    const stated = claimed ? refusalOf('file_in_use') : await changeAsStated(tx, id, admission)
    results.set(
      admission,
      'code' in stated
        ? { status: 'refused', ...stated }
        : { status: 'same', fileId: id, filename, mapped, ...stated },
    )
  }
  return results
}

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
     from jsonb_to_recordset(:rows::jsonb)
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
       and l.location = v.location
     where v.hash = decode(g.hash, 'hex') and not v.damaged and l.damaged_since is null
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
  admission: Pick<Admission, 'draft' | 'states'>,
): Promise<{ ledger: Ledger | null; mapped?: boolean } | StatedRefusal> {
  if ((admission.states ?? []).length === 0) return { ledger: null }
  const record = (await readRecords(tx, [fileId])).get(fileId)
  const change = statedChange(present(record, 'the file'), admission)
  const [result] = await changeFiles(tx, [change])
  if (result?.status === 'refused') return result
  if (result?.status !== 'changed') return { ledger: null }
  return { ledger: result.ledger, mapped: change.draft.mappings.length > 0 }
}

type StatedRefusal = Pick<Extract<AdmissionResult, { status: 'refused' }>, 'code' | 'message'>

const refusalOf = (code: Parameters<typeof refusedAdmission>[0]) =>
  refusedAdmission(code) as Extract<AdmissionResult, { status: 'refused' }>

/** The change of an existing file to what an admission's source states. */
function statedChange(
  record: FileRecord,
  { draft: wanted, states = [] }: Pick<Admission, 'draft' | 'states'>,
): Change {
  const draft = draftOfRecord(record)
  for (const name of states) if (isSetting(name)) setSetting(draft, wanted, name)
  if (states.includes('tags')) draft.tags = wanted.tags
  if (states.includes('products')) {
    const had = new Set(record.mappings.map(targetOf))
    const stated = wanted.mappings.filter(({ method }) => STATED.has(method))
    draft.mappings.push(...stated.filter((mapping) => !had.has(targetOf(mapping))))
  }
  if (states.includes('pack') && wanted.new_pack !== undefined) draft.new_pack = wanted.new_pack
  return { record, draft }
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
