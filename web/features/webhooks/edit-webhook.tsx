// The dialog that changes a webhook. Its address is changed only when another one is typed: what is
// shown lacks the query, which may hold a token.
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { useChangeWebhook, type Webhook } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { useWebhookForm } from './use-webhook-form.ts'
import { WebhookForm } from './webhook-fields.tsx'

export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useChangeWebhook(webhook.id, useKnown(webhook))
  const { form, submit, error } = useWebhookForm(webhook, change, ({ url, ...rest }) =>
    change.mutate(url === webhook.url ? rest : { ...rest, url }, {
      onSuccess: () => {
        toast(t('Webhook saved'))
        onClose()
      },
    }),
  )
  return (
    <Dialog
      title={t('Edit webhook')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), onAction: submit, loading: change.isPending }}
    >
      {error && <Problem error={error} what={t('The webhook could not be saved')} />}
      <WebhookForm
        {...form}
        urlHelp={t('A part after ? is kept but not shown, until you write another address.')}
      />
    </Dialog>
  )
}
