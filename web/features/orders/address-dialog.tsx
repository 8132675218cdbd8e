// Corrects the buyer's address or phone number; the message is then sent to it.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useAddressField } from './address-field.tsx'
import { type Delivery, useChangeDelivery } from './calls.ts'
import { useSettings } from '../../shell/client/settings.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { Checkbox, Hint } from '../../shell/ui/index.ts'

interface Props {
  delivery: Delivery
  onClose: () => void
  /** The change is saved, but its message could not be sent. */
  onUnsent: (error: Error) => void
}

export function AddressDialog({ delivery, onClose, onUnsent }: Props) {
  const { id, status } = delivery
  const change = useChangeDelivery(id)
  const texts = useSettings().data?.text_buyers === true
  const { contact, isUnchanged, isPhone, title, check, field } = useAddressField(delivery, texts)
  // The link that the buyer has stops working.
  const [resend, setResend] = useState(true)
  const problems = problemsOf(objectionsIn(change.error))
  const canSend = status === 'ready'
  const submit = () => {
    if (!check()) return
    if (isUnchanged) return onClose()
    change.mutate(
      { changes: [contact], resend: resend && canSend },
      {
        onSuccess: (unsent) => {
          if (unsent) onUnsent(unsent)
          else toast(isPhone ? t('The number was corrected') : t('The address was corrected'))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), loading: change.isPending, onAction: submit }}
    >
      {change.error && problems.all.length === 0 && (
        <Problem error={change.error} what={t('The address could not be changed')} />
      )}
      {field({ label: t('Email of the buyer'), sent: change, refused: problems.at })}
      {delivery.sent && (
        <Hint>{t('The link in the message that was sent before stops working.')}</Hint>
      )}
      {canSend && (
        <Checkbox
          label={
            isPhone
              ? t('Send the text message to the new number')
              : t('Send the email to the new address')
          }
          checked={resend}
          onChange={setResend}
        />
      )}
    </Dialog>
  )
}
