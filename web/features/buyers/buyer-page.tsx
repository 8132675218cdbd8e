// One buyer: orders, links, licence keys, downloads and refused attempts, and the library's mail.
import { useState, type ReactNode } from 'react'
import { Unloaded } from '../../shell/components/unloaded.tsx'
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
import {
  Badge,
  BlockStack,
  Box,
  Card,
  Heading,
  InlineStack,
  Link,
  Text,
} from '../../shell/ui/index.ts'
import { lastSeen, useUrlState } from '../../shell/url-state/use-url-state.ts'
import { Copy } from '../../shell/components/copy.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Quiet } from '../../shell/components/quiet.tsx'
import { DownloadsCard } from '../orders/history-cards.tsx'
import { UnblockedBanner, UnblockDialog, type UnblockResult } from '../orders/unblock-dialog.tsx'
import { useLinkPage } from '../links/list-calls.ts'
import { LinksTable } from '../links/links-table.tsx'
import { useDeliveries } from '../orders/calls.ts'
import { DeliveriesTable } from '../orders/deliveries-table.tsx'
import { type BuyerDetail, useBuyer, useSendLibrary } from './calls.ts'
import {
  blockedFilesText,
  downloadsText,
  filesText,
  lastDownloadText,
  ordersText,
} from './labels.ts'
import { BUYER_STATE } from './url-state.ts'

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

// What a buyer may download: deliveries of orders, links that were made for the address, and
// licence keys.

const SHOWN = 50

interface Props {
  email: string
  licences: BuyerDetail['licence_keys']
  /** Must be the same function in every render: the table is memoised. */
  onUnblock: (delivery: string) => void
}

function AccessCards({ email, licences, onUnblock }: Props) {
  const deliveries = useDeliveries({ email, limit: SHOWN })
  const links = useLinkPage({ email, limit: SHOWN })
  return (
    <>
      <LoadProblem query={deliveries} what={t('The deliveries could not be loaded')} />
      <LoadProblem query={links} what={t('The links could not be loaded')} />
      <Listed
        title={t('Deliveries')}
        more={deliveries.data?.next_cursor ? `/deliveries${searchFor(email)}` : null}
      >
        {deliveries.isPending && <LoadingRows rows={3} what={t('deliveries')} />}
        {deliveries.data?.data.length === 0 && (
          <Quiet
            heading={t('No orders')}
            text={t('Nothing was bought with this address that has files.')}
          />
        )}
        {deliveries.data && deliveries.data.data.length > 0 && (
          <DeliveriesTable deliveries={deliveries.data.data} onUnblock={onUnblock} />
        )}
      </Listed>
      {links.data && links.data.data.length > 0 && (
        <Listed
          title={t('Links')}
          more={links.data.next_cursor ? `/links${searchFor(email)}` : null}
        >
          <LinksTable links={links.data.data} named />
        </Listed>
      )}
      {licences.length > 0 && <Licences licences={licences} />}
    </>
  )
}

const searchFor = (email: string) => `?search=${encodeURIComponent(email)}`

/** @param more where the rest of the list is; null: all of it is shown. */
const Listed = (props: { title: string; more: string | null; children: ReactNode }) => (
  <Card padding="0">
    <Box padding="400">
      <InlineStack align="space-between" blockAlign="center">
        <Heading>{props.title}</Heading>
        {props.more !== null && <Link url={props.more}>{t('Show all')}</Link>}
      </InlineStack>
    </Box>
    {props.children}
  </Card>
)

const Licences = ({ licences }: Pick<Props, 'licences'>) => (
  <Listed title={t('Licence keys')} more={null}>
    <ul className="delivered" aria-label={t('Licence keys')}>
      {licences.map(({ file_id, filename, key, revoked }) => (
        <li key={`${file_id} ${key}`}>
          <Text as="span" breakWord>
            {filename}
          </Text>
          <Text as="span" breakWord>
            {key}
          </Text>
          {revoked ? (
            <Badge tone="critical">{t('Withdrawn')}</Badge>
          ) : (
            <Copy text={key} what={t('licence key')} />
          )}
        </li>
      ))}
    </ul>
  </Listed>
)
