// Why a buyer does not get the files of a delivery, each with what the merchant can do about it.
import { type DeliveryDetail, useChangeDelivery } from './calls.ts'
import { blockedText, DELIVERY_STATUSES, isText, sentError, UNBLOCK_TEXTS } from './labels.ts'
import { reasonText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner } from '../../shell/ui/index.ts'
import { AskedBanner } from './asked-banner.tsx'
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
