// The engine as channels and routes see it: start operations, read them back, wait for their end.
import type { Text, Warning, Workflow } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { wakeItems } from './chain.ts'
import { dryRun, type PreviewResult, type PlacedFile } from './dry-run.ts'
import { tryWorkflow, type TrialRequest, type TriedFile } from './trial.ts'
import {
  closeOperation,
  failOpen,
  previewOpen,
  type GrowingChange,
  type GrowingEntry,
} from './grow.ts'
import { countWarned, listItems, pagesOfItems, type ItemFilter, type ItemRow } from './items.ts'
import {
  allows,
  isEndedPreview,
  isResting,
  MOVE_NAMES,
  moveOperation,
  reopenOperation,
  retryWith,
  waitForEnd,
  watchProgress,
} from './lifecycle.ts'
import { mayUndo, type OperationMove, permissionsTo, type PermittedMove } from './moves.ts'
import { listOperations, readOperation, type OperationFilter } from './read.ts'
import { differs, misfits } from './replaced-workflow.ts'
import { givenWorkflow } from './sealed.ts'
import { addSealed, startSealed, type StartInput } from './start.ts'
import { startUndo } from './undo.ts'
import { countSteps } from './trail.ts'
import type { OperationRow, StepCounts, Stop } from './types.ts'
import type { EngineParts } from './parts.ts'

export interface Engine {
  /**
   * Starts an operation.
   * @returns its UUID, or the UUID of the operation that was started with the same idempotency key
   * @throws `operation_quota`, and `workflow_broken` if a plugin is not installed
   */
  start(scope: ShopScope, input: StartInput): Promise<string>
  /**
   * Adds items to an operation that was started open.
   * @returns the first item's position; null: the operation was closed or cancelled
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
  /**
   * Lets items be worked on now that wait for another attempt: what they wait for has come.
   * @param positions those of the items
   */
  wake(tx: ShopScope, id: string, positions: readonly number[]): Promise<void>
  /** Fails an open operation to which its channel cannot add items. */
  fail(tx: ShopScope, id: string, stop: Stop): Promise<void>
  /**
   * Pauses, resumes, cancels, retries or confirms an operation.
   * @throws `operation_state` if that is not possible now, `not_found` if there is no such
   *   operation, `conflict` while another one runs that must not run beside it
   */
  move(scope: ShopScope, id: string, move: OperationMove): Promise<void>
  /**
   * Retries an operation with other steps than it ran before.
   * @param workflow as a start takes it: secret options are not sealed
   * @throws as `move` does, and `workflow_unfit` if its items cannot be processed with these steps
   */
  retryWith(scope: ShopScope, id: string, workflow: Workflow): Promise<void>
  /** The workflow that an operation was started or last retried with, as a start takes it. */
  given(scope: ShopScope, operation: Pick<OperationRow, 'workflow'>): Workflow
  /** Whether a retry with this workflow would run other steps or options than those of the operation. */
  differs(scope: ShopScope, operation: OperationRow, workflow: Workflow): Promise<boolean>
  /** Every reason why the operation cannot be retried with this workflow. */
  misfits(operation: OperationRow, workflow: Workflow): Text[]
  /** Starts the undo of an operation, or its preview, and returns its UUID. Throws as `move` does. */
  undo(
    scope: ShopScope,
    id: string,
    requestedBy: string,
    channel: string,
    dryRun?: boolean,
  ): Promise<string>
  /** The API scopes that a caller needs for this with the operation. */
  permissions(scope: ShopScope, operation: OperationRow, doing: PermittedMove): Promise<string[]>
  /** The moves that are possible now. */
  actions(operation: OperationRow): (OperationMove | 'undo')[]
  /** The built-in workflow with this id, or null. */
  workflow(id: string): Workflow | null
  /**
   * Finds what a workflow would do with a few files, without an operation. Throws `BrokenStep` if a
   * step cannot run here.
   */
  dryRun(
    scope: ShopScope,
    about: { workflow: Workflow; files: readonly PlacedFile[]; signal: AbortSignal },
  ): Promise<PreviewResult[]>
  /** Tries a workflow on a few files, and changes and sends nothing. Throws as `dryRun` does. */
  try(scope: ShopScope, request: TrialRequest): Promise<TriedFile[]>
  plugins: EngineParts['plugins']
  workflows: EngineParts['workflows']
  /**
   * Calls `handler` when an operation of the shop may have changed (null: any may have). Returns
   * the function that stops it.
   */
  onProgress(shop: number, handler: (operation: string | null) => void): () => void
  /** The operation with this UUID, or null. */
  get(scope: ShopScope, id: string): Promise<OperationRow | null>
  /** The operations that the filter selects, newest first. */
  list(scope: ShopScope, filter: OperationFilter): Promise<OperationRow[]>
  /** A page of an operation's items, in their order. */
  items(scope: ShopScope, id: string, filter: ItemFilter): Promise<ItemRow[]>
  /**
   * The number of items with a warning: null while the operation runs, and 0 for a discarded
   * preview.
   */
  warnedItems(scope: ShopScope, operation: OperationRow): Promise<number | null>
  /** What became of an operation's items at each of its first `steps` steps on files. */
  stepCounts(scope: ShopScope, operation: string, steps: number): Promise<StepCounts[]>
  /** All items of an operation in order, a page at a time. */
  allItems(scope: ShopScope, id: string): AsyncIterable<ItemRow[]>
  /** The operation once it has ended, or its current state after `ms` or when `signal` aborts. */
  waitForEnd(
    scope: ShopScope,
    id: string,
    ms: number,
    signal: AbortSignal,
  ): Promise<OperationRow | null>
}

