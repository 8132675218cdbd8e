// A buyer's request for more: one click grants it and notifies the buyer.
import { toast } from '../../shell/client/bridge.ts'
import { type DeliveryDetail, type useChangeDelivery } from './calls.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { grantChanges, grantText } from './labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack } from '../../shell/ui/index.ts'

interface Props {
  delivery: DeliveryDetail
  /** Of the page: the banner is gone when the downloads are granted and the message is still on its way. */
  grant: ReturnType<typeof useChangeDelivery>
  /** The downloads are granted, but the message could not be sent. */
  onUnsent: (error: Error) => void
}

export function AskedBanner({ delivery, grant, onUnsent }: Props) {
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
