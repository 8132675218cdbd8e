// When a workflow runs: its triggers, in requests, in answers and in the database.
import { z } from 'zod'
import {
  conditionSchema,
  say,
  textOf,
  type Text,
  type Workflow,
} from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import type { Given } from '../../http/endpoint.ts'
import { onConflict, textSchema } from '../../http/schemas.ts'
import type { WorkflowProblem } from './problems.ts'
import { referenceProblems, referencesInFilter } from './references.ts'
import {
  channelOfSource,
  givenSource,
  missingSources,
  sourceSchema,
  storedSource,
  type ImportSource,
} from './sources.ts'

/** Of a workflow, with its scheduled tasks. */
const MAX_TRIGGERS = 5
const MAX_COLLECT_SECONDS = 86_400
const MAX_QUIET_SECONDS = 86_400

/** The kinds that a workflow states. Those at times are scheduled tasks, with their own endpoints. */
const KINDS = ['imports', 'orders', 'event', 'hook'] as const

const fields = {
  kind: z
    .enum(KINDS)
    .describe(
      '`imports`: imports of a source run it. `orders`: it prepares each new delivery. `event`: it runs on the files of an event. `hook`: a program runs it',
    ),
  enabled: z.boolean().default(true),
  from: sourceSchema.nullable().default(null).describe('Of `imports`: where the files come from'),
  on_conflict: onConflict
    .nullable()
    .default(null)
    .describe('Of files of a drop account whose name is taken; null: the drop folder’s setting'),
  quiet_seconds: z
    .int()
    .min(30)
    .max(MAX_QUIET_SECONDS)
    .nullable()
    .default(null)
    .describe('How long a file of a drop account must have been unchanged; null: as usual'),
  event: z.string().max(100).nullable().default(null).describe('Of `event`: its name'),
  which: conditionSchema.default({}).describe('Only files of the event that meet this'),
  collect: z
    .int()
    .min(0)
    .max(MAX_COLLECT_SECONDS)
    .default(10)
    .describe('Seconds from the first event to the run, which takes all that came meanwhile'),
  max_files: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .default(null)
    .describe('The most files of its runs within an hour; above it, it pauses'),
  cap: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100)
    .describe('The most files that one run may delete; a run above it waits to be confirmed'),
}

export const triggerBody = z
  .strictObject({
    id: z.string().max(100).optional().describe('Of a trigger that it has already'),
    ...fields,
  })
  .meta({ id: 'TriggerRequest' })

export const triggerSchema = z
  .object({
    id: z.string(),
    ...fields,
    paused: textSchema.nullable().describe('Why it starts no runs; its events are kept for 7 days'),
    has_address: z.boolean().describe('Of `hook`: a program can call it'),
    waiting: z.int().describe('Events that wait for the next run'),
  })
  .meta({ id: 'Trigger' })

type WorkflowKind = Workflow['kind']
export type TriggerBody = z.output<typeof triggerBody>
type TriggerRecord = z.output<typeof triggerSchema>

interface TriggerRow {
  id: string
  workflow_id: string
  kind: (typeof KINDS)[number]
  enabled: boolean
  source: string | null
  event: string | null
  options: Pick<TriggerBody, 'on_conflict' | 'quiet_seconds'>
  filter: TriggerBody['which']
  collect: number
  max_files: number | null
  cap: number
  paused: Text | null
  has_address: boolean
  waiting: number
}

/** The triggers of workflows, by the workflow’s bare UUID, in the order in which they were added. */
export async function readTriggers(
  scope: ShopScope,
  workflow: string | null = null,
): Promise<Map<string, TriggerRecord[]>> {
  const rows = await scope.query<TriggerRow>(
    `select id, workflow_id, kind, enabled, source, event, options, filter, collect, max_files,
       cap, paused, secret_hash is not null as has_address,
       (select count(*)::int from trigger_events e where e.shop_id = t.shop_id
         and e.trigger_id = t.id and e.taken_at is null) as waiting
     from triggers t where shop_id = :shop and kind <> 'times'
       and (:workflow::uuid is null or workflow_id = :workflow) order by id`,
    { workflow },
  )
  const records = Map.groupBy(rows, (row) => row.workflow_id)
  return new Map([...records].map(([id, of]) => [id, of.map(recordOf)]))
}

