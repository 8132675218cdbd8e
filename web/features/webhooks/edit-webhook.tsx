// The dialog that changes a webhook. Its address is changed only when another one is typed: what is
// shown lacks the query, which may hold a token.
import { useState } from 'react'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { useChangeWebhook, type Webhook, type WebhookFields } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { WebhookForm } from './webhook-fields.tsx'

export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useChangeWebhook(webhook.id, useKnown(webhook))
  const { url, description, events } = webhook
  const [fields, setFields] = useState<WebhookFields>({ url, description, events })
  const problems = problemsOf(objectionsIn(change.error))
  const submit = () => {
    const { url: typed, ...rest } = fields
    const body = typed.trim() === url ? rest : { ...rest, url: typed.trim() }
    change.mutate(body, {
      onSuccess: () => {
        toast(t('Webhook saved'))
        onClose()
      },
    })
  }
  return (
    <Dialog
      title={t('Edit webhook')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), onAction: submit, loading: change.isPending }}
    >
      {change.error && problems.all.length === 0 && (
        <Problem error={change.error} what={t('The webhook could not be saved')} />
      )}
      <WebhookForm
        fields={fields}
        problems={problems}
        urlHelp={t('A part after ? is kept but not shown, until you write another address.')}
        onChange={(part) => {
          setFields((before) => ({ ...before, ...part }))
          if (change.error) change.reset()
        }}
      />
    </Dialog>
  )
}
