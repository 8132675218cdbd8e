// Corrects the buyer's address; the mail is then sent to it.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useAddressField } from './address-field.tsx'
import { type Delivery, useChangeDelivery } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { Checkbox, Text } from '../../shell/ui/index.ts'

interface Props {
  delivery: Delivery
  onClose: () => void
}

export function AddressDialog({ delivery: { id, email: before, status }, onClose }: Props) {
  const change = useChangeDelivery(id)
  const { address, check, field } = useAddressField(before)
  const [resend, setResend] = useState(true)
  const problems = problemsOf(objectionsIn(change.error))
  const canSend = status === 'ready'
  const submit = () => {
    if (!check()) return
    if (address === before) return onClose()
    change.mutate(
      { changes: [{ email: address }], resend: resend && canSend },
      {
        onSuccess: () => {
          toast(t('The address was corrected'))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title={t('Correct the address')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), loading: change.isPending, onAction: submit }}
      secondaryActions={[{ content: t('Cancel'), onAction: onClose }]}
    >
      {change.error && problems.all.length === 0 && (
        <Problem error={change.error} what={t('The address could not be changed')} />
      )}
      {field({ label: t('Email of the buyer'), refused: problems.at('email') })}
      <Text as="p" tone="subdued">
        {t('The link in the mail that was sent before stops working.')}
      </Text>
      {canSend && (
        <Checkbox
          label={t('Send the email to the new address')}
          checked={resend}
          onChange={setResend}
        />
      )}
    </Dialog>
  )
}
