// The rows of a workflow's run for one delivery: the run, and the files that it prepares. The
// delivery's page is held until the run is ready.
import type { AnyText, Workflow } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { textOfColumns } from '../../core/texts.ts'
import { queueTask, type TaskKind } from '../../core/queue/background.ts'
import { present } from '../../core/lazy.ts'

/** The data for plugins. Personal data: it is deleted with the customer's data. */
export interface DeliveryAbout {
  /** Its name as the buyer knows it, `#1001`; its time is ISO 8601. */
  order: { name: string; confirmation_number: string | null; ordered_at: string }
  buyer: { name: string | null; email: string | null; locale: string | null }
  lines: readonly OrderLine[]
}

/** A line of the order that entitles the buyer, with its files (bare UUIDs). */
export interface OrderLine {
  id: string
  quantity: number
  files: readonly string[]
}

export interface DeliveryToPrepare {
  /** Bare UUIDs: the delivery, and the link of its page. */
  delivery: string
  page: string
  workflow: Workflow
  about: DeliveryAbout
  /** All files, bare UUIDs. Those that were prepared before stay as they are. */
  files: readonly string[]
}

export interface Preparation {
  /** failed: the delivery is held until it is prepared again. */
  status: 'waiting' | 'ready' | 'failed'
  code: string | null
  /** A sentence for the merchant; null unless it failed. */
  reason: AnyText | null
}

export interface DeliveryRun extends Preparation {
  delivery_id: string
  page_id: string
  workflow: Workflow
  about: DeliveryAbout
  /** Runs of this preparation or renewal, including this one. */
  attempts: number
}

export const PREPARE_DELIVERY: TaskKind = { name: 'prepare-delivery' }

/** Deliveries that must have a job. */
export const WANTED_RUNS = `
  select r.shop_id, r.delivery_id::text as key, r.updated_at as due_at from delivery_runs r
  join shops s on s.id = r.shop_id and s.uninstalled_at is null where r.status = 'waiting'`

/**
 * Adds files that a workflow has to prepare and queues its run, in the caller's transaction.
 * Idempotent: with files that are known already it gives their state.
 * @returns `changed`: the order's lines are others than before.
 */
export async function prepareDelivery(
  tx: ShopScope,
  { delivery, page, workflow, about, files }: DeliveryToPrepare,
): Promise<Preparation & { changed: boolean }> {
  const { changed } = await tx.one<{ changed: boolean }>(
    `insert into delivery_runs (shop_id, delivery_id, page_id, workflow, about, status)
     values (:shop, :delivery, :page, :workflow, :about, 'ready')
     on conflict (shop_id, delivery_id) do update set about = excluded.about
     returning coalesce(old.about -> 'lines' <> new.about -> 'lines', true) as changed`,
    { delivery, page, workflow: JSON.stringify(workflow), about: JSON.stringify(about) },
  )
  // A file that was replaced must not hold the others.
  await tx.query(
    `delete from prepared_files where shop_id = :shop and delivery_id = :delivery
       and file_id <> all(:files::uuid[])`,
    { delivery, files },
  )
  const added = await tx.query(
    `insert into prepared_files (shop_id, delivery_id, file_id, link_id)
     select :shop, :delivery, f.id, l.id from unnest(:files::uuid[]) as f (id)
     left join links l on l.shop_id = :shop and l.parent_id = :page and l.file_id = f.id
     on conflict (shop_id, delivery_id, file_id) do nothing returning file_id`,
    { delivery, page, files },
  )
  if (added.length > 0) await wait(tx, [delivery], JSON.stringify(workflow))
  return { ...present(await readPreparation(tx, delivery), 'the preparation'), changed }
}

/** SQL: a file of the run `r` is ready and has a link that works. */
const IS_PARTLY_READY = `exists (select from prepared_files p
  join links c on c.shop_id = p.shop_id and c.id = p.link_id and c.revoked_at is null
  where p.shop_id = r.shop_id and p.delivery_id = r.delivery_id and p.status = 'ready')`

/** Those of the deliveries of which the buyer can have a file, also if others are not ready. */
export async function partlyReady(
  scope: ShopScope,
  deliveries: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await scope.query<{ delivery_id: string }>(
    `select r.delivery_id from delivery_runs r
     where r.shop_id = :shop and r.delivery_id = any(:deliveries::uuid[]) and ${IS_PARTLY_READY}`,
    { deliveries },
  )
  return new Set(rows.map(({ delivery_id }) => delivery_id))
}

/**
 * Call it where a mail to the buyers of deliveries is queued: if it names files that are being
 * prepared, another mail follows when they are ready.
 * @param whole also if no file is ready yet
 */
export async function promiseMails(
  tx: ShopScope,
  deliveries: readonly string[],
  whole = false,
): Promise<void> {
  if (deliveries.length === 0) return
  await tx.query(
    `update delivery_runs r set mail_follows = true
     where shop_id = :shop and delivery_id = any(:deliveries::uuid[]) and status <> 'ready'
       and (:whole or ${IS_PARTLY_READY})`,
    { deliveries, whole },
  )
}

