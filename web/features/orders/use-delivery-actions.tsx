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
  const [revoking, setRevoking] = useState(false)
  const run = (action: DeliveryAction) =>
    act.mutate(action, {
      onSuccess: () => {
        setRevoking(false)
        toast(DONE[action])
        onDone()
      },
    })
  const ask = (open: boolean) => {
    act.reset()
    setRevoking(open)
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
        ? entry('resend', t('Send again'))
        : undefined
  const secondary: ActionEntry[] = []
  if (status === 'ready') secondary.push(entry('hold', t('Hold')))
  if (status !== 'revoked')
    secondary.push({
      content: t('Revoke …'),
      destructive: true,
      disabled: act.isPending,
      onAction: () => ask(true),
    })
  const question = revoking && (
    <RevokeQuestion
      order={delivery.order_name}
      revoking={act.isPending}
      error={act.error}
      onRevoke={() => run('revoke')}
      onClose={() => ask(false)}
    />
  )
  const prepare = () =>
    act.mutate('release', { onSuccess: () => toast(t('The files are being prepared')) })
  return { primary, secondary, question, error: revoking ? null : act.error, prepare }
}

interface QuestionProps {
  order: string
  revoking: boolean
  error: Error | null
  onRevoke: () => void
  onClose: () => void
}

const RevokeQuestion = ({ order, revoking, error, onRevoke, onClose }: QuestionProps) => (
  <Question
    title={t('Revoke the delivery of order {name}?', { name: order })}
    onClose={onClose}
    action={{
      content: t('Revoke'),
      destructive: true,
      loading: revoking,
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
