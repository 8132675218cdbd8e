// When an import of past buyers has ended, each of them gets one mail with all links.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { OperationRow } from '../../engine/types.ts'
import { queueMovedMails } from './moved-mail.ts'

/** Also after a retry, with the links that it added. */
export async function mailMovedBuyers(
  tx: ShopScope,
  { id, workflow }: Pick<OperationRow, 'id' | 'workflow'>,
): Promise<void> {
  const sends = workflow.steps.some(
    ({ options }) => (options as { email?: boolean }).email === true,
  )
  if (sends) await queueMovedMails(tx, id)
}
