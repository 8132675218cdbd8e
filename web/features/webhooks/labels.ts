// Texts about webhooks: their events and their states.
import { type Webhook, type WebhookEvent } from './calls.ts'
import { t } from '../../shell/messages/t.ts'

/** In the order of the form. */
export const EVENTS: Readonly<Record<WebhookEvent, string>> = {
  'notice.created': t('A notice appears'),
  'operation.finished': t('An operation ends'),
  'file.imported': t('Files were imported'),
  'file.deleted': t('Files were deleted'),
  'mapping.changed': t('Files got other products'),
  'sync.finished': t('A cloud folder was synchronised'),
  'link.exhausted': t('A link is used up'),
}

interface WebhookState {
  text: string
  tone: 'success' | 'warning' | 'critical' | undefined
}

export function webhookState({ enabled, switched_off, failing_since }: Webhook): WebhookState {
  if (switched_off) return { text: t('Switched off after failures'), tone: 'critical' }
  if (!enabled) return { text: t('Off'), tone: undefined }
  if (failing_since) return { text: t('Failing'), tone: 'warning' }
  return { text: t('On'), tone: 'success' }
}

export const eventsText = ({ events }: Pick<Webhook, 'events'>): string =>
  events.length === 0
    ? t('All events')
    : t('{count, plural, one {# event} other {# events}}', { count: events.length })
