// Starts an operation: its row, its items and its first jobs in one transaction. Once it commits,
// nothing can lose the work.
import {
  type Plugin,
  type Question,
  type Workflow,
  say,
  type AnyText,
} from '../../plugins/contract/index.ts'
import { type ShopScope, lockUntilCommit } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { FINISH_CHAIN, queueChain, queueFinish } from '../core/queue/queue.ts'
import type { SealPlace } from '../core/client-address.ts'
import { present } from '../core/lazy.ts'
import { readShop } from '../files/shop-settings.ts'
import { freezeItems, type OperationSource } from './freeze.ts'
import type {
  OperationCause,
  OperationRequest,
  SourceRecord,
  StoredWorkflow,
  OperationRow,
} from './types.ts'
import {
  strategyOf,
  itemPlugins,
  withoutParallel,
  takesSettings,
  withPreceding,
  withSettings,
  firstPart,
} from './steps.ts'
import type { EngineParts } from './parts.ts'
import { addEntries, type GrowingChange, type GrowingEntry } from './grow.ts'
import { sealEntries, sealRequest, sealOptions } from './sealed.ts'

export interface StartInput {
  workflow: Workflow
  channel: string
  source: OperationSource
  request: OperationRequest
  /** The name of a person or an API key, which history shows. */
  requestedBy: string
  /** The key of the start: a second start with the same key returns the first one's operation. */
  idempotencyKey?: string
  /** Whether it is only a preview until it is confirmed. */
  dryRun?: boolean
  /** Whether more entries will be added, until it is closed. */
  open?: boolean
  /**
   * Whether the caller waits for each file: then its batches have reserved places in every worker.
   * Ignored if a step works on bytes, which may take long.
   */
  prompt?: boolean
  /** The operation's name in history; absent: its first entry. */
  label?: string
  /** The schedule that starts it, a bare UUID. */
  scheduleId?: string
  /** The triggers that lead to it, first to last: bare UUIDs. */
  path?: readonly string[]
  /** The part of its workflow before it: a bare UUID. */
  continues?: string
  /** Its preview is this question: it runs when it is approved. */
  question?: Question
  /** Absent: a request, or the schedule. */
  cause?: OperationCause
}

export interface OperationQuotas {
  shop_waiting_operations: number
}

/** The distance to the quota at which concurrent starts cannot exceed it. */
const QUOTA_MARGIN = 100

/**
 * Checks the quota with the new operation. Near the quota, starts are serialized so that two never
 * take the same place.
 * @throws `operation_quota`
 */
async function requireRoom(
  tx: ShopScope,
  { shop_waiting_operations: most }: OperationQuotas,
): Promise<void> {
  const count = async () => {
    const row = await tx.one<{ open: number }>(
      'select count(*) as open from operations where shop_id = :shop and finished_at is null',
    )
    return row.open
  }
  if ((await count()) + QUOTA_MARGIN < most) return
  // An advisory lock: a quota counts rows, some of which do not exist yet.
  await lockUntilCommit(tx, 'quota of operations')
  if ((await count()) > most) throw new AppError('operation_quota', { retryAfter: 60 })
}

/**
 * Starts an operation.
 * @param quotas null: no quota applies, as for an undo
 * @returns its UUID, or that of the operation with the same idempotency key
 * @throws `operation_quota`
 */
