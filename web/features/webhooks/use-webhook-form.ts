// The form that creates or changes a webhook: its fields, their problems, and sending them.
import { useState } from 'react'
import { type WebhookFields } from './calls.ts'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { type WebhookDraft, webhookBody, webhookDraft, webhookProblems } from './webhook-draft.ts'

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
