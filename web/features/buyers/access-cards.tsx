// What a buyer may download: deliveries of orders, links that were made for the address, and
// licence keys.
import { type ReactNode } from 'react'
import { type BuyerDetail } from './calls.ts'
import { useLinkPage } from '../links/list-calls.ts'
import { LinksTable } from '../links/links-table.tsx'
import { useDeliveries } from '../orders/calls.ts'
import { DeliveriesTable } from '../orders/deliveries-table.tsx'
import { Copy } from '../../shell/components/copy.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Quiet } from '../../shell/components/quiet.tsx'
import { t } from '../../shell/messages/t.ts'
import { Badge, Box, Card, Heading, InlineStack, Link, Text } from '../../shell/ui/index.ts'

const SHOWN = 50

interface Props {
  email: string
  licences: BuyerDetail['licence_keys']
  /** Must be the same function in every render: the table is memoised. */
  onUnblock: (delivery: string) => void
}

export function AccessCards({ email, licences, onUnblock }: Props) {
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
