// The actions on a whole delivery: resend, hold, release, revoke.
import { type ReactNode, useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type Delivery, type DeliveryAction, useDeliveryAction } from './calls.ts'
import { Question } from '../../shell/components/question.tsx'
import { t } from '../../shell/messages/t.ts'
import { Text } from '../../shell/ui/index.ts'

interface ActionEntry {
  content: string
  destructive?: boolean
  loading?: boolean
  disabled?: boolean
  onAction: () => void
}

const DONE: Record<DeliveryAction, string> = {
  resend: t('The message is on its way'),
  hold: t('The delivery is on hold'),
  release: t('The delivery was released'),
  revoke: t('The delivery was revoked'),
}

export function useDeliveryActions(
  delivery: Delivery,
  onDone: () => void,
): {
  primary: ActionEntry | undefined
  secondary: ActionEntry[]
  question: ReactNode
  error: Error | null
  /** Prepares files again that could not be prepared. */
  prepare: () => void
} {
  const { id, status, email, phone } = delivery
  const act = useDeliveryAction(id)
  const [asked, setAsked] = useState<'revoke' | 'resend' | null>(null)
  const run = (action: DeliveryAction) =>
    act.mutate(action, {
      onSuccess: () => {
        setAsked(null)
        toast(DONE[action])
        onDone()
      },
    })
  const ask = (question: typeof asked) => {
    act.reset()
    setAsked(question)
  }
  const entry = (action: DeliveryAction, content: string): ActionEntry => ({
    content,
    loading: act.isPending && act.variables === action,
    disabled: act.isPending,
    onAction: () => run(action),
  })
  const primary =
    status === 'held'
      ? entry('release', t('Release'))
      : status === 'ready' && (email !== null || phone !== null)
        ? { ...entry('resend', t('Send again …')), onAction: () => ask('resend') }
        : undefined
  const secondary: ActionEntry[] = []
  if (status === 'ready') secondary.push(entry('hold', t('Hold')))
  if (status !== 'revoked')
    secondary.push({
      content: t('Revoke …'),
      destructive: true,
      disabled: act.isPending,
      onAction: () => ask('revoke'),
    })
  const asking = { busy: act.isPending, error: act.error, onClose: () => ask(null) }
  const question =
    asked === 'revoke' ? (
      <RevokeQuestion order={delivery.order_name} onRevoke={() => run('revoke')} {...asking} />
    ) : (
      asked === 'resend' && (
        <ResendQuestion delivery={delivery} onSend={() => run('resend')} {...asking} />
      )
    )
  const prepare = () =>
    act.mutate('release', { onSuccess: () => toast(t('The files are being prepared')) })
  return { primary, secondary, question, error: asked ? null : act.error, prepare }
}

interface QuestionProps {
  busy: boolean
  error: Error | null
  onClose: () => void
}

interface ResendProps extends QuestionProps {
  delivery: Pick<Delivery, 'order_name' | 'email' | 'phone'>
  onSend: () => void
}

const ResendQuestion = ({ delivery, busy, error, onSend, onClose }: ResendProps) => (
  <Question
    title={t('Send the files of order {name} again?', { name: delivery.order_name })}
    onClose={onClose}
    action={{ content: t('Send again'), loading: busy, onAction: onSend }}
    back={t('Cancel')}
    error={error}
    problem={t('The message could not be sent')}
  >
    <Text as="p">
      {t('A message with the links goes to {address}.', {
        address: delivery.email ?? delivery.phone ?? '',
      })}
    </Text>
  </Question>
)

interface RevokeProps extends QuestionProps {
  order: string
  onRevoke: () => void
}

const RevokeQuestion = ({ order, busy, error, onRevoke, onClose }: RevokeProps) => (
  <Question
    title={t('Revoke the delivery of order {name}?', { name: order })}
    onClose={onClose}
    action={{
      content: t('Revoke'),
      destructive: true,
      loading: busy,
      onAction: onRevoke,
    }}
    back={t('Cancel')}
    error={error}
    problem={t('The delivery could not be revoked')}
  >
    <Text as="p">
      {t(
        'The page and all downloads of this order stop immediately, for good. To stop them for a while, hold the delivery instead.',
      )}
    </Text>
  </Question>
)
