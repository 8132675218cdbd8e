// What delivers email and text messages, through the servers and the account of this installation.
import { NO_MAIL_SETTINGS, type MailEnvironment } from '../../core/configuration/mail-settings.ts'
import type { TwilioAccount } from '../../core/configuration/environment.ts'
import type { Logger } from '../../core/log.ts'
import type { Deliverer } from '../../core/outbox/outbox.ts'
import type { Secrets } from '../../core/secrets.ts'
import { resolveByServers, type Resolver } from '../../ports/addresses.ts'
import { openMailServer } from '../mail/mail-server.ts'
import { createMailTokens } from '../mail/message-token.ts'
import { providerHeaders } from '../mail/providers.ts'
import { createShopServers } from '../mail/sender.ts'
import { mailDeliverer, type MailWriters } from './mail.ts'
import { smsDeliverer } from './sms/sms.ts'
import { twilioGateway } from './sms/twilio.ts'

interface DelivererParts {
  secrets: Secrets
  baseUrl: string
}

export interface MailParts extends DelivererParts {
  /** The mail server; null: email is written and stored, and none is sent. */
  smtpUrl: string | null
  /** Reports about mails; absent: none arrive. */
  mail?: MailEnvironment
  /** Mail servers of shops may be on this machine; for development and tests. */
  allowLoopback?: boolean
  /** Resolves the names of mail servers of shops; absent: by the name servers. */
  resolve?: Resolver
  from: string
  mailWriters: MailWriters
  clock: () => Date
  log: Logger
}

export function openMails(parts: MailParts): Deliverer {
  const { smtpUrl, secrets, mail = NO_MAIL_SETTINGS } = parts
  const { allowLoopback = false, resolve = resolveByServers } = parts
  return mailDeliverer({
    ...parts,
    server: smtpUrl === null ? null : openMailServer(smtpUrl),
    returnAddress: mail.returnAddress,
    tokens: createMailTokens(secrets),
    shopServers: createShopServers({ allowLoopback, resolve }, secrets),
    providerHeaders: (token) => providerHeaders(mail, token),
  })
}

export interface TextParts extends DelivererParts {
  /** The account for text messages; null: they are stored, and none is sent. */
  twilio: TwilioAccount | null
}

export const openTexts = ({ twilio, ...parts }: TextParts): Deliverer =>
  smsDeliverer(twilio === null ? null : twilioGateway(twilio), parts)
