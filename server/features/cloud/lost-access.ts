// A connection that its provider no longer accepts: it says so, and a notice asks to authorize it
// again.
import { english, sentence } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { lostAccessTitle } from './notices.ts'

/**
 * Records that the provider no longer accepts the connection: once, until it is authorized again.
 * `operation`: the one that found it, or null.
 */
export async function recordLostAccess(
  tx: ShopScope,
  connection: string,
  operation: string | null,
): Promise<void> {
  const code = 'cloud_access_revoked'
  const { message } = ERRORS[code]
  const [lost] = await tx.query<{ name: string }>(
    `update connections set state = 'unauthorized', error = :error
     where shop_id = :shop and id = :connection and state <> 'unauthorized' returning name`,
    { connection, error: JSON.stringify({ code, message }) },
  )
  if (!lost) return await showOperation(tx, connection, operation)
  const title = lostAccessTitle(lost.name)
  await raiseNoticeOnce(tx, {
    level: 'critical',
    title,
    body: sentence(message),
    operation_id: operation,
  })
}

/**
 * Links the notice to the operation that failed: it was raised when a token was requested, before
 * the failure.
 */
async function showOperation(
  tx: ShopScope,
  connection: string,
  operation: string | null,
): Promise<void> {
  const [row] = await tx.query<{ name: string }>(
    'select name from connections where shop_id = :shop and id = :connection',
    { connection },
  )
  await tx.query(
    `update notices set operation_id = :operation
     where shop_id = :shop and read_at is null and operation_id is null and title = :title`,
    { operation, title: english(lostAccessTitle(row?.name ?? '')) },
  )
}
