// The dialog that changes a webhook. Its address is changed only when another one is typed: what is
// shown lacks the query, which may hold a token.
import { useState } from 'react'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { useChangeWebhook, type Webhook } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { webhookBody, webhookDraft, webhookProblems } from './webhook-draft.ts'
import { WebhookForm } from './webhook-fields.tsx'

export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useChangeWebhook(webhook.id, useKnown(webhook))
  const [fields, setFields] = useState(() => webhookDraft(webhook))
  const [tried, setTried] = useState(false)
  const missing = webhookProblems(fields)
  const problems = problemsOf(tried ? missing : [], objectionsIn(change.error))
  const submit = () => {
    setTried(true)
    if (missing.length > 0) return
    const { url, ...rest } = webhookBody(fields)
    change.mutate(url === webhook.url ? rest : { ...rest, url }, {
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
