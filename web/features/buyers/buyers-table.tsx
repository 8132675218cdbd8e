// Buyers of one page of the list.
import { type Buyer } from './calls.ts'
import {
  blockedFilesText,
  downloadsText,
  filesText,
  lastDownloadText,
  ordersText,
} from './labels.ts'
import { buyerPath } from './url-state.ts'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { t } from '../../shell/messages/t.ts'
import { Badge, InlineStack, Link, Text } from '../../shell/ui/index.ts'

type Column = 'buyer' | 'orders' | 'files' | 'blocked' | 'downloads' | 'last'

const COLUMNS: Columns<Column, Buyer> = {
  buyer: {
    title: t('Buyer'),
    cut: { whole: ({ email }) => email },
    cell: (buyer) => <Address buyer={buyer} />,
  },
  orders: { title: t('Orders'), tabular: true, cell: ({ orders }) => orders, inCard: ordersText },
  files: { title: t('Files'), tabular: true, cell: ({ files }) => files, inCard: filesText },
  blocked: { title: t('Blocked'), cell: (buyer) => <Blocked buyer={buyer} /> },
  downloads: {
    title: t('Downloads'),
    tabular: true,
    cell: ({ downloads }) => downloads,
    inCard: downloadsText,
  },
  last: {
    title: t('Last download'),
    cell: lastDownloadText,
    inCard: (buyer) =>
      buyer.last_download_at === null ? null : t('last {time}', { time: lastDownloadText(buyer) }),
  },
}

const CARD: CardLayout<Column> = {
  gap: '100',
  lines: ['buyer', 'blocked', { facts: ['orders', 'files', 'downloads', 'last'] }],
}

export function BuyersTable({ buyers }: { buyers: readonly Buyer[] }) {
  return (
    <RecordTable
      names={{ singular: t('buyer'), plural: t('buyers') }}
      columns={COLUMNS}
      card={CARD}
      narrowBelow="md"
      rows={buyers}
      idOf={({ email }) => email}
    />
  )
}

const Address = ({ buyer: { email } }: { buyer: Buyer }) => (
  <Link url={buyerPath(email)} dataPrimaryLink monochrome removeUnderline>
    <Text as="span" fontWeight="semibold" breakWord>
      {email}
    </Text>
  </Link>
)

function Blocked({ buyer }: { buyer: Buyer }) {
  const text = blockedFilesText(buyer)
  if (text === null) return null
  return (
    <InlineStack>
      <Badge tone="warning">{text}</Badge>
    </InlineStack>
  )
}
