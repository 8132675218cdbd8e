// A buyer's request for more: one click grants it and notifies the buyer.
import { toast } from '../../shell/client/bridge.ts'
import { type DeliveryDetail, useChangeDelivery } from './calls.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { GRANTED_DAYS, GRANTED_DOWNLOADS, grantChanges } from './labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack } from '../../shell/ui/index.ts'

export function AskedBanner({ delivery }: { delivery: DeliveryDetail }) {
  const { id, asked, file_list, email, status } = delivery
  const grant = useChangeDelivery(id)
  if (!asked) return null
  const changes = grantChanges(file_list, new Date())
  const resend = email !== null && status === 'ready'
  return (
    <Banner
      tone="warning"
      title={t('The buyer asks for more downloads')}
      action={{
        content: t('Grant {downloads} more downloads and {days} days', {
          downloads: GRANTED_DOWNLOADS,
          days: GRANTED_DAYS,
        }),
        loading: grant.isPending,
        onAction: () =>
          grant.mutate(
            { changes, resend },
            {
              onSuccess: () =>
                toast(
                  resend
                    ? t('Granted, and the buyer gets an email')
                    : t('Granted. No email was sent: the delivery is not ready or has no address'),
                ),
            },
          ),
      }}
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
          <Problem error={grant.error} what={t('The downloads could not be granted')} />
        )}
      </BlockStack>
    </Banner>
  )
}