export function startOperation(
  scope: ShopScope,
  input: StartInput,
  plugins: readonly Plugin[],
  quotas: OperationQuotas | null = null,
): Promise<string> {
  const workflow = withoutParallel(input.workflow, plugins)
  return scope.transaction(async (tx) => {
    const { kind: strategy, batch, load } = strategyOf({ workflow, source: input.source }, plugins)
    const ledger = input.source.type === 'operation' || needsLedger(workflow, plugins)
    const id = await insertOperation(tx, input, { workflow, ledger, plugins })
    if (id === null) return existingOperation(tx, input)
    if (quotas) await requireRoom(tx, quotas)
    const batches = strategy === 'planned' ? { most: batch, chains: workflow.parallel } : null
    const total = await freezeItems(tx, id, input.source, batches)
    await tx.query('update operations set total = :total where shop_id = :shop and id = :id', {
      id,
      total,
    })
    const chains = ledger ? Math.max(1, Math.min(workflow.parallel, Math.ceil(total / batch))) : 0
    // Entries that are added later restart an ended chain.
    await insertChains(tx, id, { chains, spare: input.open ? workflow.parallel : chains })
    // One of its chains: the start of the next operation does not wait for the others.
    for (let chain = 0; chain < chains; chain++)
      await queueChain(tx, id, chain, { load, first: chain === 0 })
    if (total === 0 || !ledger) await queueFinish(tx, id)
    return id
  })
}

/**
 * Inserts the operation's row. Returns its UUID; null: an operation with this idempotency key
 * exists.
 */
async function insertOperation(
  tx: ShopScope,
  input: StartInput,
  started: { workflow: Workflow; ledger: boolean; plugins: readonly Plugin[] },
): Promise<string | null> {
  const { workflow, ledger, plugins } = started
  const preview = input.dryRun === true || input.question !== undefined
  const [created] = await tx.query<{ id: string }>(
    `insert into operations (shop_id, kind, action, channel, workflow, request, requested_by,
       idempotency_key, total,
       label, source, ledger, preview, status, undoes, schedule_id, path, cause, continues,
       question, open, prompt)
     values (:shop, :kind, :action, :channel, :workflow, :request, :requestedBy, :key, 0,
       :label, :source, :ledger, :preview, :status, :undoes, :schedule,
       coalesce((select path from operations where shop_id = :shop and id = :undoes::uuid), :path),
       :cause, :continues, :question, :open, :prompt)
     on conflict (shop_id, idempotency_key) do nothing
     returning id`,
    {
      kind: workflow.kind,
      action: workflow.action,
      channel: input.channel,
      workflow: JSON.stringify(workflow),
      request: JSON.stringify(input.request),
      requestedBy: input.requestedBy,
      key: input.idempotencyKey ?? null,
      label: input.label ?? firstEntry(input.source),
      source: JSON.stringify(recordOf(input)),
      ledger,
      preview,
      status: preview ? 'previewing' : 'queued',
      undoes: input.source.type === 'operation' ? input.source.id : null,
      schedule: input.scheduleId ?? null,
      path: input.path ?? [],
      cause: input.cause ? JSON.stringify(input.cause) : null,
      continues: input.continues ?? null,
      question: input.question ? JSON.stringify(input.question) : null,
      open: input.open ?? false,
      prompt: (input.prompt ?? false) && !itemPlugins(workflow, plugins).some(({ bytes }) => bytes),
    },
  )
  return created?.id ?? null
}

/** Inserts `spare` chains, of which only the first `chains` work now, and the finalization's. */
const insertChains = (
  tx: ShopScope,
  operation: string,
  { chains, spare }: { chains: number; spare: number },
) =>
  tx.query(
    `insert into chains (shop_id, operation_id, chain, ended)
     select :shop, :operation::uuid, n, n >= :chains from generate_series(0, :spare - 1) n
     union all select :shop, :operation::uuid, :finish::int, false`,
    { operation, chains, spare, finish: FINISH_CHAIN },
  )

/**
 * Whether the operation has a result for each file. It needs none if all steps work on the whole
 * operation and say so.
 */
export function needsLedger(workflow: StoredWorkflow, plugins: readonly Plugin[]): boolean {
  if (workflow.after) return true
  const all = workflow.steps.map((step) => plugins.find(({ id }) => id === step.plugin))
  const working = all.filter((plugin) => plugin?.kind !== 'notify')
  return (
    working.length === 0 ||
    working.some((plugin) => plugin?.scope !== 'operation' || plugin.ledger !== false)
  )
}

