// Finds the order that gets files: also one that has no delivery, because none of its products had a file.
import { useState } from 'react'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { goTo } from '../../shell/url-state/leaving.ts'
import { BlockStack, Button, Hint, TextField } from '../../shell/ui/index.ts'
import { AddFilesDialog, recipientOf } from './add-files-dialog.tsx'
import { type AddedToOrder, type FoundOrder, useDelivery, useFindOrder } from './calls.ts'

export function FindOrderDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<FoundOrder | null>(null)
  const find = useFindOrder()
  const submit = () =>
    text.trim() !== '' &&
    find.mutate(text.trim(), {
      onSuccess: ([only, ...others]) => only && others.length === 0 && setChosen(only),
    })
  const added = {
    onClose,
    onAdded: ({ delivery }: AddedToOrder) => goTo(`/deliveries/${delivery}`),
  }
  if (chosen?.delivery_id) return <AddToDelivery id={chosen.delivery_id} {...added} />
  if (chosen)
    return <AddFilesDialog to={{ ...chosen, phone: null, locale: null, has: [] }} {...added} />
  return (
    <Dialog
      title={t('Add files to an order')}
      onClose={onClose}
      onEnter={submit}
      why={text.trim() === '' ? t('Enter an order first.') : null}
      primaryAction={{ content: t('Find the order'), loading: find.isPending, onAction: submit }}
    >
      {find.error && <Problem error={find.error} what={t('The order could not be looked up')} />}
      <TextField
        label={t('Order')}
        placeholder={t('#1001')}
        helpText={t('Its number, also of an order without a delivery, or its confirmation number.')}
        autoFocus
        value={text}
        onChange={(next) => {
          find.reset()
          setText(next)
        }}
      />
      <Found text={text.trim()} orders={find.data} onChoose={setChosen} />
    </Dialog>
  )
}

interface FoundProps {
  text: string
  /** Undefined: nothing was looked for yet. */
  orders: readonly FoundOrder[] | undefined
  onChoose: (order: FoundOrder) => void
}

/** Says that the store has none, or offers several to choose from. */
const Found = ({ text, orders, onChoose }: FoundProps) => (
  <>
    {orders?.length === 0 && (
      <Hint>
        {t(
          'The store has no order {order}. Orders of more than 60 days ago need the permission read_all_orders.',
          { order: text },
        )}
      </Hint>
    )}
    {orders && orders.length > 1 && (
      <BlockStack gap="200">
        <Hint>{t('Several orders have this name:')}</Hint>
        {orders.map((order) => (
          <Button key={order.order_id} fullWidth textAlign="start" onClick={() => onChoose(order)}>
            {[order.order_name, momentText(order.ordered_at), order.email]
              .filter((part) => part !== null)
              .join(' · ')}
          </Button>
        ))}
      </BlockStack>
    )}
  </>
)

interface AddProps {
  id: string
  onClose: () => void
  onAdded: (added: AddedToOrder) => void
}

/** The dialog says which files the buyer has already. */
function AddToDelivery({ id, ...props }: AddProps) {
  const delivery = useDelivery(id)
  if (delivery.data) return <AddFilesDialog to={recipientOf(delivery.data)} {...props} />
  return (
    <Dialog title={t('Add files to an order')} onClose={props.onClose}>
      <LoadProblem query={delivery} what={t('The delivery could not be loaded')} />
      {delivery.isPending && <LoadingRows rows={3} what={t('the delivery')} />}
    </Dialog>
  )
}
