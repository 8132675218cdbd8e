// The notices of a connection. Their titles contain its name: a rename changes the unread ones, so
// that they are still found when their cause ends.
import {
  english,
  say,
  sentence,
  type AnyText,
  type Text,
  type TextValue,
} from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { raiseNoticeOnce, titleFields } from '../../core/outbox/notices.ts'

interface NamedConnection {
  id: string
  name: string
}

const failureTitle = (name: string): Text =>
  say('“{connection}” could not be synced', { connection: nameText(name) })
export const confirmationTitle = (name: string): Text =>
  say('“{connection}” waits for your confirmation', { connection: nameText(name) })
/** A new authorization marks the notice with this title as read. */
export const lostAccessTitle = (name: string): Text =>
  say('“{connection}” lost its access', { connection: nameText(name) })

/** The sample connection of the demo has a name in every language: `Sample folder/manuals`. */
function nameText(name: string): TextValue {
  const [first, ...path] = name.split('/')
  if (first !== 'Sample folder') return name
  const folder = say('Sample folder')
  if (path.length === 0) return folder
  return { message: '{folder}/{path}', values: { folder, path: path.join('/') } }
}

/**
 * Raises a notice that a sync failed. It replaces the unread one of the connection's earlier
 * failures: a folder that is gone would raise one every hour.
 */
export async function raiseSyncFailure(
  tx: ShopScope,
  { id, name }: NamedConnection,
  message: AnyText,
  operation: string | null,
): Promise<void> {
  const title = failureTitle(name)
  await tx.query(
    `update notices set read_at = now() where shop_id = :shop and read_at is null and title = :title
       and operation_id in (select operation_id from syncs where shop_id = :shop
         and connection_id = :id)`,
    { id, title: english(title) },
  )
  await raiseNoticeOnce(tx, {
    level: 'critical',
    title,
    body: sentence(message),
    operation_id: operation,
  })
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
      `update notices set title = :title, title_text = :title_text
       where shop_id = :shop and read_at is null and title = :old
         and (operation_id in (select operation_id from syncs where shop_id = :shop
           and connection_id = :id)
           or operation_id is null and not exists (
             select from connections where shop_id = :shop and name = :name and id <> :id))`,
      {
        id: before.id,
        name: before.name,
        old: english(titleOf(before.name)),
        ...titleFields(titleOf(name)),
      },
    )
}
