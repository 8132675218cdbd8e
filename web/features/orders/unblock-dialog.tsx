// "Let them download again": says what changes for which file before it does it, offers the email,
// and can be undone.
import { useState } from 'react'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { type DeliveryDetail, useDelivery, useUnblock } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, Button, Checkbox, Hint, Text } from '../../shell/ui/index.ts'
import {
  GRANTED_DAYS,
  GRANTED_DOWNLOADS,
  GRANTED_VIEWS,
  UNBLOCK_TEXTS,
  type Use,
} from './labels.ts'
import {
  isEmpty,
  plannedUse,
  unblockPlan,
  type UnblockedFile,
  type UnblockPlan,
} from './unblock.ts'

/** What was done, for its undo. */
export interface UnblockResult {
  id: string
  order_name: string
  plan: UnblockPlan
  mailed: boolean
  /** Why the email could not be sent; null: it was, or none was wanted. */
  unsent: Error | null
}

interface Props {
  id: string
  onClose: () => void
  onDone: (unblocked: UnblockResult) => void
}

export function UnblockDialog({ id, onClose, onDone }: Props) {
  const delivery = useDelivery(id)
  if (delivery.data) return <Loaded delivery={delivery.data} onClose={onClose} onDone={onDone} />
  return (
    <Dialog
      title={UNBLOCK_TEXTS.use}
      onClose={onClose}
      secondaryActions={[{ content: t('Cancel'), onAction: onClose }]}
    >
      {delivery.error ? (
        <LoadProblem query={delivery} what={t('The delivery could not be loaded')} />
      ) : (
        <LoadingRows rows={2} what={t('the delivery')} />
      )}
    </Dialog>
  )
}

type LoadedProps = Omit<Props, 'id'> & { delivery: DeliveryDetail }

/** What will change for which file, and doing it. */
function useUnblockPlan({ delivery, onClose, onDone }: LoadedProps) {
  const { id, order_name, email, status } = delivery
  const [now] = useState(() => new Date())
  const plan = unblockPlan(delivery, now)
  const unblock = useUnblock(id)
  // A sent email cannot be undone.
  const [send, setSend] = useState(false)
  const canSend = status === 'ready' && email !== null
  const nothing = isEmpty(plan)
  const submit = () => {
    if (nothing) return onClose()
    const resend = send && canSend
    unblock.mutate(
      { terms: plan.terms, prepare: plan.prepare.length > 0, resend },
      {
        onSuccess: (unsent) => {
          onDone({ id, order_name, plan, mailed: resend && unsent === null, unsent })
          onClose()
        },
      },
    )
  }
  return { plan, nothing, unblock, submit, canSend, send: { checked: send, onChange: setSend } }
}

function Loaded(props: LoadedProps) {
  const { delivery, onClose } = props
  const { order_name, email } = delivery
  const { plan, nothing, unblock, submit, canSend, send } = useUnblockPlan(props)
  const use = plannedUse(plan)
  return (
    <Dialog
      title={unblockTitle(use, order_name)}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{
        content: nothing ? t('Close') : UNBLOCK_TEXTS[use],
        loading: unblock.isPending,
        onAction: submit,
      }}
    >
      {unblock.error && (
        <Problem error={unblock.error} what={t('The downloads could not be granted')} />
      )}
      {nothing && <Text as="p">{t('The buyer can use all files.')}</Text>}
      {plan.files.length > 0 && (
        <ul className="bullets" aria-label={t('What changes')}>
          {plan.files.flatMap(unblockTexts).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {plan.prepare.length > 0 && (
        <Text as="p">{t('Prepared again: {names}', { names: plan.prepare.join(', ') })}</Text>
      )}
      {!nothing && (
        <Hint>{t('It applies to this order only. The link of the buyer stays the same.')}</Hint>
      )}
      {!nothing && canSend && (
        <Checkbox
          label={t('Send the email with the link again')}
          helpText={t('To {to}', { to: email ?? '' })}
          {...send}
        />
      )}
      {!nothing && email === null && (
        <Hint>{t('The order has no email address: copy the link for the buyer.')}</Hint>
      )}
    </Dialog>
  )
}

function unblockTitle(use: Use, name: string): string {
  if (use === 'download') return t('Let the buyer of {name} download again', { name })
  return use === 'view'
    ? t('Let the buyer of {name} view again', { name })
    : t('Let the buyer of {name} use the files again', { name })
}

function unblockedTitle(use: Use, name: string): string {
  if (use === 'download') return t('The buyer of {name} can download again', { name })
  return use === 'view'
    ? t('The buyer of {name} can view again', { name })
    : t('The buyer of {name} can use the files again', { name })
}

/** A line for what is downloaded, and one for what is viewed. */
const unblockTexts = (one: UnblockedFile): string[] => [
  ...(one.usedUp || one.expired ? [downloadsText(one)] : []),
  ...(one.viewsUsedUp || one.viewsEnded ? [viewsText(one)] : []),
]

function viewsText({ file, viewsUsedUp, viewsEnded }: UnblockedFile): string {
  const values = { name: file.filename, views: GRANTED_VIEWS, days: GRANTED_DAYS }
  if (viewsUsedUp && viewsEnded)
    return t('{name}: {views} more views, and {days} days from now to view it', values)
  return viewsUsedUp
    ? t('{name}: {views} more views', values)
    : t('{name}: {days} days from now to view it', values)
}

function downloadsText({ file, usedUp, expired }: UnblockedFile): string {
  const name = file.filename
  const values = { name, downloads: GRANTED_DOWNLOADS, days: GRANTED_DAYS }
  const ended = expired && file.expires_at ? momentText(file.expires_at) : ''
  if (usedUp && expired)
    return t('{name}: {downloads} more downloads, and {days} days from now (expired {ended})', {
      ...values,
      ended,
    })
  return usedUp
    ? t('{name}: {downloads} more downloads', values)
    : t('{name}: {days} days from now (expired {ended})', { ...values, ended })
}

interface BannerProps {
  unblocked: UnblockResult
  onClose: () => void
}

/** What was done. An email and a preparation cannot be taken back. */
export function UnblockedBanner({ unblocked, onClose }: BannerProps) {
  const { id, order_name, plan, mailed, unsent } = unblocked
  const undo = useUnblock(id)
  const restore = () =>
    undo.mutate({ terms: plan.earlier, prepare: false, resend: false }, { onSuccess: onClose })
  return (
    <Banner tone="success" title={unblockedTitle(plannedUse(plan), order_name)} onDismiss={onClose}>
      <div role="status">
        {mailed ? t('The email with the link is on its way.') : t('No email was sent.')}
      </div>
      {unsent && <Problem error={unsent} what={t('The message could not be sent')} />}
      {undo.error && <Problem error={undo.error} what={t('This could not be undone')} />}
      {plan.earlier.length > 0 && (
        <Button loading={undo.isPending} onClick={restore}>
          {t('Undo')}
        </Button>
      )}
    </Banner>
  )
}
