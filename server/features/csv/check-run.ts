// Checks of CSV files as a background task: one run checks one file, and an interrupted run starts
// from the beginning.
import type { FetchHeaders } from '../../core/fetch-headers.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask, TaskKind, TaskRun } from '../../core/queue/background.ts'
import { present } from '../../core/lazy.ts'
import { findProducts } from '../../storefront/mirror/lookup.ts'
import { checkRows } from './check.ts'
import type { CheckProgress, OddSkus } from './check-state.ts'
import {
  beginCheck,
  CHECK_CSV,
  QUEUED_CHECKS,
  QUEUED_RECHECKS,
  RECHECK_CSV,
  AnswerMemory,
} from './check-queue.ts'
import { readEdits } from './edits.ts'
import { targetLookups } from './row-targets.ts'
import { openHeaders } from './check-headers.ts'
import { dropEarlierProblems, storeProblems } from './problems.ts'
import type { ProbeAddress, SizeLimits } from './probes.ts'
import { readUploadRows, type CsvUpload } from './uploads.ts'

export interface CheckRunParts {
  database: Database
  secrets: Secrets
  /** @param headers those that the merchant gave, in lower case */
  probe(url: string, signal: AbortSignal, headers?: FetchHeaders): ReturnType<ProbeAddress>
  /** Counts the products of SKUs, for one check of a shop's file. */
  oddSkus(scope: ShopScope): OddSkus
  limits: SizeLimits
}

const PROGRESS_MS = 1000
/** A person waits for it, and a newer correction stops it. */
const RECHECK_PROGRESS_MS = 250
/**
 * How many files of different shops are checked at the same time: the probes of one file keep many
 * connections open.
 */
const CONCURRENCY = 4
const MAX_ATTEMPTS = 3

/** The tasks that check files: whole files, and files whose rows were corrected. */
export const csvCheckTasks = (parts: CheckRunParts): BackgroundTask[] => [
  checkTask(parts, CHECK_CSV, QUEUED_CHECKS),
  checkTask(parts, RECHECK_CSV, QUEUED_RECHECKS),
]

const checkTask = (parts: CheckRunParts, kind: TaskKind, wanted: string): BackgroundTask => ({
  ...kind,
  concurrency: CONCURRENCY,
  waits: true,
  wanted,
  run: async (run) => {
    const scope = forShop(parts.database, present(run.shop, 'The shop of the run'))
    await runCheck(parts, scope, kind, run)
    return null
  },
})

async function runCheck(
  parts: CheckRunParts,
  scope: ShopScope,
  kind: TaskKind,
  { key, attempt, signal: given }: TaskRun,
): Promise<void> {
  const upload = await beginCheck(scope, key, kind)
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
  const timer = setInterval(
    () => void report().catch(() => {}),
    upload.recheck ? RECHECK_PROGRESS_MS : PROGRESS_MS,
  )
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

/** The check itself, with look-ups in the shop's rows. Exported for the bench, which measures it without the queue. */
export async function checkUpload(
  scope: ShopScope,
  upload: CsvUpload,
  parts: Omit<CheckRunParts, 'database'> & {
    onProgress(progress: CheckProgress): void
    signal: AbortSignal
  },
): Promise<CheckProgress> {
  const options = present(upload.check_options, 'The options of the check')
  const headers = openHeaders(parts.secrets, scope.shop, options)
  const memory = await AnswerMemory.open(scope, upload.id)
  try {
    return await checkRows({
      ...lookups(scope),
      headers: upload.headers,
      mapping: upload.mapping,
      batches: readUploadRows(scope, upload),
      headerRow: upload.format.header_row,
      edits: await readEdits(scope, upload.id),
      memory,
      onConflict: options.on_conflict,
      match: options.match,
      oddSkus: memory.remembering(parts.oddSkus(scope)),
      probe: options.probe ? (url, signal) => parts.probe(url, signal, headers) : null,
      limits: parts.limits,
      report: (problems) => storeProblems(scope, upload, problems),
      onProgress: parts.onProgress,
      signal: parts.signal,
    })
  } finally {
    await memory.flush()
  }
}

function lookups(scope: ShopScope) {
  return {
    unknownProducts: async (by: 'id' | 'handle', values: readonly string[]) => {
      const known = await findProducts(scope, by, values)
      return values.filter((value) => !known.has(value))
    },
    ...targetLookups(scope),
  }
}

const THIS_ROUND = `shop_id = :shop and id = :id and round = :round and status = 'checking'`

/** Writes the progress. False: the check was stopped, or another run has taken it. */
const writeProgress = (
  scope: ShopScope,
  { id, round, recheck }: CsvUpload,
  progress: CheckProgress | null,
) =>
  scope.has(
    `update csv_uploads set ${recheck ? 'recheck' : 'progress'} = :progress where ${THIS_ROUND}
       returning id`,
    {
      id,
      round,
      progress: progress ? JSON.stringify(progress) : recheck ? '{}' : null,
    },
  )

async function endCheck(
  scope: ShopScope,
  { id, round, recheck }: CsvUpload,
  end: CheckProgress | null,
  failure: string | null,
) {
  const ended = await scope.query(
    `update csv_uploads set status = :status, progress = :progress, failure = :failure,
       recheck = null
     where ${THIS_ROUND} returning id`,
    {
      id,
      round,
      status: end ? 'checked' : 'ready',
      progress: end && JSON.stringify(end),
      failure,
    },
  )
  if (recheck && ended.length > 0) await dropEarlierProblems(scope, { id, round })
}