const recordOf = ({ id, options, source, filter, ...row }: TriggerRow): TriggerRecord => ({
  id: toPublicId('trigger', id),
  kind: row.kind,
  enabled: row.enabled,
  from: row.kind === 'imports' && source !== null ? givenSource(source) : null,
  on_conflict: options.on_conflict ?? null,
  quiet_seconds: options.quiet_seconds ?? null,
  event: row.event,
  which: filter,
  collect: row.collect,
  max_files: row.max_files,
  cap: row.cap,
  paused: row.paused && textOf(row.paused),
  has_address: row.has_address,
  waiting: row.waiting,
})

/** The channel of a workflow: that of its trigger for all imports of one. */
export const channelOfTriggers = (triggers: readonly TriggerRecord[]): string | null =>
  triggers.find(({ from }) => from?.channel !== undefined)?.from?.channel ?? null

/** What a workflow’s request says about its triggers. */
export interface WhenBody {
  /** Absent: the triggers stay, except that of `channel`. */
  when?: readonly TriggerBody[] | undefined
  channel: string | null
}

const ofChannel = (channel: string): TriggerBody => ({
  ...triggerBody.parse({ kind: 'imports' }),
  from: { channel },
})

const fits = (trigger: TriggerBody['kind'], workflow: WorkflowKind): boolean =>
  (trigger === 'imports') === (workflow === 'import') &&
  (trigger === 'orders') === (workflow === 'delivery')

/** The source of the trigger for all orders: a shop has one. */
export const ORDERS = 'orders'

/** The source as it is stored; null: it has none, or names nothing. */
function storedIn({ kind, from }: Pick<Given<TriggerBody>, 'kind' | 'from'>): string | null {
  if (kind === 'orders') return ORDERS
  return kind === 'imports' && from ? storedSource(from as ImportSource) : null
}

/** The triggers that a workflow has after a request. */
export function triggersAfter(
  { kind, when, channel }: WhenBody & { kind: WorkflowKind },
  before: readonly TriggerRecord[],
): readonly (TriggerBody | TriggerRecord)[] {
  const known = before.filter(
    (one) => fits(one.kind, kind) && [undefined, channel].includes(one.from?.channel),
  )
  const all = when ?? known
  return channel === null || all.some(({ from }) => from?.channel === channel)
    ? all
    : [...all, ofChannel(channel)]
}

/** A channel whose imports a workflow runs, and the place of the request that says so. */
export interface ImportChannelOf {
  channel: string
  param: string
}

/** The channels whose imports a workflow would run, each with the place of its trigger. */
export const channelsOf = ({ when = [], channel }: Given<WhenBody>): ImportChannelOf[] => [
  ...(channel ? [{ channel, param: 'channel' }] : []),
  ...when.flatMap((trigger, at) => {
    const of = trigger?.from && channelOfSource(trigger.from as ImportSource)
    return of ? [{ channel: of, param: `when[${at}].from` }] : []
  }),
]

/** How many scheduled tasks run a workflow, by its bare UUID. */
async function countTimes(scope: ShopScope, workflow: string): Promise<number> {
  const { times } = await scope.one<{ times: number }>(
    `select count(*)::int as times from triggers
     where shop_id = :shop and workflow_id = :workflow and kind = 'times'`,
    { workflow },
  )
  return times
}

const TOO_MANY = say('At most {most} start a workflow, with its scheduled tasks', {
  most: MAX_TRIGGERS,
})

/** The problem of one more scheduled task of a workflow, by its id in requests. */
export async function oneTooMany(scope: ShopScope, workflow: string): Promise<WorkflowProblem[]> {
  const id = parsePublicId('workflow', workflow)
  if (id === null) return []
  const { others } = await scope.one<{ others: number }>(
    `select count(*)::int as others from triggers
     where shop_id = :shop and workflow_id = :id`,
    { id },
  )
  return others < MAX_TRIGGERS ? [] : [{ param: 'workflow', message: TOO_MANY }]
}

