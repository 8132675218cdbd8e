// The dialog that creates a webhook, and then shows its secret: this once, to be copied.
import { useState } from 'react'
import { Code } from '../../shell/components/copy.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Hint, ChoiceList, TextField } from '../../shell/ui/index.ts'
import {
  objectionsIn,
  problemsOf,
  fieldId,
  type Problems,
} from '../../shell/components/problems.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import {
  type CreatedWebhook,
  useCreateWebhook,
  type WebhookFields,
  useWebhookEvents,
  type WebhookEvent,
} from './calls.ts'
import { type WebhookDraft, webhookBody, webhookDraft, webhookProblems } from './webhook-draft.ts'

const EMPTY: WebhookFields = { url: '', description: '', events: [] }

export function CreateWebhook({ onClose }: { onClose: (made: CreatedWebhook | null) => void }) {
  const create = useCreateWebhook()
  const { form, submit, error } = useWebhookForm(EMPTY, create, (body) => create.mutate(body))
  if (create.data) {
    const made = create.data
    return <Secret title={t('The webhook was created')} made={made} onClose={() => onClose(made)} />
  }
  return (
    <Dialog
      title={t('Create webhook')}
      onClose={() => onClose(null)}
      onEnter={submit}
      primaryAction={{ content: t('Create'), onAction: submit, loading: create.isPending }}
    >
      {error && <Problem error={error} what={t('The webhook could not be created')} />}
      <WebhookForm {...form} />
    </Dialog>
  )
}

interface SecretProps {
  title: string
  made: CreatedWebhook
  onClose: () => void
}

export function Secret({ title, made, onClose }: SecretProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      <BlockStack gap="400">
        <Banner tone="warning">{t('Copy the secret now: it is not shown again.')}</Banner>
        {made.secret !== null && <Code text={made.secret} what={t('signing secret')} wrap />}
        <Hint>
          {t(
            'The receiver checks each message with it, by Standard Webhooks: libraries exist for most languages.',
          )}
        </Hint>
      </BlockStack>
    </Dialog>
  )
}

// The form that creates or changes a webhook: its fields, their problems, and sending them.

export function useWebhookForm(
  saved: WebhookFields,
  sending: { error: Error | null; reset: () => void },
  send: (body: WebhookFields) => void,
) {
  const { error, reset } = sending
  const [fields, setFields] = useState(() => webhookDraft(saved))
  const [tried, setTried] = useState(false)
  const missing = webhookProblems(fields)
  const problems = problemsOf(tried ? missing : [], objectionsIn(error))
  return {
    /** The properties of `WebhookForm`. */
    form: {
      fields,
      problems,
      onChange: (part: Partial<WebhookDraft>) => {
        setFields((before) => ({ ...before, ...part }))
        if (error) reset()
      },
    },
    submit: () => {
      setTried(true)
      if (missing.length === 0) send(webhookBody(fields))
    },
    /** An error that no field shows. */
    error: problems.all.length === 0 ? error : null,
  }
}

// The fields of a webhook: where it posts, what it is for, and which events it wants.

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
