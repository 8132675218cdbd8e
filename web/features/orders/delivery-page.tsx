// One delivery: what was bought and sent, the buyer's downloads, and the possible actions.
import { useState } from 'react'
import { type DeliveredFile, type DeliveryDetail, useChangeDelivery, useDelivery } from './calls.ts'
import { ApiError } from '../../shell/client/error.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { blockedText, DELIVERY_STATUSES, isText } from './labels.ts'
import { messageText, reasonText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Badge, Banner, BlockStack, Card } from '../../shell/ui/index.ts'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import { LostPage } from '../../shell/lost-page.tsx'
import { AboutCard } from './about-card.tsx'
import { AskedBanner } from './asked-banner.tsx'
import { AddressDialog } from './address-dialog.tsx'
import { CorrectDialog } from './correct-dialog.tsx'
import { FilesCard } from './files-card.tsx'
import { DownloadsCard, LinesCard, MessagesCard } from './history-cards.tsx'
import { ReplaceDialog } from './replace-dialog.tsx'
import { TermsDialog } from './terms-dialog.tsx'
import { ReleasedBanner, type ReleasedFile } from './released-banner.tsx'
import { UnblockDialog, UnblockedBanner, type Unblocked } from './unblock-dialog.tsx'
import { useDeliveryActions } from './use-delivery-actions.tsx'

/** The open dialog; about one file, or all. */
type Open =
  | { dialog: 'address' }
  | { dialog: 'correct' }
  | { dialog: 'terms'; files: readonly DeliveredFile[] }
  | { dialog: 'replace'; file: DeliveredFile }

export function DeliveryPage({ id }: { id: string }) {
  const delivery = useDelivery(id)
  const { data, error } = delivery
  if (data) return <Loaded delivery={data} stale={error} />
  if (error instanceof ApiError && error.status === 404) return <LostPage />
  return (
    <Page title={t('Delivery')} backAction={back()}>
      {error ? (
        <Problem
          error={error}
          what={t('The delivery could not be loaded')}
          onRetry={() => void delivery.refetch()}
          retrying={delivery.isFetching}
        />
      ) : (
        <Card padding="0">
          <LoadingRows rows={6} what={t('the delivery')} />
        </Card>
      )}
    </Page>
  )
}

const back = () => ({ content: t('Deliveries'), url: lastSeen('/deliveries') })

function Loaded({ delivery, stale }: { delivery: DeliveryDetail; stale: Error | null }) {
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const actions = useDeliveryActions(delivery)
  const release = useChangeDelivery(delivery.id)
  const [released, setReleased] = useState<ReleasedFile | null>(null)
  const [unblocking, setUnblocking] = useState(false)
  const [unblocked, setUnblocked] = useState<Unblocked | null>(null)
  const blocked = blockedText(delivery)
  const word = DELIVERY_STATUSES[delivery.status]
  // New terms help no buyer of an order that entitles to nothing any more.
  const changeable = delivery.status === 'ready' || delivery.status === 'held'
  return (
    <Page
      title={t('Order {name}', { name: delivery.order_name })}
      titleMetadata={<Badge tone={word.tone}>{word.text}</Badge>}
      backAction={back()}
      primaryAction={actions.primary}
      secondaryActions={actions.secondary}
    >
      <BlockStack gap="400">
        {stale && <Problem error={stale} stale what={t('The delivery could not be loaded')} />}
        {actions.error && <Problem error={actions.error} what={t('That could not be done')} />}
        {release.error && (
          <Problem error={release.error} what={t('The file could not be made available')} />
        )}
        {released && (
          <ReleasedBanner
            key={released.file_id}
            delivery={delivery.id}
            file={released}
            onClose={() => setReleased(null)}
          />
        )}
        {unblocked && <UnblockedBanner unblocked={unblocked} onClose={() => setUnblocked(null)} />}
        {delivery.bounced_at !== null && delivery.status === 'ready' && (
          <Banner
            tone="critical"
            title={
              isText(delivery)
                ? t('The last text message did not reach the buyer')
                : t('The last email did not reach the buyer')
            }
            action={{
              content: isText(delivery) ? t('Correct the number') : t('Correct the address'),
              onAction: () => setOpen({ dialog: 'correct' }),
            }}
          >
            {delivery.sent?.error && <p>{messageText({ message: delivery.sent.error })}</p>}
          </Banner>
        )}
        {blocked !== null && !delivery.asked && (
          <Banner
            tone="warning"
            title={blocked}
            action={{
              content: t('Let them download again'),
              onAction: () => setUnblocking(true),
            }}
          >
            {delivery.reason !== null && (
              <p>{reasonText({ ...delivery, reason: delivery.reason })}</p>
            )}
          </Banner>
        )}
        {delivery.asked && changeable && <AskedBanner delivery={delivery} />}
        {delivery.status !== 'ready' && (
          <Banner tone={delivery.status === 'held' ? 'warning' : 'info'} title={word.text}>
            <p>
              {delivery.reason === null
                ? t('The buyer cannot download its files.')
                : reasonText({ ...delivery, reason: delivery.reason })}
            </p>
          </Banner>
        )}
        {delivery.status === 'ready' &&
          delivery.reason !== null &&
          (blocked === null || delivery.asked) && (
            <Banner
              tone="warning"
              title={t('Some files are not delivered')}
              action={{ content: t('Prepare again'), onAction: actions.prepare }}
            >
              <p>{reasonText({ ...delivery, reason: delivery.reason })}</p>
            </Banner>
          )}
        <AboutCard delivery={delivery} onCorrect={() => setOpen({ dialog: 'address' })} />
        <FilesCard
          delivery={delivery}
          onTerms={(files) => setOpen({ dialog: 'terms', files })}
          onReplace={(file) => setOpen({ dialog: 'replace', file })}
          onRelease={({ file_id, filename, available_at }) =>
            release.mutate(
              { changes: [{ terms: [{ file_id, available_at: null }] }], resend: false },
              {
                onSuccess: () =>
                  setReleased(available_at === null ? null : { file_id, filename, available_at }),
              },
            )
          }
        />
        <LinesCard lines={delivery.lines} />
        <MessagesCard messages={delivery.messages} />
        <DownloadsCard {...delivery} />
      </BlockStack>
      {open?.dialog === 'address' && <AddressDialog delivery={delivery} onClose={close} />}
      {open?.dialog === 'correct' && <CorrectDialog id={delivery.id} onClose={close} />}
      {open?.dialog === 'terms' && (
        <TermsDialog delivery={delivery} files={open.files} onClose={close} />
      )}
      {open?.dialog === 'replace' && (
        <ReplaceDialog delivery={delivery} file={open.file} onClose={close} />
      )}
      {unblocking && (
        <UnblockDialog
          id={delivery.id}
          onClose={() => setUnblocking(false)}
          onDone={setUnblocked}
        />
      )}
      {actions.question}
    </Page>
  )
}
