// The dialog that creates a webhook, and then shows its secret: this once, to be copied.
import { type CreatedWebhook, useCreateWebhook, type WebhookFields } from './calls.ts'
import { Code } from '../../shell/components/copy.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Hint } from '../../shell/ui/index.ts'
import { useWebhookForm } from './use-webhook-form.ts'
import { WebhookForm } from './webhook-fields.tsx'

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
