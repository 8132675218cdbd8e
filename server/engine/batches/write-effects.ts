// Effects of ended items other than changes of files: links, mails to buyers, and reviews.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { revokeLinks } from '../../files/link-changes.ts'
import { makeLinks } from '../../files/link-creation.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { HeldChain } from './chain.ts'
import type { OperationMessages, WorkItem } from '../types.ts'
import type { WriteResult } from './outcome-rows.ts'

export interface ItemEffectParts {
  secrets: Secrets
  messages: OperationMessages
}

/** Creates the links that steps asked for, and revokes those that an undone operation created. */
export async function recordLinks(
  tx: ShopScope,
  { operation }: HeldChain,
  results: Map<WorkItem, WriteResult>,
  { secrets, messages }: ItemEffectParts,
) {
  const done = [...results].filter(([, { status }]) => status === 'done').map(([item]) => item)
  const wanting = done.filter(({ link }) => link !== null)
  const links = await makeLinks(
    tx,
    secrets,
    {
      file_ids: wanting.map((item) => fileOf(item, results)),
      per_file: wanting.map((item) => ({ file_id: fileOf(item, results), ...item.link })),
      operation: operation.id,
    },
    new Date(),
  )
  wanting.forEach((item, at) => addToLedger(results, item, { link: links[at]! }))
  const sent = links.filter((_, at) => wanting[at]!.link!.send && wanting[at]!.link!.email)
  await messages.linksMade(tx, sent, operation.id)
  const undone = done.flatMap(({ undo }) =>
    typeof undo?.after.link === 'string' ? [undo.after.link] : [],
  )
  await revokeLinks(tx, undone)
}

/** Queues mails to the buyers of these files, at most one for each delivery and operation. */
export async function notifyBuyers(
  tx: ShopScope,
  operation: string,
  results: Map<WorkItem, WriteResult>,
  messages: OperationMessages,
): Promise<void> {
  const notifying = [...results].filter(
    ([item, { status }]) => item.notify_buyers && status === 'done',
  )
  if (notifying.length === 0) return
  const files = notifying.map(([item]) => fileOf(item, results))
  const buyers = await messages.buyersOf(tx, files)
  for (const [item] of notifying)
    addToLedger(results, item, { buyers: buyers.get(fileOf(item, results))?.length ?? 0 })
  await messages.notifyBuyers(tx, [...new Set([...buyers.values()].flat())], operation)
}

/** The file that the item created, or the one that it changed. */
const fileOf = (item: WorkItem, results: ReadonlyMap<WorkItem, WriteResult>): string =>
  results.get(item)!.file_id ?? item.file_id!

export function addToLedger(
  results: Map<WorkItem, WriteResult>,
  item: WorkItem,
  after: Record<string, unknown>,
): void {
  const result = results.get(item)!
  results.set(item, {
    ...result,
    before: result.before ?? {},
    after: { ...result.after, ...after },
  })
}

/** The reviews of files that may belong to one of several products. */
export function reviewsOf(results: ReadonlyMap<WorkItem, WriteResult>) {
  const ambiguous = [...results].filter(
    ([{ candidates }, { status }]) => candidates.length > 0 && status === 'done',
  )
  return ambiguous.map(([{ candidates, file_id, record }, result]) => ({
    fileId: result.file_id ?? file_id!,
    candidates,
    replaces: record?.mapping_state === 'mapped',
  }))
}
