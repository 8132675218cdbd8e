// Runs a delivery's workflow over its files, as a background task under a lease. It is not an
// operation: there may be thousands a day, none can be undone, and their results belong to the
// delivery. No file is served unstamped, but one that takes long or fails does not hold the others:
// they are delivered as soon as they are ready. It also must not wait for an import, which may take
// minutes in the places that operations share.
import {
  adviceOf,
  english,
  say,
  sentences,
  textOf,
  type Plugin,
  ownValue,
} from '../../../plugins/contract/index.ts'
import { textsOfDetail } from '../../core/texts.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { createLicences, type LackingKeys } from './licences.ts'
import type { BackgroundTask, TaskRun } from '../../core/queue/background.ts'
import { BrokenStep, resolveSteps, writeContext } from '../../engine/context.ts'
import { freshItem } from '../../engine/work-item.ts'
import { loadRecords, obstacleOf } from '../../engine/item-work.ts'
import { MAX_ATTEMPTS } from '../../engine/failure.ts'
import { runSteps, type BatchContext } from '../../engine/run-steps.ts'
import type { EndedItem, WorkItem } from '../../engine/types.ts'
import type { EngineParts } from '../../engine/parts.ts'
import { filesLackingKeys } from './assigned-keys.ts'
import { LeaseLost } from '../../core/queue/lease.ts'
import { present } from '../../core/lazy.ts'
import {
  beginRun,
  PREPARE_DELIVERY,
  readPreparation,
  returnAttempt,
  waitingFiles,
  WANTED_RUNS,
  type DeliveryAbout,
  type DeliveryRun,
} from './runs.ts'
import {
  writePrepared,
  writeFailed,
  writeLacking,
  writeLeftOut,
  writeReady,
  writeStale,
  type RunFailure,
  type DeliveryNotice,
} from './results.ts'

/** Most runs wait for the sandbox, which has its own limit. */
const RUN_CONCURRENCY = 6

/** Files that are ready after this time are delivered, and the others follow. */
const PART_MS = 10_000

/**
 * @param ended called in the transaction in which a run becomes ready or fails, and for each file of a
 *   long run, with the delivery's bare UUID: it releases the delivery, or stores the reason.
 * @param partMs a run that takes longer is long.
 */
export const prepareTask = (
  parts: EngineParts,
  ended: (tx: ShopScope, delivery: string) => Promise<void>,
  partMs = PART_MS,
): BackgroundTask => ({
  ...PREPARE_DELIVERY,
  concurrency: RUN_CONCURRENCY,
  waits: true,
  wanted: WANTED_RUNS,
  run: async (task) => {
    const scope = forShop(parts.database, present(task.shop, 'the task’s shop'))
    const run = await beginRun(scope, task.key)
    if (!run) return null
    // An attempt during which the worker died counts too.
    const release = () =>
      scope.transaction(async (tx) => {
        await task.lease.hold(tx)
        await ended(tx, run.delivery_id)
      })
    const result =
      run.attempts > MAX_ATTEMPTS
        ? { failure: CRASHED }
        : await whileReleasing(release, partMs, parts.log, async (isLong) =>
            executeRun(parts, scope, run, task, {
              files: await filesToPrepare(scope, run.delivery_id),
              write: async (tx, one) => {
                await writeItem(tx, run, one)
                if (isLong()) await ended(tx, run.delivery_id)
              },
            }),
          )
    if ('again' in result) {
      await release()
      return result.again
    }
    return scope.transaction(async (tx) => {
      await task.lease.hold(tx)
      if ('failure' in result) await writeFailed(tx, run, result.failure)
      else if (result.lacking) await writeLacking(tx, run, result.lacking)
      else await writePrepared(tx, run, result.notices)
      await ended(tx, run.delivery_id)
      // The order may have got more files or units during the run.
      const now = await readPreparation(tx, run.delivery_id)
      return now?.status === 'waiting' ? 0 : null
    })
  },
})

/** Those that wait, and those that the buyer has and that need keys for units that were added. */
async function filesToPrepare(scope: ShopScope, delivery: string): Promise<string[]> {
  const lacking = (await filesLackingKeys(scope, [delivery])).get(delivery) ?? []
  return [...(await waitingFiles(scope, delivery)), ...lacking]
}

/** Calls `release` if `work` takes longer than `ms`, and tells it from then on. */
async function whileReleasing<T>(
  release: () => Promise<void>,
  ms: number,
  log: Logger,
  work: (isLong: () => boolean) => Promise<T>,
): Promise<T> {
  let long = false
  let releasing: Promise<void> = Promise.resolve()
  const timer = setTimeout(() => {
    long = true
    releasing = release().catch((error: unknown) => {
      // The end of the run releases them too.
      log.warn('the ready files of a delivery were not released', errorFields(error))
    })
  }, ms)
  try {
    return await work(() => long)
  } finally {
    clearTimeout(timer)
    await releasing
  }
}

/** `lacking`: all files are prepared, but added units of some still wait for keys. */
interface RunDone {
  notices: readonly DeliveryNotice[]
  lacking: RunFailure | null
}

type Result = RunDone | { failure: RunFailure } | { again: number }

export interface RunWork {
  /** Bare UUIDs. */
  files: readonly string[]
  /** Writes one item's result in a separate transaction, under the run's lease. */
  write(tx: ShopScope, ended: EndedItem): Promise<void>
}

