// One buyer: orders, links, licence keys, downloads and refused attempts, and the library's mail.
import { useState } from 'react'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { type BuyerDetail, useBuyer, useSendLibrary } from './calls.ts'
import { AccessCards } from './access-cards.tsx'
import {
  blockedFilesText,
  downloadsText,
  filesText,
  lastDownloadText,
  ordersText,
} from './labels.ts'
import { BUYER_STATE } from './url-state.ts'
import { DownloadsCard } from '../orders/history-cards.tsx'
import { UnblockedBanner, UnblockDialog, type UnblockResult } from '../orders/unblock-dialog.tsx'
import { toast } from '../../shell/client/bridge.ts'
import { ApiError } from '../../shell/client/error.ts'
import { Facts } from '../../shell/components/facts.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { MissingPage } from '../../shell/components/missing-page.tsx'
import { t } from '../../shell/messages/t.ts'
import { Badge, BlockStack } from '../../shell/ui/index.ts'
import { lastSeen, useUrlState } from '../../shell/url-state/use-url-state.ts'

export function BuyerPage() {
  const { email } = useUrlState(BUYER_STATE).urlState
  const buyer = useBuyer(email)
  const { data, error } = buyer
  if (data) return <Loaded key={data.email} buyer={data} query={buyer} />
  if (error instanceof ApiError && [404, 422].includes(error.status))
    return (
      <MissingPage
        back={back()}
        title={t('Buyer not found')}
        heading={t('This buyer doesn’t exist')}
        action={t('Go to buyers')}
      />
    )
  return (
    <Page title={t('Buyer')} backAction={back()}>
      <Unloaded
        query={buyer}
        what={t('the buyer')}
        problem={t('The buyer could not be loaded')}
        rows={6}
      />
    </Page>
  )
}

const back = () => ({ content: t('Buyers'), url: lastSeen('/buyers') })

interface LoadedProps {
  buyer: BuyerDetail
  query: ReturnType<typeof useBuyer>
}

function Loaded({ buyer, query }: LoadedProps) {
  const { email } = buyer
  const send = useSendLibrary()
  const [unblocking, setUnblocking] = useState<string | null>(null)
  const [unblocked, setUnblocked] = useState<UnblockResult | null>(null)
  const blocked = blockedFilesText(buyer)
  return (
    <Page
      title={email}
      fullWidth
      titleMetadata={blocked === null ? undefined : <Badge tone="warning">{blocked}</Badge>}
      backAction={back()}
      primaryAction={{
        content: t('Send their library'),
        loading: send.isPending,
        onAction: () => send.mutate(email, { onSuccess: () => toast(t('The link is being sent')) }),
      }}
    >
      <BlockStack gap="400">
        <LoadProblem query={query} what={t('The buyer could not be loaded')} />
        {send.error && <Problem error={send.error} what={t('The library could not be sent')} />}
        {unblocked && (
          <UnblockedBanner
            key={unblocked.id}
            unblocked={unblocked}
            onClose={() => setUnblocked(null)}
          />
        )}
        <About buyer={buyer} />
        <AccessCards email={email} licences={buyer.licence_keys} onUnblock={setUnblocking} />
        <DownloadsCard {...buyer} />
      </BlockStack>
      {unblocking && (
        <UnblockDialog id={unblocking} onClose={() => setUnblocking(null)} onDone={setUnblocked} />
      )}
    </Page>
  )
}

function About({ buyer }: { buyer: BuyerDetail }) {
  const { sent_at, opened_at } = buyer.library
  return (
    <Titled
      title={t('Buyer')}
      help={t(
        'Their library is a page with all their downloads. Its link is sent to their address.',
      )}
    >
      <Facts
        rows={[
          [t('Orders'), ordersText(buyer)],
          [t('Files'), filesText(buyer)],
          [t('Downloads'), downloadsText(buyer)],
          [t('Last download'), lastDownloadText(buyer)],
          [t('Library sent'), sent_at === null ? t('Not yet') : momentText(sent_at)],
          [t('Library opened'), opened_at === null ? t('Not yet') : momentText(opened_at)],
        ]}
      />
    </Titled>
  )
}
