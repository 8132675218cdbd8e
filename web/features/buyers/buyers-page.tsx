// Everyone who bought files or was sent a link, found by email address.
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { PageSearch } from '../../shell/components/page-search.tsx'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Box,
  Card,
  TextField,
  Badge,
  InlineStack,
  Link,
  Text,
} from '../../shell/ui/index.ts'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import type { CardLayout, Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { useBuyers, type Buyer } from './calls.ts'
import { BUYERS_STATE, buyerPath } from './url-state.ts'
import {
  blockedFilesText,
  downloadsText,
  filesText,
  lastDownloadText,
  ordersText,
} from './labels.ts'

const SHOWN = 50

export function BuyersPage() {
  const { urlState, go, pages } = useUrlState(BUYERS_STATE)
  const { search, cursor, page } = urlState
  const buyers = useBuyers({ search, cursor, limit: SHOWN })
  const list = buyers.data?.data
  const none = list?.length === 0
  return (
    <Page title={t('Buyers')} subtitle={t('Who has your files, by email address')} fullWidth>
      <BlockStack gap="400">
        <LoadProblem query={buyers} what={t('The buyers could not be loaded')} />
        {none && search === '' && cursor === '' ? (
          <Card>
            <Nothing
              why="new"
              heading={t('No buyers yet')}
              action={{ content: t('Go to files'), url: '/files' }}
            >
              {t(
                'Buyers are listed once an order with files is paid, or a link is made for an email address.',
              )}
            </Nothing>
          </Card>
        ) : (
          <Card padding="0">
            <Search value={search} onSearch={(text) => go({ search: text }, { replace: true })} />
            {buyers.isPending && <LoadingRows rows={6} what={t('buyers')} />}
            {none && (
              <Nothing
                why="unmatched"
                heading={t('No address begins with this')}
                action={{ content: t('Show all'), onAction: () => go({ search: '' }) }}
              />
            )}
            {list && list.length > 0 && (
              <>
                <BuyersTable buyers={list} />
                <ListPages
                  what={t('buyers')}
                  all={t('{count, plural, one {# buyer} other {# buyers}}', { count: list.length })}
                  page={page}
                  next={buyers.data?.next_cursor ?? null}
                  pages={pages}
                  stale={buyers.isPlaceholderData}
                />
              </>
            )}
          </Card>
        )}
      </BlockStack>
    </Page>
  )
}

function Search({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  const typed = useDraft(value, (text) => onSearch(text.trim()))
  return (
    <Box padding="300">
      <PageSearch>
        <TextField
          label={t('Search buyers')}
          labelHidden
          placeholder={t('Beginning of the email address')}
          clearButton
          maxLength={320}
          value={typed.text}
          onChange={typed.change}
          onClearButtonClick={typed.clear}
        />
      </PageSearch>
    </Box>
  )
}

// Buyers of one page of the list.

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

function BuyersTable({ buyers }: { buyers: readonly Buyer[] }) {
  return (
    <RecordTable
      names={{ singular: t('buyer'), plural: t('buyers') }}
      columns={COLUMNS}
      card={CARD}
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
