// Checks as work in the background: any worker takes what waits, beats while it checks, and what a dead one leaves behind is
// taken again. It works across shops, since it has to find out who waits; each check is then its own shop's.
import type { Database } from '../../db/database.ts'
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import { holdersOf } from '../../files/name-allocation.ts'
import { errorFields, type Logger } from '../../log.ts'
import { checkRows, type CheckProgress, type KnownFile, type OddSkus } from './check.ts'
import { takeCheck, type TakenCheck } from './check-queue.ts'
import { keepProblems } from './problems.ts'
import type { ProbeAddress, SizeLimits } from './probes.ts'
import { readUploadRows, requireUpload, type CsvUpload } from './uploads.ts'

export interface CheckParts {
  database: Database
  probe: ProbeAddress
  /** For one check of a shop's file. */
  oddSkus(scope: ShopScope): OddSkus
  limits: SizeLimits
  log: Logger
}

const LOOK_MS = 400
const BEAT_MS = 1000
/** Of as many shops. */
const AT_ONCE = 4
const MOST_ATTEMPTS = 3

/** Looks for waiting checks until it is stopped; then what it was at waits for another worker. */
export function startCsvChecks(parts: CheckParts): () => Promise<void> {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const look = async () => {
    while (running.size < AT_ONCE && !stopping.signal.aborted) {
      const taken = await takeCheck(parts.database)
      if (!taken) return
      const run: Promise<void> = runCheck(parts, taken, stopping.signal).finally(() => running.delete(run))
      running.add(run)
    }
  }
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error: unknown) => parts.log.warn('CSV checks', errorFields(error)))
  }, LOOK_MS)
  return async () => {
    clearInterval(timer)
    stopping.abort(new Error('the worker is stopping'))
    await looking
    await Promise.all(running)
  }
}

async function runCheck(parts: CheckParts, taken: TakenCheck, stopping: AbortSignal): Promise<void> {
  const scope = forShop(parts.database, taken.shop_id)
  const lost = new AbortController()
  const signal = AbortSignal.any([stopping, lost.signal])
  let progress: CheckProgress | null = null
  const beat = async () => {
    if (!(await writeProgress(scope, taken, progress))) lost.abort(new Error('the check was given up'))
  }
  const timer = setInterval(() => void beat().catch(() => {}), BEAT_MS)
  try {
    const upload = await requireUpload(scope, taken.id)
    if (upload.round !== taken.round) return
    const attempts = await attemptsOf(scope, taken)
    if (attempts > MOST_ATTEMPTS)
      return await endCheck(scope, taken, null, 'The check of this file stopped three times')
    const end = await checkUpload(scope, upload, { ...parts, onProgress: (now) => (progress = now), signal })
    await endCheck(scope, taken, end, null)
  } catch (error) {
    await giveUp(scope, taken, { error, stopping: stopping.aborted, lost: lost.signal.aborted, log: parts.log })
  } finally {
    clearInterval(timer)
  }
}

/** The check itself, with the shop's own rows to look things up in. */
export const checkUpload = (
  scope: ShopScope,
  upload: CsvUpload,
  parts: Omit<CheckParts, 'database' | 'log'> & { onProgress(progress: CheckProgress): void; signal: AbortSignal },
): Promise<CheckProgress> =>
  checkRows({
    ...lookUps(scope),
    headers: upload.headers,
    mapping: upload.mapping,
    batches: readUploadRows(scope, upload),
    onConflict: upload.check_options!.on_conflict,
    oddSkus: parts.oddSkus(scope),
    probe: upload.check_options!.probe ? parts.probe : null,
    limits: parts.limits,
    report: (problems) => keepProblems(scope, upload, problems),
    onProgress: parts.onProgress,
    signal: parts.signal,
  })

function lookUps(scope: ShopScope) {
  return {
    takenNames: (keys: readonly string[]) => holdersOf(scope, keys),
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

async function attemptsOf(scope: ShopScope, { id }: TakenCheck): Promise<number> {
  const [row] = await scope.query<{ attempts: number }>(
    'select attempts from csv_uploads where shop_id = :shop and id = :id',
    { id },
  )
  return row?.attempts ?? 0
}

const OURS = `shop_id = :shop and id = :id and round = :round and status = 'checking'`

/** False: the check is not ours any more. */
async function writeProgress(scope: ShopScope, { id, round }: TakenCheck, progress: CheckProgress | null) {
  const rows = await scope.query(
    `update csv_uploads set beaten_at = now(), progress = :progress where ${OURS} returning id`,
    { id, round, progress: progress && JSON.stringify(progress) },
  )
  return rows.length > 0
}

async function endCheck(
  scope: ShopScope,
  { id, round }: TakenCheck,
  end: CheckProgress | null,
  failure: string | null,
) {
  await scope.query(
    `update csv_uploads set status = :status, progress = :progress, failure = :failure, beaten_at = null where ${OURS}`,
    { id, round, status: end ? 'checked' : 'ready', progress: end && JSON.stringify(end), failure },
  )
}

interface Trouble {
  error: unknown
  stopping: boolean
  lost: boolean
  log: Logger
}

async function giveUp(scope: ShopScope, { id, round }: TakenCheck, { error, stopping, lost, log }: Trouble) {
  if (lost) return
  if (!stopping) log.warn('a CSV check failed, it will be tried again', { csv: id, ...errorFields(error) })
  // One that was stopped goes on elsewhere at once; one that failed, after a while.
  await scope
    .query(
      `update csv_uploads set beaten_at = case when :stopping then null else now() end,
         attempts = attempts - (case when :stopping then 1 else 0 end) where ${OURS}`,
      { id, round, stopping },
    )
    .catch(() => {})
}
