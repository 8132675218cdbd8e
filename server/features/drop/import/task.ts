// Imports drop folders in the background, one run per shop at a time: imports the files that are
// ready, moves away files of ended imports, and schedules the next run.
import { say } from '../../../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import type { Database } from '../../../core/db/database.ts'
import { queueTask, type BackgroundTask } from '../../../core/queue/background.ts'
import { AppError, ERRORS } from '../../../core/errors.ts'
import { errorFields, type Logger } from '../../../core/log.ts'
import { raiseNoticeOnce } from '../../../core/outbox/notices.ts'
import { present } from '../../../core/lazy.ts'
import { lockSettings, NEXT_HOUR, readSettings, type DropSettings } from '../settings.ts'
import { DROP_TASK, laterKey } from '../wake.ts'
import type { Reason } from '../note.ts'
import { IMPORTABLE, QUIET_SECONDS, takeReady, type TakeParts } from './take.ts'
import { endedFiles, fileFailed, fileProcessed, noteAccounts, type EndedFile } from './filing.ts'
import { WholeBlobs } from '../../../files/whole-blobs.ts'
import { fileCompleteManifests, type ManifestParts } from './manifests.ts'

export interface DropTaskParts extends TakeParts {
  database: Database
  log: Logger
}

/** SQL: shops with work, and when it is due. */
const WANTED = `
  select d.shop_id, d.shop_id || '/later' as key, case when importing or d.schedule = 'realtime'
    or d.operation_id is not null then now() else coalesce(d.next_import_at, now()) end as due_at
  from drop_settings d join shops s on s.id = d.shop_id,
    lateral (select exists (select from drop_entries e where e.shop_id = d.shop_id
      and e.state = 'importing')
      as importing) i
  where s.uninstalled_at is null and (importing or d.operation_id is not null
    or (d.auto_import and d.schedule <> 'manual' and exists (
      select from drop_entries e where e.shop_id = d.shop_id and e.state = 'waiting')))`

export const dropTask = (given: Omit<DropTaskParts, 'blobs'>): BackgroundTask => {
  const parts = { ...given, blobs: new WholeBlobs({ ...given, clock: () => new Date() }) }
  return { ...DROP_TASK, concurrency: 4, wanted: WANTED, run: (run) => importOf(parts, run) }
}

const importOf = async (
  parts: DropTaskParts,
  { shop: id, signal }: Parameters<BackgroundTask['run']>[0],
): Promise<null> => {
  const shop = present(id, 'The shop of the run')
  const scope = forShop(parts.database, shop)
  // First, because a file waits while one that was sent before under its name is in an import.
  await fileAway(scope, parts, signal)
  await importDue(parts, scope).catch((error: unknown) => reportFailure(parts, scope, error))
  const next = await nextRunAt(scope)
  // The next run has a separate key, so that it does not delay a file that wakes the task now.
  if (next) await queueTask(scope, DROP_TASK, laterKey(shop), next)
  return null
}

async function importDue(parts: DropTaskParts, scope: ShopScope): Promise<void> {
  const settings = await readSettings(scope)
  if (settings.auto_import && settings.schedule === 'realtime') await importArrived(parts, scope)
  if (settings.auto_import && settings.schedule === 'hourly' && (await isHourlyDue(scope)))
    await importHourly(parts, scope)
  await closeIdle(parts, scope, settings)
}

const REQUESTED_BY = 'Drop folder'

async function importArrived(parts: DropTaskParts, scope: ShopScope): Promise<void> {
  const take = { requestedBy: REQUESTED_BY, prompt: true, growing: true }
  while ((await takeReady(parts, scope, take))?.isFull);
}

async function importAll(parts: DropTaskParts, scope: ShopScope): Promise<void> {
  const take = { requestedBy: REQUESTED_BY, prompt: false, growing: false }
  while (await takeReady(parts, scope, take));
}

/** Is the hourly import due? The first one is an hour after the schedule was chosen. */
async function isHourlyDue(scope: ShopScope): Promise<boolean> {
  const [row] = await scope.query<{ due: boolean }>(
    `update drop_settings set next_import_at = coalesce(next_import_at, ${NEXT_HOUR})
     where shop_id = :shop returning coalesce(old.next_import_at <= now(), false) as due`,
  )
  return row?.due ?? false
}

/**
 * Runs the hourly import. The time of the next one is set only after it: a run that is interrupted,
 * or that fails for a temporary reason, is repeated.
 */
async function importHourly(parts: DropTaskParts, scope: ShopScope): Promise<void> {
  await importAll(parts, scope).catch((error: unknown) => reportFailure(parts, scope, error))
  await scope.query(`update drop_settings set next_import_at = ${NEXT_HOUR} where shop_id = :shop`)
}

