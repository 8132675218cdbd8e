// Mails to buyers: their sender, their texts, and what happened to them.
import { sealedBytes } from '../../core/sealed-place.ts'
import { mailKeyPlace } from './domain.ts'
import { mailPasswordPlace } from './server-password.ts'
import { defineFeature } from '../feature.ts'
import { domainTask, type DomainTaskParts } from './domain-task.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { mailExamples } from './examples.ts'
import { mailboxTask } from './mailbox.ts'
import { createMailTokens } from './sender.ts'
import { awsGet } from './aws-get.ts'
import { mailDns, type MailDns } from './dns-records.ts'
import type { AwsGet } from './provider-ses.ts'
import { linkMails } from './link-mail.ts'
import { openMails, type MailParts } from './mail.ts'
import { reportRequests, type ReportRequestParts } from './report-requests.ts'
import { mailRoutes, type MailRouteParts } from './routes.ts'

/** What the endpoints, requests and tasks of mail take from the internet. */
export interface MailReach {
  /** The name servers that know the mail domains of shops; absent: those of this machine. */
  mailDns?: MailDns
  /** Reads Amazon's certificates, which check reports about mails; absent: from Amazon. */
  awsGet?: AwsGet
}

export interface MailEndpointParts
  extends Omit<MailRouteParts, 'mail'>, Pick<MailReach, 'mailDns'> {
  mail: Omit<MailRouteParts['mail'], 'dns'>
}

export interface MailRequestParts
  extends Omit<ReportRequestParts, 'awsGet'>, Pick<MailReach, 'awsGet'> {}

export interface MailTaskParts
  extends Omit<DomainTaskParts, 'mailDns'>, Pick<MailReach, 'mailDns'> {
  secrets: Secrets
  log: Logger
  /** The mailbox of reports; null: there is none. */
  reportsUrl: string | null
}

export const mailFeature = defineFeature({
  name: 'mail',
  examples: mailExamples,
  endpoints: ({ mailDns: dns = mailDns(), ...parts }: MailEndpointParts) =>
    mailRoutes({ ...parts, mail: { ...parts.mail, dns } }),
  requests: (parts: MailRequestParts) => reportRequests({ awsGet, ...parts }),
  tasks: (parts: MailTaskParts) => [
    domainTask({ mailDns: mailDns(), ...parts }),
    ...(parts.reportsUrl === null
      ? []
      : [mailboxTask(parts.reportsUrl, { ...parts, tokens: createMailTokens(parts.secrets) })]),
  ],
  sends: { email: (parts: MailParts) => openMails(parts) },
  mails: { 'download-link': linkMails },
  sealed: [
    ...sealedBytes('mail_settings', ['server_password'], mailPasswordPlace),
    ...sealedBytes('mail_settings', ['domain_key'], mailKeyPlace),
  ],
  tables: {
    mail_settings: 'the shop’s own addresses, servers and texts',
    mail_blocks: {
      about: 'Addresses that mails came back from',
      columns: ['email', 'reason', 'reason_text'],
      how: 'delete',
    },
    mail_events: {
      about: 'Reports about mails',
      columns: ['recipient', 'reason'],
      keeps: ['key', 'event', 'code', 'source'],
      how: 'delete',
    },
  },
})
