// What `admitFiles` would answer, as far as a preview can know it: names, conflicts, rules, sizes
// and quotas. It writes no file.
import type { OnConflict } from '../../plugins/contract/index.ts'
import { type ShopScope, lockUntilCommit } from '../core/db/for-shop.ts'
import {
  draftProblem,
  refusedAdmission,
  wantedOf,
  type AdmissionLimits,
  type AdmissionResult,
} from './admission.ts'
import type { Draft } from './drafts.ts'
import { findNameOwners, recordPreviewNames } from './name-allocation.ts'
import { FIRST_NUMBER, MIN_NUMBERS, numberedNames } from './numbered-names.ts'
import { refusedByQuota } from './quotas.ts'
import { nameKey } from './rules.ts'

export interface PlannedAdmission {
  draft: Draft
  onConflict: OnConflict
  /** The file whose next version it becomes; its name is ignored. */
  replaces?: string | undefined
  /** The size; null: it is not known before the bytes arrive. */
  size_bytes: number | null
}

/** The result of one admission. A file that would be created has no id yet. */
export type PlannedResult =
  | Exclude<AdmissionResult, { status: 'created' }>
  | { status: 'created'; filename: string }

/**
 * One result for each admission, in order. Names that earlier batches of the preview have planned
 * are taken.
 *
 * @param preview the UUID of the operation.
 */
export async function previewAdmissions(
  tx: ShopScope,
  admissions: readonly PlannedAdmission[],
  { limits, preview }: { limits: AdmissionLimits; preview: string },
): Promise<PlannedResult[]> {
  if (admissions.length === 0) return []
  // Two batches of one preview decide one after the other: they may want the same name. An advisory
  // lock: the names have no rows yet, and a lock on the operation's row would block its moves.
  await lockUntilCommit(tx, preview)
  const owners = await findNameOwners(tx, candidateKeys(admissions), preview)
  const versions = await versionsOf(tx, admissions, owners)
  const quotas = await refusedByQuota(
    tx,
    admissions.map((one) => wantedOf(one, one.size_bytes ?? 0)),
    limits,
  )
  const planned = new Map<string, string>()
  const results = admissions.map((admission, at): PlannedResult => {
    const problem = draftProblem(admission.draft)
    if (problem) return { status: 'refused', ...problem }
    if ((admission.size_bytes ?? 0) > limits.file_bytes) return refused('file_too_large')
    const quota = quotas[at]
    if (quota) return { status: 'refused', ...quota }
    if (admission.replaces !== undefined) return versioned(admission.replaces, versions)
    return named(admission, { owners, versions, planned })
  })
  await recordPreviewNames(tx, preview, planned)
  return results
}

const refused = (code: Parameters<typeof refusedAdmission>[0]): PlannedResult =>
  refusedAdmission(code) as PlannedResult

const candidates = (filename: string) => numberedNames(filename, FIRST_NUMBER, MIN_NUMBERS)

const candidateKeys = (admissions: readonly PlannedAdmission[]): string[] =>
  admissions.flatMap(({ draft: { filename }, onConflict }) =>
    [filename, ...(onConflict === 'rename' ? candidates(filename) : [])].map(nameKey),
  )

interface CurrentFile {
  filename: string
  version: number
  /** Does the file have products? */
  mapped: boolean
}

/** Names and versions of the files that would get other bytes, by their UUIDs. */
async function versionsOf(
  tx: ShopScope,
  admissions: readonly PlannedAdmission[],
  owners: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, CurrentFile>> {
  const ids = [...admissions.flatMap(({ replaces }) => replaces ?? []), ...owners.values()]
  const rows = await tx.query<CurrentFile & { id: string }>(
    `select id, filename, version, mapping_state = 'mapped' as mapped from files
     where shop_id = :shop and id = any(:ids::uuid[]) and deleted_at is null`,
    { ids },
  )
  return new Map(rows.map((row) => [row.id, row]))
}

function versioned(id: string, versions: ReadonlyMap<string, CurrentFile>): PlannedResult {
  const file = versions.get(id)
  if (!file) return refused('file_not_found')
  return withNextVersion(id, file)
}

const withNextVersion = (
  fileId: string,
  { filename, version: before, mapped }: CurrentFile,
): PlannedResult => ({
  status: 'versioned',
  fileId,
  filename,
  before,
  version: before + 1,
  mapped,
  ledger: null,
})

interface Names {
  owners: Map<string, string>
  versions: ReadonlyMap<string, CurrentFile>
  /** The names that this batch takes, with a UUID for each new file. */
  planned: Map<string, string>
}

function named(
  { draft: { filename, mappings }, onConflict }: PlannedAdmission,
  { owners, versions, planned }: Names,
): PlannedResult {
  const take = (name: string): PlannedResult => {
    const id = crypto.randomUUID()
    owners.set(nameKey(name), id)
    planned.set(nameKey(name), id)
    return { status: 'created', filename: name }
  }
  const owner = owners.get(nameKey(filename))
  if (owner === undefined) return take(filename)
  if (onConflict === 'error') return refused('duplicate_filename')
  if (onConflict === 'skip')
    return { status: 'left_out', existing: versions.has(owner) ? owner : null }
  if (onConflict === 'rename') {
    const free = candidates(filename).find((name) => !owners.has(nameKey(name)))
    return free === undefined ? refused('duplicate_filename') : take(free)
  }
  // Without a version an earlier entry of the import creates the file, as version 1.
  const { version, mapped } = versions.get(owner) ?? { version: 1, mapped: false }
  if (onConflict === 'overwrite')
    return { status: 'replaced', fileId: owner, filename, mapped: mapped || mappings.length > 0 }
  return withNextVersion(owner, { filename, version, mapped })
}
