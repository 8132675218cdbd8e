// The shop's schedules in the database: what runs, on which files, and the next run.
import { say } from '../../../plugins/contract/index.ts'
import { asDetail, type WorkflowProblem } from '../workflows/problems.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { countInTurn } from '../../core/db/shop-maximum.ts'
import type { OperationStatus } from '../../engine/types.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import type { Given } from '../../http/endpoint.ts'
import { readShop } from '../../files/shop-settings.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'
import type { Parts } from '../workflows/check.ts'
import { scheduleProblems, type ScheduleBody } from './check.ts'
import { nextRuns } from './times.ts'

export interface ScheduleRow extends ScheduleBody {
  /** The bare UUID of the schedule. */
  id: string
  /** false: its workflow is switched off. */
  runs: boolean
  next_run_at: Date | null
  last_run_at: Date | null
  last_operation_id: string | null
  last_kind: 'import' | 'bulk' | null
  last_status: OperationStatus | null
  created_at: Date
  updated_at: Date
}

type StoredSchedule = Omit<ScheduleRow, 'workflow'> & {
  built_in: string | null
  workflow_id: string | null
}

const SELECT = `select s.*, (select w.enabled from workflows w
    where w.shop_id = s.shop_id and w.id = s.workflow_id) is not false as runs, o.kind as last_kind, o.status as last_status from triggers s
  left join operations o on o.shop_id = s.shop_id and o.id = s.last_operation_id
    where s.shop_id = :shop and s.kind = 'times'`
const MAX = 100

const rowOf = ({ built_in, workflow_id, ...row }: StoredSchedule): ScheduleRow => ({
  ...row,
  workflow: workflow_id ? toPublicId('workflow', workflow_id) : built_in,
})

/** Lists the schedules by name. */
export async function listSchedules(scope: ShopScope): Promise<ScheduleRow[]> {
  return (await scope.query<StoredSchedule>(`${SELECT} order by lower(s.name), s.id`)).map(rowOf)
}

export async function readSchedule(scope: ShopScope, id: string): Promise<ScheduleRow | null> {
  const [row] = await scope.query<StoredSchedule>(`${SELECT} and s.id = :id`, { id })
  return row ? rowOf(row) : null
}

/**
 * Locks the schedule for this transaction; null when it is not due at `now` or another worker has
 * it.
 */
export async function lockDue(tx: ShopScope, id: string, now: Date): Promise<ScheduleRow | null> {
  const [row] = await tx.query<StoredSchedule>(
    `${SELECT} and s.id = :id and s.enabled and s.next_run_at <= :now for update of s skip locked`,
    { id, now },
  )
  return row ? rowOf(row) : null
}

/** Locks the schedule for this transaction, and waits for its lock. Throws `not_found`. */
export async function lockSchedule(tx: ShopScope, id: string): Promise<ScheduleRow> {
  const [row] = await tx.query<StoredSchedule>(`${SELECT} and s.id = :id for update of s`, { id })
  if (!row) throw new AppError('not_found')
  return rowOf(row)
}

/** Creates a schedule. Throws `validation_failed` with every problem. */
export async function createSchedule(
  scope: ShopScope,
  body: ScheduleBody,
  parts: Parts,
  now: Date,
): Promise<string> {
  return scope.transaction(async (tx) => {
    const count = await countInTurn(tx, SCHEDULES)
    const columns = await columnsOf(tx, body, parts, now, tooMany(count))
    const names = Object.keys(columns)
    const row = await tx.one<{ id: string }>(
      `insert into triggers (shop_id, ${names.join(', ')})
         values (:shop, ${names.map((name) => `:${name}`).join(', ')})
       returning id`,
      columns,
    )
    return row.id
  })
}

const SCHEDULES = `triggers where shop_id = :shop and kind = 'times'`

/** The problem of one more schedule, if there are too many. */
const tooMany = (count: number): WorkflowProblem[] =>
  count < MAX
    ? []
    : [{ param: 'name', message: say('A shop has at most {most} schedules', { most: MAX }) }]

/**
 * The problems of the well-formed fields of a schedule.
 * @param id the schedule that it replaces; null: a new one.
 */
