// The action that answers a notice.
import { type Notice } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

/** The server's title of the notice about an address that is wrong; other notices are about a missing one. */
const EMAIL_CAME_BACK = 'An email came back'

export const addressAction = ({ title }: Pick<Notice, 'title'>): string =>
  title === EMAIL_CAME_BACK ? t('Correct the address') : t('Add an address')
