// The import of orders from before the installation, as an operation with a preview.
import { z } from 'zod'
import { day, say, sayPlain, type Workflow } from '../../../plugins/contract/index.ts'
import { type ShopScope, lockUntilCommit } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { toPublicId } from '../../core/ids.ts'
import type { Engine } from '../../engine/engine.ts'
import type { RunGuard } from '../../engine/parts.ts'
import { momentOf } from '../../files/condition-sql.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema, timestamp } from '../../http/schemas.ts'
import { ALL_ORDERS, RECENT_ORDERS_MS, readScopes } from '../../storefront/access.ts'
import { acceptedOperation, operationSchema } from '../operations/record.ts'
import { channelOf } from '../operations/routes.ts'

export interface PastOrderRouteParts {
  engine: Engine
  clock: () => Date
}

/** Earlier than any order. */
const BEGINNING = new Date('2000-01-01T00:00:00Z')

const ACTION = 'import-orders'

const workflowOf = (options: { since: string; mail: boolean }): Workflow => ({
  id: ACTION,
  title: sayPlain('Import past orders'),
  action: ACTION,
  kind: 'bulk',
  parallel: 1,
  steps: [{ id: 'import', plugin: 'import-orders', options }],
})

const accessSchema = z
  .object({
    all_orders: z
      .boolean()
      .describe(
        'The storefront shows orders of any age (scope `read_all_orders`), not only those of the last 60 days',
      ),
    earliest: timestamp.nullable().describe('Older orders cannot be imported; null: all can'),
    operation_id: z.string().nullable().describe('The latest import, or its preview'),
  })
  .meta({ id: 'PastOrdersAccess' })

const endpoint = endpointsOf({ tag: 'Deliveries' })

export const pastOrderRoutes = (parts: PastOrderRouteParts): Endpoint[] => [
  endpoint('GET /api/orders/import', {
    summary: 'Read which past orders can be imported',
    scope: 'operations:read',
    replies: { 200: { description: 'What the storefront allows', schema: accessSchema } },
    handler: async ({ caller: { scope } }) => {
      const earliest = await earliestOf(scope, parts.clock())
      const [last] = await parts.engine.list(scope, { action: ACTION, limit: 1 })
      return {
        body: {
          all_orders: earliest === null,
          earliest: earliest?.toISOString() ?? null,
          operation_id: last ? toPublicId('op', last.id) : null,
        },
      }
    },
  }),
  endpoint('POST /api/orders/import', {
    summary: 'Import orders from before the installation',
    description:
      'Makes deliveries for orders that entitle their buyers to files now. Orders that have a delivery stay as they are. It replaces a preview that was not confirmed. It continues after a crash, and an interrupted one with `retry`.',
    scope: 'links:write',
    body: z
      .strictObject({
        since: day.optional().describe('Absent: all orders that the storefront shows'),
        mail: z
          .boolean()
          .default(false)
          .describe('Each buyer gets the email about the files of the order'),
        dry_run: z.boolean().default(false),
      })
      .meta({ id: 'PastOrdersRequest' }),
    replies: {
      202: { description: 'The operation; follow `Location`', schema: operationSchema },
      409: { description: 'An import of orders is running', schema: errorSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, body: { since, mail, dry_run }, idempotencyKey }) => {
      const { scope } = caller
      const { engine, clock } = parts
      const from = await startOf(scope, since, clock())
      const id = await scope.transaction(async (tx) => {
        await lockImports(tx)
        await discardPreviews(tx, engine, idempotencyKey)
        await requireNone(tx, { key: idempotencyKey })
        return engine.start(tx, {
          workflow: workflowOf({ since: from.toISOString(), mail }),
          channel: channelOf(caller),
          request: {},
          requestedBy: caller.name,
          dryRun: dry_run,
          source: { type: 'files', ids: [] },
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        })
      })
      return acceptedOperation(parts, scope, id)
    },
  }),
]

/** Null: the storefront shows orders of any age. */
async function earliestOf(scope: ShopScope, now: Date): Promise<Date | null> {
  const granted = await readScopes(scope)
  return granted.includes(ALL_ORDERS) ? null : new Date(+now - RECENT_ORDERS_MS)
}

/** Throws `validation_failed` if the storefront does not show orders of that time. */
async function startOf(scope: ShopScope, since: string | undefined, now: Date): Promise<Date> {
  const earliest = await earliestOf(scope, now)
  const moment = await momentOf(scope, since)
  if (!moment) return earliest ?? BEGINNING
  const wanted = new Date(moment)
  if (earliest === null || wanted >= earliest) return wanted
  const message = say(
    `The storefront shows only the orders of the last 60 days: choose a later day, or get the permission read_all_orders`,
  )
  throw new AppError('validation_failed', {
    param: 'since',
    details: [{ param: 'since', code: 'invalid_value', message }],
  })
}

/** An import that is retried, or whose preview is confirmed, runs alone too. */
export const guardImport: RunGuard = async (tx, { id, action }) => {
  if (action !== ACTION) return
  await lockImports(tx)
  await requireNone(tx, { except: id })
}

// An advisory lock: of two concurrent starts the second one must see the row of the first one.
const lockImports = (tx: ShopScope) => lockUntilCommit(tx, 'import of past orders')

/** SQL: the operation was not started by an earlier attempt of this request, whose answer was lost. */
const OF_ANOTHER_REQUEST = '(:key::text is null or idempotency_key is distinct from :key::text)'

/**
 * Throws `conflict` while another import of orders runs, or was cancelled and has not ended. A preview that
 * was confirmed runs.
 */
async function requireNone(
  tx: ShopScope,
  { key, except }: { key?: string | undefined; except?: string },
): Promise<void> {
  const isRunning = await tx.has(
    `select from operations where shop_id = :shop and action = '${ACTION}' and ${OF_ANOTHER_REQUEST}
       and (:except::uuid is null or id <> :except::uuid)
       and (status in ('queued', 'running', 'paused')
         or (status = 'cancelled' and finished_at is null)) limit 1`,
    { key: key ?? null, except: except ?? null },
  )
  if (isRunning)
    throw new AppError('conflict', {
      message: say('An import of orders is running: wait for its end'),
    })
}

/** Discards previews, which the new import replaces: two of them could both be confirmed. */
async function discardPreviews(
  tx: ShopScope,
  engine: Engine,
  key: string | undefined,
): Promise<void> {
  const previews = await tx.query<{ id: string }>(
    `select id from operations where shop_id = :shop and action = '${ACTION}'
       and status in ('previewing', 'previewed') and ${OF_ANOTHER_REQUEST}
     order by id for no key update`,
    { key: key ?? null },
  )
  for (const { id } of previews) await engine.move(tx, id, 'cancel')
}