export async function givenScheduleProblems(
  scope: ShopScope,
  body: Given<ScheduleBody>,
  parts: Parts,
  id: string | null,
): Promise<ErrorDetail[]> {
  const before = id === null ? null : await readSchedule(scope, id)
  const known = id === null ? tooMany((await listSchedules(scope)).length) : []
  return [...known, ...(await scheduleProblems(scope, body, parts, before))].map(asDetail)
}

/** Replaces all fields of a schedule. Throws `not_found`, `validation_failed`. */
export async function replaceSchedule(
  scope: ShopScope,
  id: string,
  body: ScheduleBody,
  parts: Parts,
  now: Date,
): Promise<void> {
  await scope.transaction(async (tx) => {
    const before = await lockSchedule(tx, id)
    const columns = await columnsOf(tx, body, parts, now, [], before)
    const set = Object.keys(columns).map((name) => `${name} = :${name}`)
    await tx.query(
      `update triggers set ${set.join(', ')}, updated_at = now() where shop_id = :shop
         and id = :id`,
      {
        id,
        ...columns,
      },
    )
  })
}

/** Deletes a schedule. Operations that it started continue. Throws `not_found`. */
export async function deleteSchedule(scope: ShopScope, id: string): Promise<void> {
  const rows = await scope.query(
    `delete from triggers where shop_id = :shop and id = :id and kind = 'times' returning id`,
    { id },
  )
  if (rows.length === 0) throw new AppError('not_found')
}

/** Recalculates every next run after a change of the shop's time zone. */
export async function rescheduleAll(tx: ShopScope, timeZone: string, now: Date): Promise<void> {
  const rows = await tx.query<{ id: string; cron: string }>(
    `select id, cron from triggers where shop_id = :shop and kind = 'times' and enabled for update`,
  )
  for (const { id, cron } of rows)
    await setNextRun(tx, id, nextRuns(cron, timeZone, now, 1)[0] ?? null)
}

/** Schedules of all shops that one second may start; the others of the same minute follow. */
const STARTS_A_SECOND = 5
/** Most of them are due at a full hour at night: they are spread over this time at most. */
const SPREAD_SECONDS = 300

/** Above this number of one minute, a second has more. */
const STARTS_IN_ORDER = SPREAD_SECONDS * STARTS_A_SECOND

/**
 * Sets the next run: `next`, or some seconds later if many schedules of all shops are due then.
 * Operations that begin at the same moment would wait for each other. If each second has as many as
 * it may start, the others are spread evenly over all seconds.
 */
export async function setNextRun(tx: ShopScope, id: string, next: Date | null): Promise<void> {
  await tx.query(
    `update triggers set next_run_at = :next::timestamptz + interval '1 second' * (
       select case when count(*) < ${STARTS_IN_ORDER} then count(*) / ${STARTS_A_SECOND}
         else hashtextextended(:id, 0) & 2147483647 end % ${SPREAD_SECONDS}
       from (select from triggers o
         where o.next_run_at >= :next and o.id <> :id::uuid
           and o.next_run_at < :next::timestamptz + interval '${SPREAD_SECONDS} seconds'
         limit ${STARTS_IN_ORDER}) o)
     where shop_id = :shop and id = :id::uuid`,
    { id, next },
  )
}

async function columnsOf(
  tx: ShopScope,
  body: ScheduleBody,
  parts: Parts,
  now: Date,
  known: readonly WorkflowProblem[],
  before: ScheduleBody | null = null,
): Promise<Record<string, unknown>> {
  const problems = [...known, ...(await scheduleProblems(tx, body, parts, before))]
  if (problems.length > 0) {
    const details = problems.map(asDetail)
    throw new AppError('validation_failed', { param: firstOf(details).param, details })
  }
  const own = body.workflow === null ? null : parsePublicId('workflow', body.workflow)
  // So that the time zone can't change until this is written.
  await tx.query('select 1 from shops where id = :shop for share')
  const { time_zone } = (await readShop(tx)).settings
  const cron = body.cron.trim().split(/\s+/).join(' ')
  return {
    name: body.name,
    enabled: body.enabled,
    cron,
    action: body.action,
    built_in: own ? null : body.workflow,
    workflow_id: own,
    options: JSON.stringify(body.options),
    filter: JSON.stringify(body.filter),
    notify: body.notify,
    cap: body.cap,
    next_run_at: body.enabled ? (nextRuns(cron, time_zone, now, 1)[0] ?? null) : null,
  }
}
