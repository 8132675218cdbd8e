// The engine as channels and routes see it: start operations, read them back, wait for their end.
import type { Warning, Workflow } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { ARTIFACT } from '../files/artifacts.ts'
import { dryRun, type PreviewResult, type PlacedFile } from './batches/dry-run.ts'
import {
  addEntries,
  closeOperation,
  failOpen,
  previewOpen,
  type GrowingChange,
  type GrowingEntry,
} from './operations/grow.ts'
import {
  countWarned,
  listItems,
  pagesOfItems,
  type ItemFilter,
  type ItemRow,
} from './operations/items.ts'
import {
  allows,
  isDiscarded,
  MOVE_NAMES,
  moveOperation,
  reopenOperation,
} from './operations/lifecycle.ts'
import type { OperationMove } from './operations/moves.ts'
import { permissionsTo, type PermittedMove } from './operations/permissions.ts'
import { sealEntries, sealRequest } from './operations/sealed-addresses.ts'
import { sealOptions } from './operations/sealed-options.ts'
import { startOperation, type StartInput } from './operations/start.ts'
import { mayUndo, startUndo } from './operations/undo.ts'
import { ENDED, type OperationRow, type OperationStatus, type Stop } from './types.ts'
import { type EngineParts } from './parts.ts'
import { withPreceding } from './steps.ts'

export type { PreviewResult, PlacedFile } from './batches/dry-run.ts'
export { urlOf } from './operations/items.ts'
export type { GrowingChange, GrowingEntry } from './operations/grow.ts'
export type { ItemFilter, ItemRow } from './operations/items.ts'
export { labelOf } from './operations/label.ts'
export { isDiscarded, stopOperations } from './operations/lifecycle.ts'
export { dropJobs } from '../core/queue/queue.ts'
export { optionsPlace } from './operations/sealed-options.ts'
export { sweepOperations } from './operations/retention.ts'
export { stagedBlobs } from './operations/staged-blobs.ts'
export type { OperationMove } from './operations/moves.ts'
export { scopesOfConflict } from './operations/permissions.ts'
export type { OperationSource, StartInput } from './operations/start.ts'
export type { ItemError, ItemStatus, OperationRow, OperationStatus, SourceRecord } from './types.ts'
export { ITEM_STATUSES, OPERATION_STATUSES } from './types.ts'
export {
  cannotUndo,
  misplaced,
  permissionsOf,
  placedFilter,
  filePlaceOf,
  withOptions,
} from './steps.ts'

const UNDOES_KIND = `(
  select u.kind from operations u where u.shop_id = operations.shop_id
    and u.id = operations.undoes)`

// Notifications may be lost with their connection: poll this often too.
const POLL_MS = 1000

export interface OperationFilter {
  status?: OperationStatus
  kind?: 'import' | 'bulk'
  action?: string
  channel?: string
  requested_by?: string
  /** Started at or after this. */
  from?: string
  /** Started before this. */
  to?: string
  /** A bare UUID. */
  schedule?: string
  /** The workflow's title or the action contains this, ignoring case. */
  search?: string
  /** Operations before this UUID, newest first. */
  before?: string
  limit: number
}

