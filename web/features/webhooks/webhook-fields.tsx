// The fields of a webhook: where it posts, what it is for, and which events it wants.
import { useWebhookEvents, type WebhookEvent, type WebhookFields } from './calls.ts'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { ChoiceList, TextField } from '../../shell/ui/index.ts'

interface Props {
  fields: WebhookFields
  problems: Problems
  onChange: (part: Partial<WebhookFields>) => void
  /** The whole address is not shown again: it may hold a token. */
  urlHelp?: string
}

export function WebhookForm({ fields, problems, onChange, urlHelp }: Props) {
  const { url, description, events } = fields
  const known = useWebhookEvents()
  const names = (known.data ?? []).map(({ name }) => name as WebhookEvent)
  return (
    <>
      <TextField
        id={fieldId('url')}
        label={t('Address')}
        type="url"
        inputMode="url"
        placeholder="https://example.com/hooks/stevedore"
        helpText={urlHelp}
        value={url}
        error={problems.at('url')}
        onChange={(text) => onChange({ url: text })}
      />
      <TextField
        id={fieldId('description')}
        label={t('Description')}
        maxLength={200}
        placeholder={t('Bookkeeping')}
        value={description}
        error={problems.at('description')}
        onChange={(text) => onChange({ description: text })}
      />
      <ChoiceList
        title={t('Events')}
        choices={[
          { value: 'all', label: t('All events, also those that come later') },
          { value: 'some', label: t('These events') },
        ]}
        selected={[events.length === 0 ? 'all' : 'some']}
        onChange={([which]) => onChange({ events: which === 'all' ? [] : names })}
      />
      {events.length > 0 && (
        <ChoiceList
          title={t('These events')}
          titleHidden
          allowMultiple
          choices={(known.data ?? []).map(({ name, title }) => ({
            value: name,
            label: title,
            helpText: name,
          }))}
          selected={events}
          error={problems.within('events')}
          onChange={(chosen) => onChange({ events: names.filter((name) => chosen.includes(name)) })}
        />
      )}
    </>
  )
}