export async function executeRun(
  parts: EngineParts,
  scope: ShopScope,
  run: DeliveryRun,
  task: TaskRun,
  { files, write }: RunWork,
): Promise<Result> {
  const items = await openItems(scope, run, files)
  const lost = items.find((item) => obstacleOf(item, 'files') !== null)
  if (lost) return { failure: { code: 'file_not_found', reason: LOST } }
  let steps
  try {
    steps = resolveSteps(parts, scope, run.workflow)
  } catch (error) {
    if (!(error instanceof BrokenStep)) throw error
    return {
      failure: {
        code: error.code,
        reason: say('{reason}. Correct the workflow.', { reason: textOf(error.texts.message) }),
      },
    }
  }
  const notices: DeliveryNotice[] = []
  const lacking: LackingKeys[] = []
  // Without this, the steps would continue after a write failed, beside the next run.
  const stop = new AbortController()
  const context = await contextOf(parts, scope, run, {
    signal: AbortSignal.any([task.signal, stop.signal]),
    notices,
    lacks: (keys) => void lacking.push(keys),
  })
  const save = (one: EndedItem) =>
    scope.transaction(async (tx) => {
      await task.lease.hold(tx)
      await write(tx, one)
    })
  try {
    const end = await saveEach(runSteps(steps, items, context), save, task.signal, parts.plugins)
    return end ?? { notices, lacking: lackingOf(lacking, parts.plugins) }
  } catch (error) {
    stop.abort(error)
    const isStopping = task.signal.aborted && !(task.signal.reason instanceof LeaseLost)
    if (isStopping) await returnAttempt(scope, run.delivery_id)
    throw error
  }
}

async function contextOf(
  parts: EngineParts,
  scope: ShopScope,
  run: DeliveryRun,
  {
    signal,
    notices,
    lacks,
  }: {
    signal: AbortSignal
    notices: DeliveryNotice[]
    lacks: (keys: LackingKeys) => void
  },
): Promise<BatchContext> {
  const ports = {
    delivery: deliveryPort(run.about, notices),
    licences: createLicences(scope, parts.secrets, run, lacks),
  }
  const write = await writeContext(parts, scope, { request: {} }, signal, ports)
  return { write, log: parts.log, times: [] }
}

/** Null: all items are saved, and none failed. */
async function saveEach(
  ended: AsyncIterable<EndedItem>,
  save: (one: EndedItem) => Promise<void>,
  signal: AbortSignal,
  plugins: readonly Plugin[],
): Promise<{ failure: RunFailure } | { again: number } | null> {
  let failure: RunFailure | null = null
  let again: number | null = null
  for await (const one of ended) {
    signal.throwIfAborted()
    await save(one)
    if (one.ending.status === 'failed') failure ??= failureOf(one, plugins)
    if (one.ending.status === 'again') again = Math.max(again ?? 0, one.ending.delayMs)
  }
  signal.throwIfAborted()
  if (failure) return { failure }
  return again === null ? null : { again }
}

export const CRASHED = {
  code: 'worker_crashed',
  reason: say(
    'Preparing its files failed or stopped the worker several times: check the files, then prepare it again.',
  ),
}
const LOST = say(
  'One of its files is in the trash or was deleted: restore it, then prepare the delivery again.',
)

async function openItems(
  scope: ShopScope,
  { attempts: attempt }: DeliveryRun,
  files: readonly string[],
): Promise<WorkItem[]> {
  const items = files.map((file_id, position) => ({ ...freshItem({ position, file_id }), attempt }))
  await loadRecords(scope, items)
  return items
}

const deliveryPort = ({ order, buyer, lines }: DeliveryAbout, notices: DeliveryNotice[]) => ({
  order,
  buyer,
  quantityOf: (file: string) =>
    lines
      .filter(({ files }) => files.includes(file))
      .reduce((units, { quantity }) => units + quantity, 0) || 1,
  notifyShop: (notice: DeliveryNotice) => void notices.push(notice),
})

async function writeItem(
  tx: ShopScope,
  { delivery_id }: DeliveryRun,
  { item, ending }: EndedItem,
): Promise<void> {
  const file = present(item.file_id, 'the item’s file')
  if (ending.status === 'done') await writeReady(tx, delivery_id, item)
  if (ending.status === 'skipped') await writeLeftOut(tx, delivery_id, file, english(ending.reason))
  if (ending.status === 'failed') await writeStale(tx, delivery_id, file)
}

function failureOf({ item, ending }: EndedItem, plugins: readonly Plugin[]): RunFailure | null {
  if (ending.status !== 'failed') return null
  const { code } = ending.error
  const { message, detail } = textsOfDetail(ending.error)
  const advice = adviceFor(code, plugins)
  const { filename } = present(item.record, 'the item’s file')
  const reason = textOf(message)
  const what = detail
    ? say('“{filename}”: {reason} ({detail}).', { filename, reason, detail: textOf(detail) })
    : say('“{filename}”: {reason}.', { filename, reason })
  return { code, reason: advice ? sentences(what, advice) : what }
}

const adviceFor = (code: string, plugins: readonly Plugin[]) =>
  plugins.map((plugin) => ownValue(adviceOf(plugin), code)).find((one) => one !== undefined)

function lackingOf(all: readonly LackingKeys[], plugins: readonly Plugin[]): RunFailure | null {
  const most = all.toSorted((a, b) => b.count - a.count)[0]
  if (!most) return null
  const code = 'licence_keys_used_up'
  const what = say(
    'Added units need {count, plural, one {# more licence key} other {# more licence keys}} of the list “{list}”.',
    { count: most.count, list: most.list },
  )
  const advice = adviceFor(code, plugins)
  return { code, reason: advice ? sentences(what, advice) : what }
}
