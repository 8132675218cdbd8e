// Starts an operation: its row, its items and its first jobs in one transaction. Once it commits,
// nothing can lose the work.
import type { Entry, FileChange, Plugin, Workflow } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { Draft } from '../../files/drafts.ts'
import { compileFilter, type FileFilter } from '../../files/filter.ts'
import { predecessorsOf } from './name-order.ts'
import { FINISH_CHAIN, queueFinish, queueFirst } from '../../core/queue/queue.ts'
import type { OperationRequest, SourceRecord } from '../types.ts'
import { strategyOf } from './strategy.ts'
import { itemPlugins, withoutParallel } from '../steps.ts'

/**
 * What an operation works on: entries of an import; files by their bare UUIDs, in this order; all
 * files that a filter selects; or files with a change each.
 */
export type OperationSource =
  | { type: 'entries'; entries: readonly { entry: Entry; draft: Draft }[] }
  | { type: 'files'; ids: readonly string[] }
  | { type: 'filter'; filter: FileFilter }
  | { type: 'rows'; rows: readonly { id: string; wanted: FileChange }[] }
  /** The items of another operation, to undo them. */
  | { type: 'operation'; id: string }

export interface StartInput {
  workflow: Workflow
  channel: string
  source: OperationSource
  request: OperationRequest
  /** The name that history shows: of a person or an API key. */
  requestedBy: string
  /** A second start with the same key returns the first one's operation. */
  idempotencyKey?: string
  /** A preview only, until it is confirmed. */
  dryRun?: boolean
  /** More entries will be added, until it is closed. */
  open?: boolean
  /**
   * The caller waits for each file: its batches have reserved places in every worker. Ignored if a
   * step works on bytes, which may take long.
   */
  prompt?: boolean
  /** The operation's name in history; absent: its first entry. */
  label?: string
  /** The schedule that starts it, a bare UUID. */
  scheduleId?: string
}

export interface OperationQuotas {
  shop_waiting_operations: number
}

/** Below the quota by more than this, concurrent starts cannot exceed it. */
const QUOTA_MARGIN = 100

