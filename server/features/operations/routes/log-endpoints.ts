// Watching an operation and exporting its results: progress as server-sent events, the log as CSV
// or JSON.
import type { Context } from 'koa'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { firstOf } from '../../../core/lazy.ts'
import { hasEnded } from '../../../engine/lifecycle.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { OperationRow } from '../../../engine/types.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { operationId, operationRecord } from '../record.ts'
import { itemRecord } from '../item-record.ts'
import { csvText, sendChunks } from '../../../http/stream-body.ts'
import { findOperation, type OperationParts } from '../routes.ts'

const endpoint = endpointsOf({ tag: 'Operations', scope: 'operations:read' })

const HEARTBEAT_MS = 15_000
/** The interval of polling: notifications may be lost with their connection. */
const POLL_MS = 2000

export function operationLogRoutes(parts: OperationParts): Endpoint[] {
  const { engine } = parts
  const log = (ending: 'csv' | 'json', summary: string, type: string) =>
    endpoint(`GET /api/operations/{id}/log.${ending}`, {
      summary,
      replies: {
        200: {
          description: 'Every item with its result, as a download',
          schema: null,
          type: firstOf(type.split(';')),
        },
      },
      handler: async ({ caller, params, ctx }) => {
        const operation = await findOperation(engine, caller.scope, params.id)
        ctx.set('Content-Disposition', `attachment; filename="${operationId(operation)}.${ending}"`)
        ctx.type = type
        sendChunks(
          ctx,
          ending === 'csv'
            ? csvText(COLUMNS, rowsOf(engine, caller.scope, operation))
            : jsonOf(parts, caller.scope, operation),
        )
        return null
      },
    })
  return [
    log('csv', 'Export an operation’s log as CSV', 'text/csv; charset=utf-8'),
    log('json', 'Export an operation’s log as JSON', 'application/json'),
    endpoint('GET /api/operations/{id}/events', {
      summary: 'Watch an operation: server-sent events',
      description:
        '`progress` immediately and with every change, `end` when it has ended; both contain the operation. Read it with fetch, since EventSource cannot send Authorization.',
      replies: {
        200: { description: 'Events, until it has ended', schema: null, type: 'text/event-stream' },
      },
      handler: async ({ caller, params, ctx, signal }) => {
        const operation = await findOperation(engine, caller.scope, params.id)
        sendEvents(ctx, watch(parts, caller.scope, operation, signal))
        return null
      },
    }),
  ]
}

const COLUMNS = [
  'position',
  'filename',
  'file_id',
  'status',
  'error_code',
  'error_message',
  'error_detail',
  'url',
  'warnings',
  'before',
  'after',
  'finished_at',
]

async function* rowsOf(engine: Engine, scope: ShopScope, { id }: OperationRow) {
  for await (const rows of engine.allItems(scope, id))
    yield rows
      .map(itemRecord)
      .map((item) => [
        item.position,
        item.filename,
        item.file_id,
        item.status,
        item.error?.code,
        item.error?.message,
        item.error?.detail,
        item.url,
        item.warnings.map(({ message }) => message).join('; '),
        item.before && JSON.stringify(item.before),
        item.after && JSON.stringify(item.after),
        item.finished_at,
      ])
}

async function* jsonOf(
  { engine, clock }: OperationParts,
  scope: ShopScope,
  operation: OperationRow,
): AsyncGenerator<string> {
  yield `{"operation":${JSON.stringify(operationRecord(engine, operation, clock()))},"items":[`
  let first = true
  for await (const rows of engine.allItems(scope, operation.id)) {
    yield (first ? '' : ',') + rows.map((row) => JSON.stringify(itemRecord(row))).join(',\n')
    first = false
  }
  yield ']}\n'
}

function sendEvents(ctx: Context, events: AsyncIterable<string>): void {
  ctx.set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  })
  ctx.status = 200
  sendChunks(ctx, events)
  ctx.flushHeaders()
}

/**
 * Yields the operation's record each time it may have changed, until it has ended or the client
 * disconnects.
 */
async function* watch(
  { engine, clock }: OperationParts,
  scope: ShopScope,
  first: OperationRow,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let wake = () => {}
  let hinted = true
  const hint = () => {
    hinted = true
    wake()
  }
  const forget = engine.onProgress(
    scope.shop,
    (operation) => (operation === null || operation === first.id) && hint(),
  )
  signal.addEventListener('abort', hint)
  let last = ''
  let spoken = performance.now()
  try {
    while (!signal.aborted) {
      hinted = false
      const operation = await engine.get(scope, first.id)
      if (!operation) return
      const ended = hasEnded(operation)
      const data = JSON.stringify(operationRecord(engine, operation, clock()))
      // A change of the elapsed time alone is not sent.
      const news = JSON.stringify([
        operation.status,
        operation.done,
        operation.failed,
        operation.skipped,
        operation.bytes,
        operation.finished_at,
        operation.undone_by,
      ])
      if (news !== last || ended) {
        yield `event: ${ended ? 'end' : 'progress'}\ndata: ${data}\n\n`
        spoken = performance.now()
      } else if (performance.now() - spoken > HEARTBEAT_MS) {
        yield ': still here\n\n'
        spoken = performance.now()
      }
      if (ended) return
      last = news
      if (!hinted) await new Promise<void>((resolve) => sleepUntil(resolve, (to) => (wake = to)))
    }
  } finally {
    forget()
    signal.removeEventListener('abort', hint)
  }
}

function sleepUntil(resolve: () => void, wakeBy: (wake: () => void) => void): void {
  const timer = setTimeout(resolve, POLL_MS)
  wakeBy(() => {
    clearTimeout(timer)
    resolve()
  })
}