export interface Engine {
  /**
   * Returns the new operation's UUID, or the UUID of the operation that was started with the same
   * idempotency key.
   */
  start(scope: ShopScope, input: StartInput): Promise<string>
  /**
   * Adds items to an operation that was started open. Returns the first item's position; null: the
   * operation was closed or cancelled.
   */
  add(
    tx: ShopScope,
    id: string,
    entries: readonly (GrowingEntry | GrowingChange)[],
  ): Promise<number | null>
  /** Ends the additions to an open operation: it ends with its last item. */
  close(tx: ShopScope, id: string, warnings?: readonly Warning[]): Promise<void>
  /** Turns an open operation without items into a preview; false: it has items or was closed. */
  preview(tx: ShopScope, id: string): Promise<boolean>
  /**
   * Confirms a preview without its items: it is open again, for what its channel finds now. Throws
   * as `move` does.
   */
  reopen(scope: ShopScope, id: string): Promise<void>
  /** Fails an open operation to which its channel cannot add items. */
  fail(tx: ShopScope, id: string, stop: Stop): Promise<void>
  /**
   * Throws `operation_state` if it is not possible now, `not_found` if there is no such operation.
   */
  move(scope: ShopScope, id: string, move: OperationMove): Promise<void>
  /** Starts the undo of an operation and returns its UUID. Throws as `move` does. */
  undo(scope: ShopScope, id: string, requestedBy: string, channel: string): Promise<string>
  /** The API scopes needed to do this with the operation. */
  permissions(scope: ShopScope, operation: OperationRow, doing: PermittedMove): Promise<string[]>
  /** The moves that are possible now. */
  actions(operation: OperationRow): (OperationMove | 'undo')[]
  /** A built-in workflow, or null. */
  workflow(id: string): Workflow | null
  /** What a workflow would do with a few files: an immediate dry run, without an operation. */
  dryRun(
    scope: ShopScope,
    about: { workflow: Workflow; files: readonly PlacedFile[]; signal: AbortSignal },
  ): Promise<PreviewResult[]>
  plugins: EngineParts['plugins']
  workflows: EngineParts['workflows']
  /**
   * Calls `handler` when an operation of the shop may have changed (null: any may have). Returns
   * the function that stops it.
   */
  onProgress(shop: number, handler: (operation: string | null) => void): () => void
  get(scope: ShopScope, id: string): Promise<OperationRow | null>
  list(scope: ShopScope, filter: OperationFilter): Promise<OperationRow[]>
  items(scope: ShopScope, id: string, filter: ItemFilter): Promise<ItemRow[]>
  /**
   * The number of items with a warning; null while it runs, and 0 for a discarded
   * preview.
   */
  warnedItems(scope: ShopScope, operation: OperationRow): Promise<number | null>
  /** All items in order, a page at a time. */
  allItems(scope: ShopScope, id: string): AsyncIterable<ItemRow[]>
  /** The operation once it has ended, or its current state after `ms` or when `signal` aborts. */
  waitForEnd(
    scope: ShopScope,
    id: string,
    ms: number,
    signal: AbortSignal,
  ): Promise<OperationRow | null>
}

/** Nothing changes its items until a person confirms, resumes or retries it. */
const isResting = (operation: OperationRow): boolean =>
  hasEnded(operation) || operation.status === 'previewed' || operation.status === 'paused'

/** A cancelled operation ends after its last steps have run. */
export const hasEnded = ({ status, finished_at }: OperationRow): boolean =>
  ENDED.includes(status) && finished_at !== null

export function createEngine(parts: EngineParts): Engine {
  const get = async (scope: ShopScope, id: string) => {
    const [row] = await scope.query<OperationRow>(
      `select operations.*, ${ARTIFACT} as artifact, ${UNDOES_KIND} as undoes_kind from operations
        where shop_id = :shop and id = :id`,
      { id },
    )
    return row ?? null
  }
  return {
    get,
    start: async (scope, input) => {
      const place = { shop: scope.shop, secrets: parts.secrets }
      const workflow = sealOptions(
        withPreceding(input.workflow, parts.plugins),
        parts.plugins,
        place,
      )
      const request = sealRequest(input.request, place)
      const { source: given } = input
      const source =
        given.type === 'entries'
          ? { ...given, entries: await sealEntries(given.entries, place) }
          : given
      return startOperation(
        scope,
        { ...input, workflow, request, source },
        parts.plugins,
        parts.limits,
      )
    },
    add: async (tx, id, entries) =>
      addEntries(tx, id, await sealGrowing(entries, { shop: tx.shop, secrets: parts.secrets })),
    close: closeOperation,
    preview: previewOpen,
    reopen: reopenOperation,
    fail: failOpen,
    move: (scope, id, move) => moveOperation(scope, id, move, parts.plugins),
    undo: (scope, id, requestedBy, channel) => startUndo(scope, id, { requestedBy, channel }),
    permissions: (scope, operation, doing) => permissionsTo(doing, scope, operation, parts.plugins),
    actions: (operation) => [
      ...MOVE_NAMES.filter((move) => allows(operation, move)),
      ...(mayUndo(operation, new Date()) ? (['undo'] as const) : []),
    ],
    dryRun: (scope, about) => dryRun(parts, scope, about),
    workflow: (id) => parts.workflows.find((one) => one.id === id) ?? null,
    plugins: parts.plugins,
    workflows: parts.workflows,
    onProgress: (shop, handler) =>
      parts.listener.on('operation_progress', (payload) => {
        const [of, operation] = payload?.split('/') ?? []
        if (payload === null || Number(of) === shop) handler(operation ?? null)
      }),
    list: listOperations,
    items: listItems,
    warnedItems: async (scope, operation) => {
      if (isDiscarded(operation)) return 0
      return isResting(operation) ? await countWarned(scope, operation.id) : null
    },
    allItems: pagesOfItems,
    waitForEnd: (scope, id, ms, signal) =>
      waitForEnd(parts.listener, `${scope.shop}/${id}`, () => get(scope, id), ms, signal),
  }
}

