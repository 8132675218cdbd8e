// Corrects the buyer's address; the mail is then sent to it.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type Delivery, useChangeDelivery } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { addressProblem } from '../../shell/labels/address.ts'
import { t } from '../../shell/messages/t.ts'
import { Checkbox, Text, TextField } from '../../shell/ui/index.ts'

interface Props {
  delivery: Delivery
  onClose: () => void
}

export function AddressDialog({ delivery: { id, email: before, status }, onClose }: Props) {
  const change = useChangeDelivery(id)
  const [email, setEmail] = useState(before ?? '')
  const [resend, setResend] = useState(true)
  const [wrong, setWrong] = useState(false)
  const problems = problemsOf(objectionsIn(change.error))
  const canSend = status === 'ready'
  const submit = () => {
    const address = email.trim()
    if (address === '' || addressProblem(address) !== null) return setWrong(true)
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
      <TextField
        label={t('Email of the buyer')}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={email}
        error={wrong ? t('Enter an address like name@example.com') : problems.at('email')}
        onChange={(text) => {
          setEmail(text)
          setWrong(false)
        }}
      />
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
