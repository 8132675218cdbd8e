// When an import of past buyers has ended, each of them gets one mail with all links.
import type { OperationEnd } from '../../engine/parts.ts'
import { queueMovedMails } from '../messages/moved-mail.ts'
import { GIVE_ACCESS } from './start.ts'

/** Also after a retry, with the links that it added. */
export const mailMovedBuyers: OperationEnd = async (tx, { id, action, workflow }, worked) => {
  if (!worked || action !== GIVE_ACCESS) return
  const sends = workflow.steps.some(
    ({ options }) => (options as { email?: boolean }).email === true,
  )
  if (sends) await queueMovedMails(tx, id)
}