function recordOf({ source, label }: StartInput): SourceRecord {
  switch (source.type) {
    case 'entries':
      return { type: 'entries', labelled: label !== undefined }
    case 'files':
      return { type: 'files', count: new Set(source.ids).size }
    case 'rows':
      return { type: 'rows', count: source.rows.length }
    case 'filter':
    case 'operation':
      return source
  }
}

const firstEntry = (source: OperationSource): string | null =>
  source.type === 'entries' ? (source.entries[0]?.draft.filename ?? null) : null

async function existingOperation(
  tx: ShopScope,
  { idempotencyKey: key }: StartInput,
): Promise<string> {
  const row = await tx.one<{ id: string }>(
    'select id from operations where shop_id = :shop and idempotency_key = :key',
    { key },
  )
  return row.id
}

// Starts operations and adds items to them with their secrets sealed: neither the query of an
// address nor a secret option is stored in plain text.

type GrowingItem = GrowingEntry | GrowingChange

/** Starts the operation, with the steps that other steps need before them. Returns its UUID. */
export async function startSealed(
  { plugins, secrets, limits }: Pick<EngineParts, 'plugins' | 'secrets' | 'limits'>,
  scope: ShopScope,
  input: StartInput,
): Promise<string> {
  const place = { shop: scope.shop, secrets }
  const workflow = await storedWorkflow({ plugins, secrets }, scope, input.workflow)
  const request = sealRequest(input.request, place)
  const source = await sealSource(input.source, place)
  return startOperation(scope, { ...input, workflow, request, source }, plugins, limits)
}

/**
 * The workflow as an operation keeps it: with the settings that the shop has now, with the steps
 * that other steps need before them, and with secret options sealed.
 */
export async function storedWorkflow(
  { plugins, secrets }: Pick<EngineParts, 'plugins' | 'secrets'>,
  scope: ShopScope,
  workflow: Workflow,
): Promise<StoredWorkflow> {
  const part = firstPart(workflow, plugins)
  const fixed = withPreceding(await fixedWorkflow(scope, part, plugins), plugins)
  return sealOptions(fixed, plugins, { shop: scope.shop, secrets })
}

async function fixedWorkflow(
  scope: ShopScope,
  workflow: Workflow,
  plugins: readonly Plugin[],
): Promise<StoredWorkflow> {
  if (!takesSettings(workflow, plugins)) return workflow
  const { settings } = await readShop(scope)
  return withSettings(workflow, plugins, settings)
}

const sealSource = async (source: OperationSource, place: SealPlace): Promise<OperationSource> =>
  source.type === 'entries'
    ? { ...source, entries: await sealEntries(source.entries, place) }
    : source

/** Adds items to an open operation. Returns the first position, or null as `addEntries` does. */
export async function addSealed(
  { secrets }: Pick<EngineParts, 'secrets'>,
  tx: ShopScope,
  id: string,
  growing: readonly GrowingItem[],
): Promise<number | null> {
  return addEntries(tx, id, await sealGrowing(growing, { shop: tx.shop, secrets }))
}

/** Seals the items that are entries: only these have addresses. */
async function sealGrowing(
  growing: readonly GrowingItem[],
  place: SealPlace,
): Promise<GrowingItem[]> {
  const entries = growing.filter((each) => 'entry' in each)
  const sealed = (await sealEntries(entries, place)).values()
  return growing.map((each) =>
    'entry' in each ? present(sealed.next().value, 'a sealed entry') : each,
  )
}

// An operation's label, in history and in messages.

/**
 * The label that its channel gave, such as a table's name; otherwise the first file and the number
 * of the others.
 */
export function labelOf({
  label,
  source,
  total,
}: Pick<OperationRow, 'label' | 'source' | 'total'>): AnyText | null {
  const isFirst = source.type === 'entries' && !source.labelled
  if (label === null || !isFirst || total <= 1) return label
  return say('{name} and {count} more', { name: label, count: total - 1 })
}
