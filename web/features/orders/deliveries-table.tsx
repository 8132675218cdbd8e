// Deliveries of one page of the list.
import { useMemo } from 'react'
import { type Delivery } from './calls.ts'
import { StatusBadge } from '../operations/status.tsx'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import {
  blockedText,
  DELIVERY_STATUSES,
  downloadedText,
  openedText,
  sentWord,
  UNBLOCK_TEXTS,
} from './labels.ts'
import { blockedUse } from './unblock.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  BlockStack,
  Button,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'

type Column = 'order' | 'buyer' | 'status' | 'files' | 'sent' | 'opened' | 'downloads' | 'help'

const columnsOf = (onUnblock: (id: string) => void): Columns<Column, Delivery> => ({
  order: { title: t('Order', {}, 'purchase'), cell: (delivery) => <Order delivery={delivery} /> },
  buyer: {
    title: t('Buyer'),
    cut: { className: 'address', whole: ({ email, phone }) => email ?? phone ?? undefined },
    cell: (delivery) => <Buyer delivery={delivery} />,
  },
  status: {
    title: t('Status'),
    cell: (delivery) => (
      <BlockStack gap="100" inlineAlign="start">
        <Status delivery={delivery} />
        <Help delivery={delivery} onUnblock={onUnblock} />
      </BlockStack>
    ),
    inCard: (delivery) => <Status delivery={delivery} />,
  },
  files: { title: t('Files'), tabular: true, cell: filesText },
  sent: { title: t('Email'), cell: (delivery) => <Sent delivery={delivery} /> },
  opened: {
    title: t('Opened'),
    cell: ({ opened_at }) => (opened_at === null ? t('Not yet') : momentText(opened_at)),
    inCard: openedText,
  },
  downloads: {
    title: t('Downloads'),
    tabular: true,
    cell: ({ downloads }) => downloads,
    inCard: downloadedText,
  },
  help: { cell: (delivery) => <Help delivery={delivery} onUnblock={onUnblock} /> },
})

const CARD: CardLayout<Column> = {
  gap: '100',
  lines: [
    { start: 'order', end: 'status', align: 'start' },
    'buyer',
    { facts: ['files', 'opened', 'downloads'] },
    'sent',
    'help',
  ],
}

interface Props {
  deliveries: readonly Delivery[]
  /** Must be the same function in every render: the table is memoised. */
  onUnblock: (id: string) => void
}

export function DeliveriesTable({ deliveries, onUnblock }: Props) {
  const columns = useMemo(() => columnsOf(onUnblock), [onUnblock])
  return (
    <RecordTable
      names={{ singular: t('delivery'), plural: t('deliveries') }}
      columns={columns}
      card={CARD}
      rows={deliveries}
      idOf={({ id }) => id}
    />
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
    <SmallPrint>{momentText(created_at)}</SmallPrint>
  </BlockStack>
)

const Buyer = ({ delivery: { email, phone } }: RowProps) =>
  email ??
  phone ?? (
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

/** What a buyer needs who cannot download. */
const Help = ({ delivery, onUnblock }: RowProps & Pick<Props, 'onUnblock'>) =>
  blockedText(delivery) && (
    // The row is a link to the delivery; its button is not.
    <div className="row-actions" onClick={(event) => event.stopPropagation()}>
      <Button
        size="slim"
        accessibilityLabel={actionName(UNBLOCK_TEXTS[blockedUse(delivery)], delivery.order_name)}
        onClick={() => onUnblock(delivery.id)}
      >
        {UNBLOCK_TEXTS[blockedUse(delivery)]}
      </Button>
    </div>
  )

function filesText({ files, size_bytes }: Delivery): string {
  const size = sizeText(size_bytes)
  return t('{files, plural, one {# file} other {# files}}, {size}', { files, size })
}

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
