// The events that the end of an operation raises, as the features that declare them state.
import type { z } from 'zod'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import {
  raiseEvent,
  type EventFiles,
  type operationFilesData,
  type WebhookEvent,
} from '../../core/outbox/webhook-events.ts'
import type { OperationEnd } from '../../engine/parts.ts'

/** Maximum number of files that an event names; the operation's items list the others. */
const MAX_FILES = 1000

/** The ends that raise the event; none if code of its feature raises it. */
export const raisedAtEnds = (event: WebhookEvent): OperationEnd[] =>
  event.operations
    ? [{ of: event.operations.of, run: (tx, operation) => raiseAtEnd(tx, operation, event) }]
    : []

async function raiseAtEnd(
  tx: ShopScope,
  { id, round }: { id: string; round: number },
  event: WebhookEvent,
): Promise<void> {
  if (event.operations?.about && !(await isWanted(tx, id, event))) return
  // Retry Failed ends the operation again, and that end is another event.
  await raiseEvent(tx, event, { key: `${id}/${round}`, operation: id })
}

/** SQL of items `i` of an operation `o` that are done: the file is one of these. */
const IS_ONE_OF: Readonly<Record<EventFiles, string>> = {
  // A sync also changes, trashes and sends files that exist.
  imported: 'i.entry is not null',
  // What its items changed is kept for 7 days: later, a deletion is taken to have deleted them all.
  deleted: `(i.after ->> 'deleted' = 'true' or i.after ->> 'purged' = 'true'
    or (o.detail <> 'kept' and o.kind = 'bulk' and o.undoes is null))`,
  // An import maps only the files that it creates: existing ones keep their products.
  mapped: `(i.after -> 'mappings' is not null
    or (i.after -> 'created' is not null and (i.after ->> 'product_mapped')::boolean))`,
}

/** SQL of items `i` of an operation `o` that the event is about. */
const isAbout = ({ operations }: Pick<WebhookEvent, 'operations'>) =>
  `i.status = 'done' and i.file_id is not null${operations?.about ? ` and ${IS_ONE_OF[operations.about]}` : ''}`

/** Looks for a file only if a webhook subscribes: an operation may have 100,000 items. */
async function isWanted(tx: ShopScope, operation: string, event: WebhookEvent): Promise<boolean> {
  const [row] = await tx.query<{ wanted: boolean }>(
    `select exists (select from webhook_endpoints w where w.shop_id = :shop and w.enabled
         and (w.events = '{}' or :type = any(w.events)))
       and exists (select from items i
         join operations o on o.shop_id = i.shop_id and o.id = i.operation_id
         where i.shop_id = :shop and i.operation_id = :operation and ${isAbout(event)}) as wanted`,
    { operation, type: event.name },
  )
  return row?.wanted ?? false
}

/** Reads the files of an operation that the event is about. */
export async function operationFiles(
  scope: ShopScope,
  operation: string,
  event: Pick<WebhookEvent, 'operations'>,
): Promise<z.output<typeof operationFilesData>> {
  const total = event.operations?.about
    ? `(select count(*)::int from items i where i.shop_id = o.shop_id and i.operation_id = o.id
         and ${isAbout(event)})`
    : 'o.done'
  const [row] = await scope.query<{ kind: string; done: number; files: string[] }>(
    `select o.kind, ${total} as done, array(
       select i.file_id from items i
       where i.shop_id = o.shop_id and i.operation_id = o.id and ${isAbout(event)}
       order by i.position limit :most) as files
     from operations o where o.shop_id = :shop and o.id = :operation`,
    { operation, most: MAX_FILES },
  )
  const id = toPublicId(row?.kind === 'import' ? 'import' : 'op', operation)
  return {
    operation_id: id,
    total: row?.done ?? 0,
    file_ids: (row?.files ?? []).map((file) => toPublicId('file', file)),
    more: (row?.done ?? 0) > MAX_FILES ? `/api/operations/${id}/items?status=done` : null,
  }
}
