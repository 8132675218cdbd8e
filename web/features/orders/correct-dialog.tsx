// The last message of a delivery did not arrive, or had no address: one action corrects or adds the address
// or the number, and sends it.
import { toast } from '../../shell/client/bridge.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { Hint, Text } from '../../shell/ui/index.ts'
import { useSettings } from '../../shell/client/settings.ts'
import { useAddressField } from './address-field.tsx'
import { isText, sentError } from './labels.ts'
import { useCorrectAddress, useDelivery, type Delivery } from './calls.ts'

interface Props {
  id: string
  onClose: () => void
  onDone?: () => void
}

export function CorrectDialog({ id, ...rest }: Props) {
  const delivery = useDelivery(id)
  if (delivery.data) return <Form delivery={delivery.data} {...rest} />
  return (
    <Dialog
      title={t('Correct the address')}
      onClose={rest.onClose}
      secondaryActions={[{ content: t('Cancel'), onAction: rest.onClose }]}
    >
      {delivery.error ? (
        <LoadProblem query={delivery} what={t('The delivery could not be loaded')} />
      ) : (
        <LoadingRows rows={2} what={t('the delivery')} />
      )}
    </Dialog>
  )
}

function Form({ delivery, onClose, onDone }: Omit<Props, 'id'> & { delivery: Delivery }) {
  const correct = useCorrectAddress(delivery.id)
  const texts = useSettings().data?.text_buyers === true
  const { contact, isUnchanged, isPhone, title, check, field } = useAddressField(delivery, texts)
  const problems = problemsOf(objectionsIn(correct.error))
  const sentProblem = sentError(delivery)
  const submit = () => {
    if (!check()) return
    correct.mutate(contact, {
      onSuccess: () => {
        toast(t('The message is on its way'))
        onDone?.()
        onClose()
      },
    })
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{
        content: delivery.sent ? t('Send again') : t('Send'),
        loading: correct.isPending,
        onAction: submit,
      }}
    >
      {correct.error && problems.all.length === 0 && (
        <Problem error={correct.error} what={t('The message could not be sent')} />
      )}
      {sentProblem !== null && (
        <Text as="p" tone="critical" breakWord>
          {isText(delivery)
            ? sentProblem
            : t('The mail server said: {reason}', { reason: sentProblem })}
        </Text>
      )}
      {field({
        label: t('Email of the buyer of order {name}', { name: delivery.order_name }),
        sent: correct,
        refused: problems.at,
      })}
      {delivery.sent && (
        <Hint>
          {isUnchanged
            ? isPhone
              ? t('The text message is sent to the same number again.')
              : t('The email is sent to the same address again.')
            : t('The link in the message that was sent before stops working.')}
        </Hint>
      )}
    </Dialog>
  )
}