/** The engine of one process. It processes no operation itself: workers do (`startWorker`). */
export function createEngine(parts: EngineParts): Engine {
  const { plugins, workflows, listener } = parts
  return {
    start: (scope, input) => startSealed(parts, scope, input),
    add: (tx, id, entries) => addSealed(parts, tx, id, entries),
    close: closeOperation,
    preview: previewOpen,
    reopen: reopenOperation,
    wake: wakeItems,
    fail: failOpen,
    move: (scope, id, move) => moveOperation(scope, id, move, parts),
    retryWith: (scope, id, workflow) => retryWith(scope, id, workflow, parts),
    given: ({ shop }, { workflow }) =>
      givenWorkflow(workflow, plugins, { shop, secrets: parts.secrets }),
    differs: (scope, operation, workflow) => differs(parts, scope, operation, workflow),
    misfits: (operation, workflow) => misfits(operation, workflow, plugins),
    undo: (scope, id, requestedBy, channel, dryRun = false) =>
      startUndo(scope, id, { requestedBy, channel, dryRun }),
    permissions: (scope, operation, doing) => permissionsTo(doing, scope, operation, plugins),
    actions: (operation) => [
      ...MOVE_NAMES.filter((move) => allows(operation, move)),
      ...(mayUndo(operation, new Date()) ? (['undo'] as const) : []),
    ],
    dryRun: (scope, about) => dryRun(parts, scope, about),
    try: (scope, request) => tryWorkflow(parts, scope, request),
    workflow: (id) => workflows.find((one) => one.id === id) ?? null,
    plugins,
    workflows,
    get: readOperation,
    list: listOperations,
    items: listItems,
    allItems: pagesOfItems,
    stepCounts: countSteps,
    warnedItems: async (scope, operation) => {
      if (isEndedPreview(operation) || operation.detail === 'record') return 0
      return isResting(operation) ? await countWarned(scope, operation.id) : null
    },
    onProgress: (shop, handler) => watchProgress(listener, shop, handler),
    waitForEnd: (scope, id, ms, signal) => waitForEnd(listener, scope, id, ms, signal),
  }
}
