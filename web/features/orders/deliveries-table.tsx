// Deliveries in a table; on a narrow screen a list instead.
import { type Delivery } from './calls.ts'
import { StatusBadge } from '../operations/status.tsx'
import { RowsTable } from '../../shell/components/rows-table.tsx'
import { blockedText, DELIVERY_STATUSES, downloadedText, openedText, sentWord } from './labels.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  BlockStack,
  Box,
  IndexTable,
  InlineStack,
  Link,
  Text,
  useBreakpoints,
} from '../../shell/ui/index.ts'

export function DeliveriesTable({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { lgDown: narrow } = useBreakpoints()
  return (
    <RowsTable
      names={{ singular: t('delivery'), plural: t('deliveries') }}
      headings={[
        { title: t('Order', {}, 'purchase') },
        { title: t('Buyer') },
        { title: t('Status') },
        { title: t('Files') },
        { title: t('Email') },
        { title: t('Opened') },
        { title: t('Downloads') },
      ]}
      narrow={narrow}
      rows={deliveries}
    >
      {(delivery) => (narrow ? <NarrowRow delivery={delivery} /> : <WideRow delivery={delivery} />)}
    </RowsTable>
  )
}

interface RowProps {
  delivery: Delivery
}

const Order = ({ delivery: { id, order_name, created_at } }: RowProps) => (
  <BlockStack>
    <Link url={`/deliveries/${id}`} dataPrimaryLink monochrome removeUnderline>
      <Text as="span" fontWeight="semibold">
        {order_name}
      </Text>
    </Link>
    <Text as="span" variant="bodySm" tone="subdued">
      {momentText(created_at)}
    </Text>
  </BlockStack>
)

const Buyer = ({ delivery: { email } }: RowProps) =>
  email ?? (
    <Text as="span" tone="critical">
      {t('No address')}
    </Text>
  )

function Status({ delivery }: RowProps) {
  const blocked = blockedText(delivery)
  return (
    <InlineStack gap="100">
      <StatusBadge word={DELIVERY_STATUSES[delivery.status]} />
      {delivery.asked && <Badge tone="attention">{t('Asks for more')}</Badge>}
      {blocked && <Badge tone="warning">{blocked}</Badge>}
    </InlineStack>
  )
}

const filesText = ({ files, size_bytes }: Delivery): string =>
  t('{files, plural, one {# file} other {# files}}, {size}', { files, size: sizeText(size_bytes) })

function Sent({ delivery }: RowProps) {
  const word = sentWord(delivery)
  return word ? (
    <StatusBadge word={word} />
  ) : (
    <Text as="span" tone="subdued">
      {t('Not sent')}
    </Text>
  )
}

const WideRow = ({ delivery }: RowProps) => (
  <>
    <IndexTable.Cell>
      <Order delivery={delivery} />
    </IndexTable.Cell>
    <IndexTable.Cell>
      <span className="cut product" title={delivery.email ?? undefined}>
        <Buyer delivery={delivery} />
      </span>
    </IndexTable.Cell>
    <IndexTable.Cell>
      <Status delivery={delivery} />
    </IndexTable.Cell>
    <IndexTable.Cell className="tabular">{filesText(delivery)}</IndexTable.Cell>
    <IndexTable.Cell>
      <Sent delivery={delivery} />
    </IndexTable.Cell>
    <IndexTable.Cell>
      {delivery.opened_at === null ? t('Not yet') : momentText(delivery.opened_at)}
    </IndexTable.Cell>
    <IndexTable.Cell className="tabular">{delivery.downloads}</IndexTable.Cell>
  </>
)

const NarrowRow = ({ delivery }: RowProps) => (
  <Box padding="400">
    <BlockStack gap="100">
      <InlineStack align="space-between" blockAlign="start" gap="200">
        <Order delivery={delivery} />
        <Status delivery={delivery} />
      </InlineStack>
      <Text as="span" breakWord>
        <Buyer delivery={delivery} />
      </Text>
      <Text as="span" variant="bodySm" tone="subdued">
        {[filesText(delivery), openedText(delivery), downloadedText(delivery)].join(' · ')}
      </Text>
      <InlineStack>
        <Sent delivery={delivery} />
      </InlineStack>
    </BlockStack>
  </Box>
)
