// The fields of a webhook: where it posts, what it is for, and which events it wants.
import { useWebhookEvents, type WebhookEvent } from './calls.ts'
import { type WebhookDraft } from './webhook-draft.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { ChoiceList, TextField } from '../../shell/ui/index.ts'

interface Props {
  fields: WebhookDraft
  problems: Problems
  onChange: (part: Partial<WebhookDraft>) => void
  /** The whole address is not shown again: it may hold a token. */
  urlHelp?: string
}

export function WebhookForm({ fields, problems, onChange, urlHelp }: Props) {
  const { url, description, events, some } = fields
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
        selected={[some ? 'some' : 'all']}
        onChange={([which]) => onChange({ some: which === 'some' })}
      />
      {some && known.isPending && <LoadingRows rows={3} what={t('the events')} />}
      {some && <LoadProblem query={known} what={t('The events could not be loaded')} />}
      {some && known.data && (
        <ChoiceList
          title={t('These events')}
          titleHidden
          allowMultiple
          choices={known.data.map(({ name, title }) => ({
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
