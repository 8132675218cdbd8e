// The engine as channels and routes see it: start operations, read them back, wait for their end.
import type { Workflow } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { BATCH } from './batch.ts'
import { listItems, type ItemFilter, type ItemRow } from './items.ts'
import { startOperation, type StartInput } from './start.ts'
import { ENDED, type EngineParts, type OperationRow, type OperationStatus } from './types.ts'

export type { ItemRow } from './items.ts'
export type { ItemStatus, OperationRow, OperationStatus } from './types.ts'

// A notification may get lost with its connection: look anyway, this often.
const LOOK_MS = 1000

export interface OperationFilter {
  status?: OperationStatus
  kind?: 'import' | 'bulk'
  /** Operations before this UUID, newest first. */
  before?: string
  limit: number
}

export interface Engine {
  /** Gives the new operation's UUID, or that of the one that was started with the same idempotency key. */
  start(scope: ShopScope, input: Omit<StartInput, 'workflow'> & { workflow: string }): Promise<string>
  get(scope: ShopScope, id: string): Promise<OperationRow | null>
  list(scope: ShopScope, filter: OperationFilter): Promise<OperationRow[]>
  items(scope: ShopScope, id: string, filter: ItemFilter): Promise<ItemRow[]>
  /** The operation once it has ended, or as it stands after `ms` or when `signal` aborts. */
  waitForEnd(scope: ShopScope, id: string, ms: number, signal: AbortSignal): Promise<OperationRow | null>
}

export const hasEnded = (operation: OperationRow): boolean => ENDED.includes(operation.status)

export function createEngine(parts: Pick<EngineParts, 'workflows' | 'listener'>): Engine {
  const workflowOf = (id: string): Workflow => {
    const workflow = parts.workflows.find((one) => one.id === id)
    if (!workflow) throw new Error(`There is no workflow ${id}`)
    return workflow
  }
  const get = async (scope: ShopScope, id: string) => {
    const [row] = await scope.query<OperationRow>('select * from operations where shop_id = :shop and id = :id', { id })
    return row ?? null
  }
  return {
    get,
    start: (scope, input) => startOperation(scope, { ...input, workflow: workflowOf(input.workflow) }, BATCH),
    list: (scope, { status, kind, before, limit }) =>
      scope.query<OperationRow>(
        `select * from operations where shop_id = :shop and (:status::text is null or status = :status)
           and (:kind::text is null or kind = :kind) and (:before::uuid is null or id < :before)
         order by id desc limit :limit`,
        { status: status ?? null, kind: kind ?? null, before: before ?? null, limit },
      ),
    items: listItems,
    waitForEnd: async (scope, id, ms, signal) => {
      const until = performance.now() + ms
      while (true) {
        const operation = await get(scope, id)
        const left = until - performance.now()
        if (!operation || hasEnded(operation) || left <= 0 || signal.aborted) return operation
        await nextHint(parts.listener, `${scope.shop}/${id}`, Math.min(left, LOOK_MS), signal)
      }
    },
  }
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
