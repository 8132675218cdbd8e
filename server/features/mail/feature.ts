// Mails to buyers: their sender, their texts, and what happened to them.
import { defineFeature } from '../feature.ts'
import { domainTask, type DomainTaskParts } from './domain-task.ts'
import { mailExamples } from './examples.ts'
import { mailRoutes, type MailRouteParts } from './routes.ts'

export const mailFeature = defineFeature({
  name: 'mail',
  examples: mailExamples,
  endpoints: (parts: MailRouteParts) => mailRoutes(parts),
  tasks: (parts: DomainTaskParts) => [domainTask(parts)],
  tables: {
    mail_settings: 'the shop’s own addresses, servers and texts',
    mail_blocks: {
      about: 'Addresses that mails came back from',
      columns: ['email', 'reason'],
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
