// A retry after something was mended: with the workflow as it is now or as it was, and with the
// secret options that the failures ask for.
import { useState } from 'react'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Steps } from '../../shell/components/steps.tsx'
import { shownText } from '../../shell/messages/server-text.ts'
import { t, translated } from '../../shell/messages/t.ts'
import { type Operation, type Schemas } from '../../shell/client/types.ts'
import { Text, TextField } from '../../shell/ui/index.ts'
import { type ActionButton } from './operation-actions.tsx'
import { useAct, useRetryPlan } from './calls.ts'

type Plan = Schemas['Retry']
type Mending = Plan['mending'][number]

/**
 * The button that retries the operation: it asks first if there is something to choose or to enter.
 * `plan`: what the retry could run; undefined: not known yet. The caller must render `dialog`.
 */
export function useRetry(operation: Operation, button: ActionButton | undefined) {
  const { data: plan } = useRetryPlan(operation)
  const [open, setOpen] = useState(false)
  const asks = plan !== undefined && (plan.changed || plan.mending.length > 0)
  return {
    plan,
    button: button && (asks ? { ...button, onAction: () => setOpen(true) } : button),
    dialog: open && plan && (
      <RetryDialog
        operation={operation}
        title={button?.content ?? ''}
        plan={plan}
        onClose={() => setOpen(false)}
      />
    ),
  }
}

interface Props {
  operation: Operation
  title: string
  plan: Plan
  onClose: () => void
}

function RetryDialog({ operation, title, plan: shown, onClose }: Props) {
  // The dialog keeps what it asked about, also while the retry begins.
  const [plan] = useState(shown)
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map())
  const act = useAct()
  const run = (workflow: 'current' | 'as_started', steps: readonly { id: string }[]) => {
    const ids = new Set(steps.map(({ id }) => id))
    const given = plan.mending.filter((one) => ids.has(one.step) && values.get(keyOf(one)))
    const options = Object.fromEntries(
      given.map((one) => [one.step, { [one.option]: values.get(keyOf(one)) }]),
    )
    const retry = { workflow, ...(given.length > 0 ? { options } : {}) }
    act.mutate({ id: operation.id, action: 'retry', retry }, { onSuccess: onClose })
  }
  const asStarted = () => run('as_started', operation.steps)
  const { steps, changed, problem } = plan
  return (
    <Dialog
      title={title}
      onClose={onClose}
      primaryAction={{
        content: changed ? t('Retry with the workflow as it is now') : t('Retry'),
        loading: act.isPending,
        onAction: () => (changed && steps ? run('current', steps) : asStarted()),
      }}
      secondaryActions={[
        ...(changed ? [{ content: t('Retry as it was'), onAction: asStarted }] : []),
        { content: t('Cancel'), onAction: onClose },
      ]}
    >
      {act.error && <Problem error={act.error} what={t('This could not be done')} />}
      {changed && steps && (
        <>
          <Text as="p">{CHANGED}</Text>
          <Steps steps={steps} />
        </>
      )}
      {problem && <Text as="p">{problemOf(plan)}</Text>}
      {plan.mending.map((one) => (
        <TextField
          key={keyOf(one)}
          label={labelOf(one, plan.mending.length)}
          type="password"
          value={values.get(keyOf(one)) ?? ''}
          onChange={(value) => setValues(new Map(values).set(keyOf(one), value))}
          helpText={t('For the files that failed. It is not stored in the history.')}
        />
      ))}
    </Dialog>
  )
}

const keyOf = ({ step, option }: Mending) => `${step} ${option}`

const labelOf = ({ option_title, step_title }: Mending, count: number): string =>
  count === 1
    ? translated(option_title)
    : t('{option} for “{step}”', { option: translated(option_title), step: translated(step_title) })

const CHANGED = t(
  'The workflow, or a setting that it uses, was changed since this operation started. As it is now:',
)

/** Why the workflow as it is now cannot be used. */
export function problemOf({ problem, reasons }: Plan): string | null {
  if (problem === null) return null
  const texts = reasons.length > 0 ? reasons : [problem.message_text]
  return t('A retry runs the steps above, not the workflow as it is now: {reason}.', {
    reason: texts.map(shownText).join('. '),
  })
}