/** The open import ends when no file has arrived for this time. */
const IDLE = '3 seconds'
/** While a file is still being sent the import stays open, but not longer than this. */
const MAX_IDLE = '60 seconds'

function closeIdle(
  { engine }: DropTaskParts,
  scope: ShopScope,
  { schedule, auto_import }: DropSettings,
): Promise<void> {
  return scope.transaction(async (tx) => {
    await lockSettings(tx)
    const [closed] = await tx.query<{ operation: string }>(
      `update drop_settings d set operation_id = null, grown_at = null
       where shop_id = :shop and operation_id is not null and (:ended::boolean
         or grown_at < now() - interval '${MAX_IDLE}'
         or (grown_at < now() - interval '${IDLE}' and not exists (
           select from drop_entries e where e.shop_id = d.shop_id and e.state = 'writing')))
       returning old.operation_id as operation`,
      { ended: !auto_import || schedule !== 'realtime' },
    )
    if (closed) await engine.close(tx, closed.operation)
  })
}

/** Reads when the next run may have work; null: nothing waits. */
async function nextRunAt(scope: ShopScope): Promise<Date | null> {
  const [row] = await scope.query<{ next: Date | null }>(
    `select least(
       case when exists (select from drop_entries e join operations o
           on o.shop_id = e.shop_id and o.id = e.operation_id
           where e.shop_id = :shop and e.state = 'importing' and o.status <> 'paused')
         then now() + interval '500 milliseconds' end,
       case when exists (select from drop_entries where shop_id = :shop and state = 'importing')
         then now() + interval '30 seconds' end,
       case when operation_id is not null then now() + interval '1 second' end,
       case when auto_import and schedule = 'hourly' and exists (
           select from drop_entries where shop_id = :shop and ${IMPORTABLE})
         then greatest(next_import_at, now() + interval '1 second') end,
       case when auto_import and schedule = 'realtime' then (
         select case when count(*) > 0 then coalesce(
           min(quiet_since) filter (where quiet_since > now() - interval '${QUIET_SECONDS} seconds')
             + interval '${QUIET_SECONDS + 1} seconds', now() + interval '1 minute') end
         from drop_entries where shop_id = :shop and ${IMPORTABLE}) end
     ) as next from drop_settings where shop_id = :shop`,
  )
  return row?.next ?? null
}

/** Raises a notice about a workflow that cannot run: the files wait until it is corrected. */
async function reportFailure(
  { log }: DropTaskParts,
  scope: ShopScope,
  error: unknown,
): Promise<void> {
  if (!(error instanceof AppError)) throw error
  log.warn('drop: the import could not start', { shop: scope.shop, ...errorFields(error) })
  const title = say('Files in the drop folder could not be imported')
  const body = say('{reason}. The files wait, and the next import takes them.', {
    reason: error.text,
  })
  await scope.transaction((tx) =>
    raiseNoticeOnce(tx, { level: 'critical', title, body, operation_id: null }),
  )
}

// Moves the files of ended imports, in small transactions: the next run continues after a crash.

const BATCH_SIZE = 100

/** Moves the files of ended imports and returns their number. */
async function fileAway(
  scope: ShopScope,
  parts: ManifestParts,
  signal: AbortSignal,
): Promise<number> {
  const { stores } = parts
  const { move_to_processed } = await readSettings(scope)
  let moved = 0
  for (let ended: EndedFile[] = []; ; moved += ended.length) {
    signal.throwIfAborted()
    ended = await scope.transaction(async (tx) => {
      const files = await endedFiles(tx, BATCH_SIZE)
      const imported = files.filter(({ status }) => status === 'done')
      const leftOut = files.filter(isLeftOut)
      await noteAccounts(tx, imported)
      await fileProcessed(tx, imported, move_to_processed)
      // No file of the shop has their bytes: they stay in /processed/ for a while.
      await fileProcessed(tx, leftOut, true)
      for (const file of files)
        if (file.status !== 'done' && !isLeftOut(file))
          await fileFailed({ scope: tx, stores }, file, reasonOf(file))
      const manifests = new Set(files.flatMap(({ manifest_id }) => manifest_id ?? []))
      if (manifests.size > 0) await fileCompleteManifests(parts, tx, [...manifests])
      return files
    })
    if (ended.length < BATCH_SIZE) return moved + ended.length
  }
}

/** Was it left out because its name is taken, as the settings say? */
const isLeftOut = ({ status, item_error }: EndedFile): boolean =>
  status === 'skipped' && item_error?.code === 'duplicate_filename'

function reasonOf({ status, item_error }: EndedFile): Reason {
  if (item_error) return item_error
  const code = status === 'cancelled' ? 'operation_cancelled' : 'drop_file_gone'
  return { code, message: ERRORS[code].message }
}