/** Was such a mail promised? It is not promised any more afterwards. */
export const takePromise = (tx: ShopScope, delivery: string): Promise<boolean> =>
  tx.has(
    `update delivery_runs set mail_follows = false
     where shop_id = :shop and delivery_id = :delivery and status = 'ready' and mail_follows
     returning 1`,
    { delivery },
  )

/** Null: no workflow prepares this delivery. */
export const readPreparation = async (
  scope: ShopScope,
  delivery: string,
): Promise<Preparation | null> => (await readPreparations(scope, [delivery])).get(delivery) ?? null

/** Those of the deliveries that a workflow prepares. */
export async function readPreparations(
  scope: ShopScope,
  deliveries: readonly string[],
): Promise<Map<string, Preparation>> {
  const rows = await scope.query<Preparation & { delivery_id: string }>(
    `select delivery_id, status, code, ${textOfColumns('reason')} as reason from delivery_runs
     where shop_id = :shop and delivery_id = any(:deliveries::uuid[])`,
    { deliveries },
  )
  return new Map(rows.map(({ delivery_id, ...preparation }) => [delivery_id, preparation]))
}

/**
 * Prepares what waits, and files that lack keys for units: the buyer keeps what was delivered while
 * this lasts, and if it fails.
 */
export const continuePreparation = (tx: ShopScope, delivery: string): Promise<void> =>
  wait(tx, [delivery])

/** Queues a failed run again. False: it did not fail. */
export async function repeatPreparation(tx: ShopScope, delivery: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from delivery_runs where shop_id = :shop and delivery_id = :delivery
       and status = 'failed' for update`,
    { delivery },
  )
  if (rows.length > 0) await wait(tx, [delivery])
  return rows.length > 0
}

/**
 * Prepares files again, because the data that the plugins get has changed.
 * @param files bare UUIDs; absent: all of the delivery.
 */
export async function restartPreparation(
  tx: ShopScope,
  delivery: string,
  files: readonly string[] | null = null,
): Promise<void> {
  await tx.query(
    `update prepared_files set status = 'waiting'
     where shop_id = :shop and delivery_id = :delivery and status = 'ready'
       and (:files::uuid[] is null or file_id = any(:files::uuid[]))`,
    { delivery, files },
  )
  await wait(tx, [delivery])
}

/** After keys were added to a list: prepares deliveries again that lacked licence keys. */
export async function prepareForKeys(tx: ShopScope): Promise<void> {
  const rows = await tx.query<{ delivery_id: string }>(
    `select delivery_id from delivery_runs where shop_id = :shop and status = 'failed'
       and code = 'licence_keys_used_up' order by created_at for update`,
  )
  await wait(
    tx,
    rows.map(({ delivery_id }) => delivery_id),
  )
}

async function wait(
  tx: ShopScope,
  deliveries: readonly string[],
  workflow: string | null = null,
): Promise<void> {
  await tx.query(
    `update delivery_runs set status = 'waiting', code = null, reason = null, reason_values = null,
       attempts = 0, updated_at = now(), workflow = coalesce(:workflow::jsonb, workflow)
     where shop_id = :shop and delivery_id = any(:deliveries::uuid[])`,
    { deliveries, workflow },
  )
  for (const delivery of deliveries) await queueTask(tx, PREPARE_DELIVERY, delivery)
}

const RUN_COLUMNS = `delivery_id, page_id, workflow, about, status, code,
  ${textOfColumns('reason')} as reason, attempts`

/** Begins an attempt, which counts before it starts. Null: the delivery does not wait for a run. */
export const beginRun = (scope: ShopScope, delivery: string): Promise<DeliveryRun | null> =>
  scope.first<DeliveryRun>(
    `update delivery_runs set attempts = attempts + 1
     where shop_id = :shop and delivery_id = :delivery and status = 'waiting'
     returning ${RUN_COLUMNS}`,
    { delivery },
  )

/**
 * The same for the renewal of copies, also if other files or keys could not be had. Null: a run
 * waits, or no copy is stale.
 */
export const beginRenewal = (scope: ShopScope, delivery: string): Promise<DeliveryRun | null> =>
  scope.first<DeliveryRun>(
    `update delivery_runs set attempts = attempts + 1
     where shop_id = :shop and delivery_id = :delivery and status <> 'waiting' and exists (
       select from prepared_files
       where shop_id = :shop and delivery_id = :delivery and stale and status = 'ready')
     returning ${RUN_COLUMNS}`,
    { delivery },
  )

/** An attempt that ended because the worker stopped does not count. */
export async function returnAttempt(scope: ShopScope, delivery: string): Promise<void> {
  await scope.query(
    `update delivery_runs set attempts = attempts - 1
     where shop_id = :shop and delivery_id = :delivery and attempts > 0`,
    { delivery },
  )
}

/** The files that wait, in a stable order. */
export const waitingFiles = async (scope: ShopScope, delivery: string): Promise<string[]> =>
  (
    await scope.query<{ file_id: string }>(
      `select file_id from prepared_files where shop_id = :shop and delivery_id = :delivery
         and status = 'waiting' order by file_id`,
      { delivery },
    )
  ).map(({ file_id }) => file_id)