/**
 * Counts the new operation. Near the quota, starts are serialized so that two never take the same
 * place.
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
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('quota of operations', :shop))`)
  if ((await count()) > most) throw new AppError('operation_quota', { retryAfter: 60 })
}

/**
 * Returns the operation's UUID. Throws `operation_quota`. `quotas`: null if no quota applies, as
 * for an undo.
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
    if (id === null) return existingOperation(tx, input.idempotencyKey!)
    if (quotas) await requireRoom(tx, quotas)
    const batches = strategy === 'planned' ? { most: batch, chains: workflow.parallel } : null
    const total = await insertItems(tx, id, input.source, batches)
    await tx.query('update operations set total = :total where shop_id = :shop and id = :id', {
      id,
      total,
    })
    const chains = ledger ? Math.max(1, Math.min(workflow.parallel, Math.ceil(total / batch))) : 0
    // Entries that are added later restart an ended chain.
    await insertChains(tx, id, { chains, spare: input.open ? workflow.parallel : chains })
    for (let chain = 0; chain < chains; chain++) await queueFirst(tx, id, chain, load)
    if (total === 0 || !ledger) await queueFinish(tx, id)
    return id
  })
}

/** Null: an operation with this idempotency key exists. */
async function insertOperation(
  tx: ShopScope,
  input: StartInput,
  started: { workflow: Workflow; ledger: boolean; plugins: readonly Plugin[] },
): Promise<string | null> {
  const { workflow, ledger, plugins } = started
  const [created] = await tx.query<{ id: string }>(
    `insert into operations (shop_id, kind, action, channel, workflow, request, requested_by,
       idempotency_key, total,
       label, source, ledger, preview, status, undoes, schedule_id, open, prompt)
     values (:shop, :kind, :action, :channel, :workflow, :request, :requestedBy, :key, 0,
       :label, :source, :ledger, :preview, :status, :undoes, :schedule, :open, :prompt)
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
      preview: input.dryRun ?? false,
      status: input.dryRun ? 'previewing' : 'queued',
      undoes: input.source.type === 'operation' ? input.source.id : null,
      schedule: input.scheduleId ?? null,
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

/** False if all steps work on the whole operation and need no result for each file. */
function needsLedger(workflow: Workflow, plugins: readonly Plugin[]): boolean {
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

async function existingOperation(tx: ShopScope, key: string): Promise<string> {
  const row = await tx.one<{ id: string }>(
    'select id from operations where shop_id = :shop and idempotency_key = :key',
    { key },
  )
  return row.id
}

/**
 * Freezes the selection in its order; returns the number of items. `batches`: null if each item
 * gets its row now.
 */
async function insertItems(
  tx: ShopScope,
  operation: string,
  source: OperationSource,
  batches: { most: number; chains: number } | null,
): Promise<number> {
  const [ordered, bindings] = await ordering(tx, source)
  const kept =
    batches !== null && source.type !== 'operation' && source.type !== 'rows'
      ? EVEN_BATCHES
      : `insert into items (shop_id, operation_id, position, file_id, entry, draft, wanted,
         waits_for)
         select :shop, :operation, position, file_id, entry, draft, wanted, waits_for from ordered
           order by position returning 1 as files`
  const row = await tx.one<{ total: number }>(
    `with ordered as (${ordered}), kept as (${kept}) select coalesce(sum(files), 0) as total
       from kept`,
    { operation, ...bindings, ...batches },
  )
  return row.total
}

/**
 * Batches as large as possible, such that no chain is without work while another one has a whole
 * batch left.
 */
const EVEN_BATCHES = `
  insert into item_batches (shop_id, operation_id, position, file_ids)
  select :shop, :operation, first, ids[first + 1 : first + size]
  from (
    select ids, n, ceil(n / (used * ceil(n / used / :most)))::int as size
    from (
      select array_agg(file_id order by position) as ids, count(*)::numeric as n,
        least(:chains, ceil(count(*)::numeric / :most)) as used
      from ordered
    ) counted where n > 0
    offset 0 -- the array is made once, not once a batch
  ) shared, generate_series(0, n::int - 1, size) as first
  returning cardinality(file_ids) as files`

/** Rows of position, file_id, entry, draft, wanted and waits_for. */
async function ordering(
  tx: ShopScope,
  source: OperationSource,
): Promise<[string, Record<string, unknown>]> {
  const none =
    'null::jsonb as entry, null::jsonb as draft, null::jsonb as wanted, null::int as waits_for'
  switch (source.type) {
    case 'entries':
      return [
        `select (n - 1)::int as position, null::uuid as file_id, e -> 'entry' as entry,
           e -> 'draft' as draft, null::jsonb as wanted, (e ->> 'waits_for')::int as waits_for
         from jsonb_array_elements(:entries::jsonb) with ordinality as t(e, n)`,
        { entries: JSON.stringify(linked(source.entries)) },
      ]
    case 'files':
      return [
        `select (row_number() over (order by min(n)) - 1)::int as position, id as file_id, ${none}
         from unnest(:ids::uuid[]) with ordinality as t(id, n) group by id`,
        { ids: source.ids },
      ]
    case 'rows':
      return [
        `select (n - 1)::int as position, (e ->> 'id')::uuid as file_id, null::jsonb as entry,
           null::jsonb as draft, e -> 'wanted' as wanted, null::int as waits_for
         from jsonb_array_elements(:rows::jsonb) with ordinality as t(e, n)`,
        { rows: JSON.stringify(source.rows) },
      ]
    case 'filter': {
      // Ids grow with time: this is the order in which files were created, and their order on the
      // disk.
      const { sql, bindings } = await compileFilter(tx, source.filter)
      return [
        `select (row_number() over (order by id) - 1)::int as position, id as file_id,
         ${none} from files
         where files.shop_id = :shop and ${sql}`,
        bindings,
      ]
    }
    case 'operation':
      // Files that it made come after the files that it changed.
      return [
        `select position, file_id, ${none} from items
         where shop_id = :shop and operation_id = :undone and status = 'done' and after is not null
         union all
         select (o.total - 1 + row_number() over (order by c.position, c.ordinal))::int, c.file_id,
           ${none}
         from created_files c join operations o on o.shop_id = c.shop_id and o.id = c.operation_id
         where c.shop_id = :shop and c.operation_id = :undone`,
        { undone: source.id },
      ]
  }
}

function linked(entries: Extract<OperationSource, { type: 'entries' }>['entries']) {
  const before = predecessorsOf(entries)
  return entries.map((each, at) =>
    before[at] === null ? each : { ...each, waits_for: before[at] },
  )
}
