// The notices of a connection. Their titles contain its name: a rename changes the unread ones, so
// that they are still found when their cause ends.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'

interface NamedConnection {
  id: string
  name: string
}

const failureTitle = (name: string): string => `“${name}” could not be synced`
export const confirmationTitle = (name: string): string => `“${name}” waits for your confirmation`
/** A new authorization marks the notice with this title as read. */
export const lostAccessTitle = (name: string): string => `“${name}” lost its access`

/**
 * Raises a notice that a sync failed. It replaces the unread one of the connection's earlier
 * failures: a folder that is gone would raise one every hour.
 */
export async function raiseSyncFailure(
  tx: ShopScope,
  { id, name }: NamedConnection,
  message: string,
  operation: string | null,
): Promise<void> {
  const title = failureTitle(name)
  await tx.query(
    `update notices set read_at = now() where shop_id = :shop and read_at is null and title = :title
       and operation_id in (select operation_id from syncs where shop_id = :shop
         and connection_id = :id)`,
    { id, title },
  )
  const body = `${message}.`
  await raiseNoticeOnce(tx, { level: 'critical', title, body, operation_id: operation })
}

/** @param before the connection with its old name. */
export async function renameNotices(
  tx: ShopScope,
  before: NamedConnection,
  name: string,
): Promise<void> {
  if (before.name === name) return
  for (const titleOf of [failureTitle, confirmationTitle, lostAccessTitle])
    await tx.query(
      `update notices set title = :title where shop_id = :shop and read_at is null and title = :old
         and (operation_id in (select operation_id from syncs where shop_id = :shop
           and connection_id = :id)
           or operation_id is null and not exists (
             select from connections where shop_id = :shop and name = :name and id <> :id))`,
      { id: before.id, name: before.name, old: titleOf(before.name), title: titleOf(name) },
    )
}
