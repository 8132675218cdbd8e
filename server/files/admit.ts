// The entry point for new files: `admitFiles` decides name, size, type and conflicts for every
// channel, inside the caller's transaction. `admit-version.ts` is the only other entry for bytes.
import type { ShopScope } from '../core/db/for-shop.ts'
import { zip } from '../core/lazy.ts'
import { findNameOwners } from './name-allocation.ts'
import { leavePacks, placeInPacks, type LeavingFile } from './packs.ts'
import { nameKey } from './rules.ts'
import { ensurePublicAddresses } from './public-addresses.ts'
import { refusedByQuota } from './quotas.ts'
import { holdBlobs, noteRefused } from './blobs.ts'
import {
  draftProblem,
  refusedAdmission,
  replacesBytes,
  wantedOf,
  type Admission,
  type AdmissionLimits,
  type AdmissionResult,
} from './admission.ts'
import { admitPresent } from './present-bytes.ts'
import { insertFiles, resolveConflict, replaceBytes, admitNumbered } from './name-conflicts.ts'

/**
 * Creates a file for each admission, in the order given, and returns one result for each. A refused
 * admission changes nothing and does not affect the others.
 */
export async function admitFiles(
  tx: ShopScope,
  admissions: readonly Admission[],
  limits: AdmissionLimits,
): Promise<AdmissionResult[]> {
  const results = admissions.map((admission) => refusal(admission, limits))
  const open = () => admissions.flatMap((admission, at) => (results[at] ? [] : [{ admission, at }]))
  // Before the quotas: nothing is added.
  const onto = open().filter(({ admission }) => replacesBytes(admission))
  if (onto.length > 0) {
    const same = await admitPresent(
      tx,
      onto.map(({ admission }) => admission),
    )
    for (const { admission, at } of onto) results[at] = same.get(admission) ?? null
  }
  const leftOut = await findLeftOut(
    tx,
    open().map(({ admission }) => admission),
  )
  for (const { admission, at } of open()) {
    const existing = leftOut.get(admission)
    if (existing !== undefined) results[at] = { status: 'left_out', existing }
  }
  const quota = open()
  const refusals = await refusedByQuota(
    tx,
    quota.map(({ admission }) => wantedOf(admission, admission.staged)),
    limits,
  )
  for (const [{ at }, refused] of zip(quota, refusals))
    if (refused) results[at] = { status: 'refused', ...refused }
  await holdBlobs(
    tx,
    open().map(({ admission }) => admission.staged),
  )
  for (const { admission, at } of open())
    if (admission.replaces !== undefined)
      results[at] = await replaceBytes(tx, admission.replaces, admission)
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
  await placeAdmitted(tx, admissions, results as AdmissionResult[])
  return results as AdmissionResult[]
}

async function placeAdmitted(
  tx: ShopScope,
  admissions: readonly Admission[],
  results: readonly AdmissionResult[],
): Promise<void> {
  await noteRefused(
    tx,
    zip(admissions, results).flatMap(([{ staged }, { status }]) =>
      UNSTORED.has(status) ? [staged] : [],
    ),
  )
  await leavePacks(tx, leavingFiles(admissions, results))
  await placeInPacks(tx, packedFiles(admissions, results))
  const shared = publicFiles(admissions, results)
  if (shared.length > 0) await ensurePublicAddresses(tx, shared)
}

/** The admissions that are left out because files of the shop have their names, with these files. */
async function findLeftOut(
  tx: ShopScope,
  admissions: readonly Admission[],
): Promise<ReadonlyMap<Admission, string>> {
  const skipping = admissions.filter(
    ({ onConflict, replaces }) => onConflict === 'skip' && replaces === undefined,
  )
  if (skipping.length === 0) return new Map()
  const keyOf = ({ draft }: Admission) => nameKey(draft.filename)
  const owners = await findNameOwners(tx, skipping.map(keyOf))
  return new Map(
    skipping.flatMap((admission) => {
      const owner = owners.get(keyOf(admission))
      return owner === undefined ? [] : [[admission, owner] as const]
    }),
  )
}

/** Results whose bytes no row may name. */
const UNSTORED: ReadonlySet<AdmissionResult['status']> = new Set(['refused', 'same', 'left_out'])

/** The new files whose settings make them public. */
function publicFiles(
  admissions: readonly Admission[],
  results: readonly AdmissionResult[],
): string[] {
  return zip(admissions, results).flatMap(([{ draft }, result]) => {
    const written = result.status === 'created' || result.status === 'replaced'
    return written && draft.visibility === 'public' ? [result.fileId] : []
  })
}

/** Files that were overwritten and whose source states their packs. */
function leavingFiles(
  admissions: readonly Admission[],
  results: readonly AdmissionResult[],
): LeavingFile[] {
  return zip(admissions, results).flatMap(([{ draft, states = [], packsRemoved }, result]) =>
    result.status === 'replaced' && states.includes('packs')
      ? [{ fileId: result.fileId, stays: draft.new_packs ?? [], leaves: packsRemoved }]
      : [],
  )
}

function packedFiles(admissions: readonly Admission[], results: readonly AdmissionResult[]) {
  return zip(admissions, results).flatMap(([{ draft }, result]) => {
    const packs = draft.new_packs
    const written = result.status === 'created' || result.status === 'replaced'
    return written && packs ? [{ fileId: result.fileId, packs }] : []
  })
}

function refusal(
  { draft, staged }: Admission,
  limits: { file_bytes: number },
): AdmissionResult | null {
  const problem = draftProblem(draft)
  if (problem) return { status: 'refused', ...problem }
  if (staged.size_bytes > limits.file_bytes) return refusedAdmission('file_too_large')
  return null
}
