// Why a buyer does not get the files of a delivery, each with what the merchant can do about it.
import { reasonText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack } from '../../shell/ui/index.ts'
import { toast } from '../../shell/client/bridge.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { type DeliveryDetail, useChangeDelivery } from './calls.ts'
import {
  blockedText,
  DELIVERY_STATUSES,
  isText,
  sentError,
  UNBLOCK_TEXTS,
  grantChanges,
  grantText,
} from './labels.ts'
import { plannedUse, unblockPlan } from './unblock.ts'

interface Props {
  delivery: DeliveryDetail
  onCorrect: () => void
  onUnblock: () => void
  onPrepare: () => void
  /** The change is saved, but its message could not be sent. */
  onUnsent: (error: Error) => void
}

export function StateBanners({ delivery, onCorrect, onUnblock, onPrepare, onUnsent }: Props) {
  const { status, asked } = delivery
  const grant = useChangeDelivery(delivery.id)
  const blocked = blockedText(delivery)
  const use = plannedUse(unblockPlan(delivery, new Date()))
  const reason =
    delivery.reason === null ? null : reasonText({ ...delivery, reason: delivery.reason })
  // New terms help no buyer of an order that entitles to nothing any more.
  const changeable = status === 'ready' || status === 'held'
  return (
    <>
      {delivery.bounced_at !== null && status === 'ready' && (
        <Banner
          tone="critical"
          title={
            isText(delivery)
              ? t('The last text message did not reach the buyer')
              : t('The last email did not reach the buyer')
          }
          action={{
            content: isText(delivery) ? t('Correct the number') : t('Correct the address'),
            onAction: onCorrect,
          }}
        >
          {delivery.sent?.error && <p>{sentError(delivery)}</p>}
          {isText(delivery) && delivery.sent?.kept && (
            <p>{t('Text messages need an SMS gateway of the installation.')}</p>
          )}
        </Banner>
      )}
      {blocked !== null && !asked && (
        <Banner
          tone="warning"
          title={blocked}
          action={{ content: UNBLOCK_TEXTS[use], onAction: onUnblock }}
        >
          {reason !== null && <p>{reason}</p>}
        </Banner>
      )}
      {asked && changeable && <AskedBanner delivery={delivery} grant={grant} onUnsent={onUnsent} />}
      {status !== 'ready' && (
        <Banner
          tone={status === 'held' ? 'warning' : 'info'}
          title={DELIVERY_STATUSES[status].text}
        >
          <p>{reason ?? t('The buyer cannot download its files.')}</p>
        </Banner>
      )}
      {status === 'ready' && reason !== null && (blocked === null || asked) && (
        <Banner
          tone="warning"
          title={t('Some files are not delivered')}
          action={{ content: t('Prepare again'), onAction: onPrepare }}
        >
          <p>{reason}</p>
        </Banner>
      )}
    </>
  )
}

// A buyer's request for more: one click grants it and notifies the buyer.

interface AskedBannerProps {
  delivery: DeliveryDetail
  /** Of the page: the banner is gone when the downloads are granted and the message is still on its way. */
  grant: ReturnType<typeof useChangeDelivery>
  /** The downloads are granted, but the message could not be sent. */
  onUnsent: (error: Error) => void
}

function AskedBanner({ delivery, grant, onUnsent }: AskedBannerProps) {
  const { asked, file_list, email, status } = delivery
  if (!asked) return null
  const changes = grantChanges(file_list, new Date())
  const resend = email !== null && status === 'ready'
  // Nothing of the files is limited: the buyer may only have lost the email.
  const content = grantText(changes) ?? (resend ? t('Send again') : null)
  const done = resend
    ? t('Granted, and the buyer gets an email')
    : t('Granted. No email was sent: the delivery is not ready or has no address')
  return (
    <Banner
      tone="warning"
      title={
        file_list.every(({ view }) => view === 'view_only')
          ? t('The buyer asks for more views')
          : t('The buyer asks for more downloads')
      }
      action={
        content === null
          ? undefined
          : {
              content,
              loading: grant.isPending,
              onAction: () =>
                grant.mutate(
                  { changes, resend },
                  { onSuccess: (unsent) => (unsent ? onUnsent(unsent) : toast(done)) },
                ),
            }
      }
    >
      <BlockStack gap="200">
        <p>
          {t('{who}, {at}', {
            who: asked.email ?? email ?? t('No address'),
            at: momentText(asked.at),
          })}
        </p>
        {asked.message && <p className="asked-message">{asked.message}</p>}
        {grant.error && (
          <Problem
            error={grant.error}
            what={
              changes.length > 0
                ? t('The downloads could not be granted')
                : t('The message could not be sent')
            }
          />
        )}
      </BlockStack>
    </Banner>
  )
}