/** Finds the problems of triggers; `kind`: of their workflow. */
export async function triggerProblems(
  scope: ShopScope,
  { kind, when = [] }: Given<WhenBody & { kind: WorkflowKind }>,
  { id, events }: { id: string | null; events: readonly string[] | undefined },
): Promise<WorkflowProblem[]> {
  const problems: WorkflowProblem[] = []
  const named: { stored: string; at: string }[] = []
  const times = id === null || when.length === 0 ? 0 : await countTimes(scope, id)
  if (when.length + times > MAX_TRIGGERS) problems.push({ param: 'when', message: TOO_MANY })
  for (const [index, trigger] of when.slice(0, MAX_TRIGGERS).entries()) {
    const at = `when[${index}]`
    if (trigger?.kind === undefined) continue
    if (kind !== undefined && !fits(trigger.kind, kind))
      problems.push({ param: `${at}.kind`, message: unfit(trigger.kind, kind) })
    const source = storedIn(trigger)
    if (trigger.kind === 'orders') problems.push(...orderProblems(trigger, at))
    if (trigger.kind === 'imports' && source === null)
      problems.push({ param: `${at}.from`, message: say('Say where the files come from') })
    if (source !== null)
      named.push({ stored: source, at: trigger.kind === 'orders' ? `${at}.kind` : `${at}.from` })
    if (trigger.kind === 'event' && events && !events.includes(trigger.event ?? ''))
      problems.push({ param: `${at}.event`, message: say('There is no such event') })
  }
  return [
    ...problems,
    ...(await foreignInTriggers(scope, when)),
    ...(await takenSources(scope, named, id)),
    ...(await foreignTriggers(scope, when, id)),
  ]
}

/** Finds the sources and ids that are not of the shop. */
export async function foreignInTriggers(
  scope: ShopScope,
  when: NonNullable<Given<WhenBody>['when']>,
): Promise<WorkflowProblem[]> {
  const sources = when.flatMap((trigger, index) => {
    const stored = trigger?.from ? storedSource(trigger.from as ImportSource) : null
    return stored === null ? [] : [{ stored, at: `when[${index}]` }]
  })
  const references = when.flatMap((trigger, index) =>
    referencesInFilter(Object(trigger?.which), `when[${index}].which`),
  )
  return [
    ...(await missingSources(scope, sources)),
    ...(await referenceProblems(scope, references)),
  ]
}

/** An order is delivered when it is paid, with all its files. */
const orderProblems = (
  { enabled, from, which }: Partial<Given<TriggerBody>>,
  at: string,
): WorkflowProblem[] => [
  ...(enabled === false
    ? [{ param: `${at}.enabled`, message: say('Remove it: then orders are delivered as they are') }]
    : []),
  ...(from
    ? [{ param: `${at}.from`, message: say('It runs on the deliveries of all orders') }]
    : []),
  ...(Object.keys(which ?? {}).length > 0
    ? [{ param: `${at}.which`, message: say('Limit its steps to some files instead') }]
    : []),
]

const unfit = (trigger: TriggerBody['kind'], kind: WorkflowKind): Text =>
  trigger === 'imports'
    ? say('Only a workflow for imports can be attached to a way of importing')
    : kind === 'delivery'
      ? say('This workflow runs on deliveries')
      : trigger === 'orders'
        ? say('Only a workflow for deliveries can run on orders')
        : say('A workflow for imports only runs on imports')

/** Sources that another workflow has, or that are named twice. */
async function takenSources(
  scope: ShopScope,
  named: readonly { stored: string; at: string }[],
  id: string | null,
): Promise<WorkflowProblem[]> {
  if (named.length === 0) return []
  const others = await scope.query<{ source: string; name: string }>(
    `select t.source, w.name from triggers t
       join workflows w on w.shop_id = t.shop_id and w.id = t.workflow_id
     where t.shop_id = :shop and t.source = any(:sources::text[])
       and (:id::uuid is null or w.id <> :id)`,
    { id, sources: named.map(({ stored }) => stored) },
  )
  const owners = new Map(others.map(({ source, name }) => [source, name]))
  return named.flatMap(({ stored, at }, index) => {
    const owner = owners.get(stored)
    const earlier = named.slice(0, index).some((one) => one.stored === stored)
    if (owner === undefined && !earlier) return []
    const message =
      owner === undefined
        ? say('It is listed twice')
        : stored === ORDERS
          ? say('{name} runs on deliveries: take them from it first', { name: `“${owner}”` })
          : say('{name} is attached to these imports: detach it first', { name: `“${owner}”` })
    return [{ param: at, message }]
  })
}

