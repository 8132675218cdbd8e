// Who has a file: orders, links and links to its pack, each with the page where that is changed. As
// cards also in a wide window: the column beside the facts has no room for a table.
import { useMemo } from 'react'
import { useReadPages } from '../../shell/client/reads.ts'
import { type File, type Schemas } from '../../shell/client/types.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Badge, Box, Button, Card, Heading, Hint, InlineStack } from '../../shell/ui/index.ts'

type Holder = Schemas['FileHolder']
type ColumnId = 'who' | 'how' | 'since' | 'downloads' | 'open'

const PAGE = 10

const useHolders = (id: string) =>
  useReadPages('GET /api/files/{id}/holders', {
    path: { id },
    query: { limit: PAGE },
    key: ['file', id, 'holders'],
  })

const whoText = ({ email, kind }: Holder): string =>
  email ?? (kind === 'delivery' ? t('No email address') : t('Anyone with the link'))

const howText = ({ order_name, pack_name }: Holder): string =>
  order_name !== null
    ? t('Order {name}', { name: order_name })
    : pack_name !== null
      ? t('Link to the pack {name}', { name: pack_name })
      : t('Link to this file')

/** The page where the merchant changes the access. */
const urlOf = ({ delivery_id, email, pack_name }: Holder, filename: string): string =>
  delivery_id !== null
    ? `/deliveries/${delivery_id}`
    : `/links?search=${encodeURIComponent(email ?? pack_name ?? filename)}`

const columnsOf = (filename: string): Columns<ColumnId, Holder> => ({
  who: {
    title: t('Buyer'),
    cell: (holder) => (
      <InlineStack gap="200" wrap={false}>
        <span>{whoText(holder)}</span>
        {holder.ended && <Badge>{t('Ended')}</Badge>}
      </InlineStack>
    ),
  },
  how: { cell: howText },
  since: { cell: ({ at }) => t('since {time}', { time: momentText(at) }) },
  downloads: {
    cell: ({ downloads }) =>
      t('{count, plural, one {# download} other {# downloads}}', { count: downloads }),
  },
  open: {
    cell: (holder) => (
      <Button
        size="slim"
        url={urlOf(holder, filename)}
        accessibilityLabel={actionName(t('Change access'), whoText(holder))}
      >
        {t('Change access')}
      </Button>
    ),
  },
})

const CARD: CardLayout<ColumnId> = {
  lines: ['who', { facts: ['how', 'since', 'downloads'] }],
  buttons: 'open',
}

export function HoldersCard({ file }: { file: Pick<File, 'id' | 'filename'> }) {
  const holders = useHolders(file.id)
  const columns = useMemo(() => columnsOf(file.filename), [file.filename])
  const list = holders.data?.pages.flatMap(({ data }) => data)
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>{t('Who has it')}</Heading>
      </Box>
      {holders.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={holders} what={t('Who has this file could not be loaded')} />
        </Box>
      )}
      {holders.isPending && <LoadingRows rows={2} what={t('who has it')} />}
      {list?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Hint>{t('Nobody yet: no order has delivered it, and it has no link.')}</Hint>
        </Box>
      )}
      {list && list.length > 0 && (
        <RecordTable
          names={{ singular: t('holder'), plural: t('holders') }}
          columns={columns}
          card={CARD}
          rows={list}
          alwaysCards
          idOf={({ delivery_id, link_id }) => delivery_id ?? link_id!}
        />
      )}
      {holders.hasNextPage && (
        <Box padding="300">
          <InlineStack align="center">
            <Button
              variant="plain"
              loading={holders.isFetchingNextPage}
              onClick={() => void holders.fetchNextPage()}
            >
              {t('Show more holders')}
            </Button>
          </InlineStack>
        </Box>
      )}
    </Card>
  )
}
