// A term of one buyer's file was changed: with the way back.
import { type ReactNode } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, Button } from '../../shell/ui/index.ts'
import { type DeliveryChange, useChangeDelivery } from './calls.ts'

interface Props {
  delivery: string
  title: string
  children: ReactNode
  /** Of the changed terms, what they were. */
  before: NonNullable<DeliveryChange['terms']>[number]
  onClose: () => void
}

export function ChangedBanner({ delivery, title, children, before, onClose }: Props) {
  const undo = useChangeDelivery(delivery)
  const restore = () =>
    undo.mutate(
      { changes: [{ terms: [before] }], resend: false },
      {
        onSuccess: () => {
          toast(t('Undone'))
          onClose()
        },
      },
    )
  return (
    <Banner tone="success" title={title} onDismiss={onClose}>
      <div role="status">{children}</div>
      {undo.error && <Problem error={undo.error} what={t('This could not be undone')} />}
      <Button loading={undo.isPending} onClick={restore}>
        {t('Undo')}
      </Button>
    </Banner>
  )
}
