// Mails to buyers: their sender, their texts, and what happened to them.
import { sealedBytes } from '../../core/sealed-place.ts'
import { mailKeyPlace } from './domain.ts'
import { mailPasswordPlace } from './server-password.ts'
import { defineFeature } from '../feature.ts'
import { domainTask, type DomainTaskParts } from './domain-task.ts'
import type { Database } from '../../core/db/database.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { mailExamples } from './examples.ts'
import { mailboxTask } from './mailbox.ts'
import { createMailTokens } from './message-token.ts'
import { reportRequests, type ReportRequestParts } from './report-requests.ts'
import { mailRoutes, type MailRouteParts } from './routes.ts'

export interface MailTaskParts {
  database: Database
  secrets: Secrets
  log: Logger
  /** The mailbox of reports; null: there is none. */
  reportsUrl: string | null
}

export const mailFeature = defineFeature({
  name: 'mail',
  examples: mailExamples,
  endpoints: (parts: MailRouteParts) => mailRoutes(parts),
  requests: (parts: ReportRequestParts) => reportRequests(parts),
  tasks: (parts: DomainTaskParts & MailTaskParts) => [
    domainTask(parts),
    ...(parts.reportsUrl === null
      ? []
      : [mailboxTask(parts.reportsUrl, { ...parts, tokens: createMailTokens(parts.secrets) })]),
  ],
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
