// Runs a delivery's workflow over its files, as a background task under a lease. It is no operation:
// thousands may be made a day, none can be undone, and their results belong to the delivery. What a
// step could not do holds the whole delivery, because a file must not leave without its stamp.
import { adviceOf, type Plugin } from '../../../plugins/contract.ts'
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import { createLicences } from './licences.ts'
import type { BackgroundTask, TaskRun } from '../background.ts'
import { BrokenStep, resolveSteps, writeContext } from '../batches/context.ts'
import { MAX_ATTEMPTS } from '../batches/failure.ts'
import { loadRecords, obstacleOf } from '../batches/item-work.ts'
import { runSteps } from '../batches/run-steps.ts'
import { freshItem } from '../batches/work-items.ts'
import type { EndedItem, EngineParts, WorkItem } from '../types.ts'
import {
  beginRun,
  PREPARE_DELIVERY,
  waitingFiles,
  WANTED_RUNS,
  type DeliveryAbout,
  type DeliveryRun,
} from './runs.ts'
import {
  writePrepared,
  writeFailed,
  writeLeftOut,
  writeReady,
  type RunFailure,
  type Told,
} from './results.ts'

/** Most wait for the sandbox, which limits itself. */
const RUN_CONCURRENCY = 4

/**
 * @param ended called in the transaction in which a run becomes ready or fails, with the delivery's
 *   bare UUID: it releases the delivery, or stores the reason.
 */
export const prepareTask = (
  parts: EngineParts,
  ended: (tx: ShopScope, delivery: string) => Promise<void>,
): BackgroundTask => ({
  ...PREPARE_DELIVERY,
  concurrency: RUN_CONCURRENCY,
  wanted: WANTED_RUNS,
  run: async (task) => {
    const scope = forShop(parts.database, task.shop!)
    const run = await beginRun(scope, task.key)
    if (!run) return null
    // An attempt that ended its worker has counted too.
    const result =
      run.attempts > MAX_ATTEMPTS
        ? { failure: CRASHED }
        : await carryOutRun(parts, scope, run, task, {
            files: await waitingFiles(scope, run.delivery_id),
            write: (tx, one) => writeItem(tx, run, one),
          })
    if ('again' in result) return new Date(Date.now() + result.again)
    await scope.transaction(async (tx) => {
      await task.lease.hold(tx)
      if ('failure' in result) await writeFailed(tx, run, result.failure)
      else await writePrepared(tx, run, result.told)
      await ended(tx, run.delivery_id)
    })
    return null
  },
})

type Result = { told: readonly Told[] } | { failure: RunFailure } | { again: number }

export interface RunWork {
  /** Bare UUIDs. */
  files: readonly string[]
  /** In its own transaction, under the run's lease. */
  write(tx: ShopScope, ended: EndedItem): Promise<void>
}

export async function carryOutRun(
  parts: EngineParts,
  scope: ShopScope,
  run: DeliveryRun,
  task: TaskRun,
  { files, write: writeEnded }: RunWork,
): Promise<Result> {
  const told: Told[] = []
  const delivery = deliveryPort(run.about, told)
  const licences = createLicences(scope, run.delivery_id)
  const ports = { delivery, licences }
  const write = await writeContext(parts, scope, { request: {} }, task.signal, ports)
  const items = await openItems(scope, run, files)
  const lost = items.find((item) => obstacleOf(item, 'files') !== null)
  if (lost) return { failure: { code: 'file_not_found', reason: LOST } }
  let steps
  try {
    steps = resolveSteps(parts, scope, run.workflow)
  } catch (error) {
    if (!(error instanceof BrokenStep)) throw error
    return { failure: { code: error.code, reason: `${error.message}. Correct the workflow.` } }
  }
  const onStaged = () => Promise.resolve()
  const context = { read: write, write, log: parts.log, onStaged, now: () => performance.now() }
  let failure: RunFailure | null = null
  let again: number | null = null
  for await (const one of runSteps(steps, items, context)) {
    task.signal.throwIfAborted()
    await scope.transaction(async (tx) => {
      await task.lease.hold(tx)
      await writeEnded(tx, one)
    })
    if (one.ending.status === 'failed') failure ??= failureOf(one, parts.plugins)
    if (one.ending.status === 'again') again = Math.max(again ?? 0, one.ending.delayMs)
  }
  task.signal.throwIfAborted()
  if (failure) return { failure }
  return again === null ? { told } : { again }
}

export const CRASHED = {
  code: 'worker_crashed',
  reason: 'Processing its files stopped the worker several times: check the files.',
}
const LOST =
  'A file of it is in the trash or was deleted: restore it, then prepare the delivery again.'

async function openItems(
  scope: ShopScope,
  { attempts: attempt }: DeliveryRun,
  files: readonly string[],
): Promise<WorkItem[]> {
  const items = files.map((file_id, position) => ({ ...freshItem({ position, file_id }), attempt }))
  await loadRecords(scope, items)
  return items
}

const deliveryPort = ({ order, buyer, quantities }: DeliveryAbout, told: Told[]) => ({
  order,
  buyer,
  quantityOf: (file: string) => Math.max(1, quantities[file] ?? 1),
  tell: (message: Told) => void told.push(message),
})

async function writeItem(
  tx: ShopScope,
  { delivery_id }: DeliveryRun,
  { item, ending }: EndedItem,
): Promise<void> {
  const file = item.file_id!
  if (ending.status === 'done') await writeReady(tx, delivery_id, item)
  if (ending.status === 'skipped') await writeLeftOut(tx, delivery_id, file, ending.reason)
}

function failureOf({ item, ending }: EndedItem, plugins: readonly Plugin[]): RunFailure | null {
  if (ending.status !== 'failed') return null
  const { code, message, detail } = ending.error
  const advice = plugins.map((plugin) => adviceOf(plugin)[code]).find((one) => one !== undefined)
  const what = `“${item.record!.filename}”: ${detail ? `${message} (${detail})` : message}.`
  return { code, reason: advice ? `${what} ${advice}` : what }
}
