// Texts about webhooks.
import { type Webhook } from './calls.ts'
import { t } from '../../shell/messages/t.ts'

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
