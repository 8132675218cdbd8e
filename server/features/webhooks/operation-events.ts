// The events that the end of an operation raises. Features declare them, and the plugins of the
// operation's steps announce some.
import type { z } from 'zod'
import type { Plugin, Workflow } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import {
  raiseEvent,
  type operationFilesData,
  type WebhookEvent,
} from '../../core/outbox/webhook-events.ts'

/** Maximum number of files that an event names; the operation's items list the others. */
const MAX_FILES = 1000

interface Operation {
  id: string
  kind: 'import' | 'bulk'
  channel: string
  round: number
  workflow: Pick<Workflow, 'steps'>
}

interface EventOptions {
  plugins: readonly Plugin[]
  events: readonly WebhookEvent[]
  /**
   * Whether the operation changed files; a preview, or one that failed before the first file, did
   * not.
   */
  worked: boolean
}

/** Raises the events. Must be called in the transaction that ends the operation. */
export async function raiseOperationEvents(
  tx: ShopScope,
  { id, kind, channel, round, workflow }: Operation,
  { plugins, events, worked }: EventOptions,
): Promise<void> {
  const announced = announcedBy(workflow, plugins)
  for (const event of events)
    if (event.operations?.raisedBy({ kind, channel, worked, announced }))
      // Retry Failed ends the operation again, and that end is another event.
      await raiseEvent(tx, event, { key: `${id}/${round}`, operation: id })
}

const announcedBy = (
  { steps }: Pick<Workflow, 'steps'>,
  plugins: readonly Plugin[],
): ReadonlySet<string> =>
  new Set(steps.flatMap((step) => plugins.find(({ id }) => id === step.plugin)?.announces ?? []))

/** Reads the files of an operation: those of its items that are done. */
export async function operationFiles(
  scope: ShopScope,
  operation: string,
): Promise<z.output<typeof operationFilesData>> {
  const [row] = await scope.query<{ kind: string; done: number; files: string[] }>(
    `select o.kind, o.done, array(
       select i.file_id from items i
       where i.shop_id = o.shop_id and i.operation_id = o.id and i.status = 'done'
         and i.file_id is not null
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
