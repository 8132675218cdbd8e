// Checks of CSV files as a background task: one run checks one file, and an interrupted run starts
// from the beginning.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask, TaskRun } from '../../core/queue/background.ts'
import { present } from '../../core/present.ts'
import { findNameOwners } from '../../files/name-allocation.ts'
import { checkRows } from './check.ts'
import { type CheckProgress, type KnownFile, type OddSkus } from './check-state.ts'
import { beginCheck, CHECK_CSV, QUEUED_CHECKS, type StartedCheck } from './check-queue.ts'
import { storeProblems } from './problems.ts'
import type { ProbeAddress, SizeLimits } from './probes.ts'
import { readUploadRows, type CsvUpload } from './uploads.ts'

export interface CheckRunParts {
  database: Database
  probe: ProbeAddress
  /** Counts the products of SKUs, for one check of a shop's file. */
  oddSkus(scope: ShopScope): OddSkus
  limits: SizeLimits
}

const PROGRESS_MS = 1000
/**
 * How many files of different shops are checked at the same time: the probes of one file keep many
 * connections open.
 */
const CONCURRENCY = 4
const MAX_ATTEMPTS = 3

export const csvCheckTask = (parts: CheckRunParts): BackgroundTask => ({
  ...CHECK_CSV,
  concurrency: CONCURRENCY,
  waits: true,
  wanted: QUEUED_CHECKS,
  run: async (run) => {
    await runCheck(parts, forShop(parts.database, present(run.shop, 'The shop of the run')), run)
    return null
  },
})

async function runCheck(
  parts: CheckRunParts,
  scope: ShopScope,
  { key, attempt, signal: given }: TaskRun,
): Promise<void> {
  const upload = await beginCheck(scope, key)
  if (!upload) return
  if (attempt > MAX_ATTEMPTS)
    return endCheck(scope, upload, null, 'The check of this file crashed three times')
  const stopped = new AbortController()
  const signal = AbortSignal.any([given, stopped.signal])
  let progress: CheckProgress | null = null
  const report = async () => {
    if (!(await writeProgress(scope, upload, progress)))
      stopped.abort(new Error('the check was stopped'))
  }
  const timer = setInterval(() => void report().catch(() => {}), PROGRESS_MS)
  try {
    const end = await checkUpload(scope, upload, {
      ...parts,
      onProgress: (now) => (progress = now),
      signal,
    })
    await endCheck(scope, upload, end, null)
  } catch (error) {
    // If the merchant stopped the check, or a newer run has taken it, there is no retry.
    if (!stopped.signal.aborted) throw error
  } finally {
    clearInterval(timer)
  }
}

/** The check itself, with look-ups in the shop's rows. */
export const checkUpload = (
  scope: ShopScope,
  upload: CsvUpload,
  parts: Omit<CheckRunParts, 'database'> & {
    onProgress(progress: CheckProgress): void
    signal: AbortSignal
  },
): Promise<CheckProgress> => {
  const options = present(upload.check_options, 'The options of the check')
  return checkRows({
    ...lookups(scope),
    headers: upload.headers,
    mapping: upload.mapping,
    batches: readUploadRows(scope, upload),
    headerRow: upload.format.header_row,
    onConflict: options.on_conflict,
    oddSkus: parts.oddSkus(scope),
    probe: options.probe ? parts.probe : null,
    limits: parts.limits,
    report: (problems) => storeProblems(scope, upload, problems),
    onProgress: parts.onProgress,
    signal: parts.signal,
  })
}

function lookups(scope: ShopScope) {
  return {
    takenNames: (keys: readonly string[]) => findNameOwners(scope, keys),
    knownFiles: async (ids: readonly string[]) => {
      const rows = await scope.query<KnownFile & { id: string }>(
        `select id, name_key, deleted_at is not null as deleted from files
         where shop_id = :shop and id = any(:ids::uuid[])`,
        { ids },
      )
      return new Map(rows.map(({ id, ...file }) => [id, file]))
    },
  }
}

const THIS_ROUND = `shop_id = :shop and id = :id and round = :round and status = 'checking'`

/** Writes the progress. False: the check was stopped, or another run has taken it. */
async function writeProgress(
  scope: ShopScope,
  { id, round }: StartedCheck,
  progress: CheckProgress | null,
) {
  const rows = await scope.query(
    `update csv_uploads set progress = :progress where ${THIS_ROUND} returning id`,
    {
      ...{ id, round },
      progress: progress && JSON.stringify(progress),
    },
  )
  return rows.length > 0
}

async function endCheck(
  scope: ShopScope,
  { id, round }: StartedCheck,
  end: CheckProgress | null,
  failure: string | null,
) {
  await scope.query(
    `update csv_uploads set status = :status, progress = :progress, failure = :failure
       where ${THIS_ROUND}`,
    {
      id,
      round,
      status: end ? 'checked' : 'ready',
      progress: end && JSON.stringify(end),
      failure,
    },
  )
}
