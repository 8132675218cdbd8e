// The headers by which a provider names a mail in its reports.
import type { MailEnvironment } from '../../core/configuration/mail-settings.ts'

export const providerHeaders = (
  { postmarkSecret, mailgunKey, sesTopics }: MailEnvironment,
  token: string,
): Record<string, string> => ({
  ...(postmarkSecret === null ? {} : { 'X-PM-Metadata-message': token }),
  ...(mailgunKey === null ? {} : { 'X-Mailgun-Variables': JSON.stringify({ message: token }) }),
  ...(sesTopics.length === 0 ? {} : { 'X-SES-MESSAGE-TAGS': `message=${token}` }),
})