async function waitForEnd(
  listener: EngineParts['listener'],
  key: string,
  read: () => Promise<OperationRow | null>,
  ms: number,
  signal: AbortSignal,
): Promise<OperationRow | null> {
  const until = performance.now() + ms
  while (true) {
    // Listen before reading: a notification during the read would be lost.
    const stop = new AbortController()
    const left = Math.max(0, until - performance.now())
    const either = AbortSignal.any([signal, stop.signal])
    const hint = nextHint(listener, key, Math.min(left, POLL_MS), either)
    const operation = await read()
    if (operation && !hasEnded(operation) && left > 0 && !signal.aborted) await hint
    else {
      stop.abort()
      return operation
    }
  }
}

/** Only entries have addresses. */
async function sealGrowing(
  growing: readonly (GrowingEntry | GrowingChange)[],
  place: Parameters<typeof sealEntries>[1],
): Promise<(GrowingEntry | GrowingChange)[]> {
  const entries = growing.filter((each) => 'entry' in each)
  const sealed = (await sealEntries(entries, place)).values()
  return growing.map((each) => ('entry' in each ? sealed.next().value! : each))
}

/** Resolves at the operation's next notification, after `ms`, or when `signal` aborts. */
function nextHint(
  listener: EngineParts['listener'],
  operation: string,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      forget()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const forget = listener.on('operation_progress', (payload) => {
      if (payload === null || payload === operation) end()
    })
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Newest first. Absent conditions are left out, so that the planner sees the real ones. */
function listOperations(scope: ShopScope, filter: OperationFilter): Promise<OperationRow[]> {
  const { limit, search, ...given } = filter
  const conditions = Object.keys(CONDITIONS).filter(
    (name) => given[name as keyof typeof CONDITIONS] !== undefined,
  )
  return scope.query<OperationRow>(
    `select operations.*, ${ARTIFACT} as artifact, ${UNDOES_KIND} as undoes_kind from operations
      where shop_id = :shop
       ${conditions.map((name) => `and ${CONDITIONS[name as keyof typeof CONDITIONS]}`).join(' ')}
       ${search ? `and position(lower(:search) in lower(workflow ->> 'title' || ' ' || action || ' ' || channel)) > 0` : ''}
     order by id desc limit :limit`,
    { ...given, limit, ...(search ? { search } : {}) },
  )
}

const CONDITIONS = {
  status: 'status = :status',
  kind: 'kind = :kind',
  action: 'action = :action',
  channel: 'channel = :channel',
  requested_by: 'requested_by = :requested_by',
  from: 'created_at >= :from::timestamptz',
  to: 'created_at < :to::timestamptz',
  schedule: 'schedule_id = :schedule::uuid',
  before: 'id < :before::uuid',
} satisfies Partial<Record<keyof OperationFilter, string>>