/** Ids of triggers that the workflow does not have. */
async function foreignTriggers(
  scope: ShopScope,
  when: readonly (Partial<Given<TriggerBody>> | undefined)[],
  id: string | null,
): Promise<WorkflowProblem[]> {
  const given = when.map((trigger) => trigger?.id)
  if (given.every((one) => one === undefined)) return []
  const own = id === null ? [] : ((await readTriggers(scope, id)).get(id) ?? [])
  const known = new Set(own.map((trigger) => trigger.id))
  return given.flatMap((one, at) =>
    one === undefined || (known.has(one) && given.indexOf(one) === at)
      ? []
      : [{ param: `when[${at}].id`, code: 'not_found' as const, message: NO_TRIGGER }],
  )
}

const NO_TRIGGER = say('This workflow has no such trigger')

/** Writes a workflow’s triggers: those that it had keep their events, the others go. */
export async function writeTriggers(
  tx: ShopScope,
  workflow: string,
  triggers: readonly (TriggerBody | TriggerRecord)[],
): Promise<void> {
  const ids = triggers.flatMap(({ id }) => (id && parsePublicId('trigger', id)) ?? [])
  await tx.query(
    `delete from triggers where shop_id = :shop and workflow_id = :workflow and kind <> 'times'
       and not id = any(:ids::uuid[])`,
    { workflow, ids },
  )
  // Triggers may exchange their sources, of which each is in the table once.
  await tx.query(
    `update triggers set source = 'moves:' || id where shop_id = :shop and workflow_id = :workflow
       and source is not null`,
    { workflow },
  )
  for (const trigger of triggers) {
    const id = (trigger.id && parsePublicId('trigger', trigger.id)) || null
    const { from, on_conflict, quiet_seconds, which, ...plain } = trigger
    await tx.query(
      `with other as (select id from triggers where shop_id = :shop and id = :id::uuid
           and kind <> :kind),
         forgotten as (delete from trigger_events where shop_id = :shop
           and trigger_id in (select id from other) and taken_at is null)
       insert into triggers (shop_id, id, workflow_id, kind, enabled, source, event, options,
         filter, collect, max_files, cap)
       values (:shop, coalesce(:id::uuid, uuidv7()), :workflow, :kind, :enabled, :source, :event,
         :options, :which, :collect, :max_files, :cap)
       on conflict (shop_id, id) do update set kind = excluded.kind, enabled = excluded.enabled,
         source = excluded.source, event = excluded.event, options = excluded.options,
         secret_hash = case when triggers.kind = excluded.kind then triggers.secret_hash end,
         filter = excluded.filter, collect = excluded.collect, max_files = excluded.max_files,
         cap = excluded.cap, updated_at = now()`,
      {
        ...plain,
        id,
        workflow,
        source: storedIn({ kind: trigger.kind, from }),
        event: trigger.kind === 'event' ? trigger.event : null,
        options: JSON.stringify({ on_conflict, quiet_seconds }),
        which: JSON.stringify(which),
      },
    )
  }
}

/**
 * Gives the deliveries of the shop's orders to a workflow, by its bare UUID; null: to none. What ran
 * on them before has them no more.
 */
export async function giveOrders(tx: ShopScope, workflow: string | null): Promise<void> {
  await tx.query(
    `delete from triggers where shop_id = :shop and kind = 'orders'
       and workflow_id is distinct from :workflow::uuid`,
    { workflow },
  )
  if (workflow === null) return
  await tx.query(
    `insert into triggers (shop_id, workflow_id, kind, source)
     values (:shop, :workflow, 'orders', '${ORDERS}') on conflict (shop_id, source)
       where source is not null do nothing`,
    { workflow },
  )
}

/** Forgets what waits for a workflow’s triggers: it was switched off. */
export const forgetEvents = (tx: ShopScope, workflow: string): Promise<unknown> =>
  tx.query(
    `delete from trigger_events e using triggers t
     where e.shop_id = :shop and t.shop_id = e.shop_id and t.id = e.trigger_id
       and t.workflow_id = :workflow and e.taken_at is null`,
    { workflow },
  )
