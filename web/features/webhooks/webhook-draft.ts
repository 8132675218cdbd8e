// A webhook while it is edited. In the API, no events stand for all: a form whose last event was
// unticked must not become that.
import { type Objection } from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'
import { type WebhookFields } from './calls.ts'

export interface WebhookDraft extends WebhookFields {
  /** Only the ticked events. */
  some: boolean
}

export const webhookDraft = ({ url, description, events }: WebhookFields): WebhookDraft => ({
  url,
  description,
  events,
  some: events.length > 0,
})

export const webhookBody = ({ url, description, events, some }: WebhookDraft): WebhookFields => ({
  url: url.trim(),
  description,
  events: some ? events : [],
})

/** What is missing before it can be sent. */
export const webhookProblems = ({ url, events, some }: WebhookDraft): Objection[] => [
  ...(url.trim() === '' ? [{ param: 'url', message: t('Enter the address to post to') }] : []),
  ...(some && events.length === 0 ? [{ param: 'events', message: t('Choose at least one') }] : []),
]
