// The last recorded downloads of a file.
import { agentText } from '../../shell/labels/agent.ts'
import { type FileDetail } from '../../shell/client/types.ts'
import { type DownloadRecord, useDownloads } from './version-calls.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Box, Card, Heading, Hint, Text } from '../../shell/ui/index.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

type ColumnId = 'at' | 'address' | 'agent'

const COLUMNS: Columns<ColumnId, DownloadRecord> = {
  at: {
    title: t('When'),
    cell: ({ at }) => momentText(at),
    inCard: ({ at, address }) => <Text as="span">{`${momentText(at)} · ${address}`}</Text>,
  },
  address: { title: t('Address'), cell: ({ address }) => address },
  agent: {
    title: t('Browser or app'),
    cut: { whole: ({ agent }) => agent },
    cell: ({ agent }) => agentText(agent),
  },
}

const CARD: CardLayout<ColumnId> = { lines: ['at', { facts: ['agent'] }], dense: true }

export function DownloadsCard({ file }: { file: FileDetail }) {
  const downloads = useDownloads(file)
  const list = downloads.data?.data
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>{t('Latest downloads')}</Heading>
      </Box>
      {downloads.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={downloads} what={t('The downloads could not be loaded')} />
        </Box>
      )}
      {downloads.isPending && <LoadingRows rows={1} what={t('downloads')} />}
      {list?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Hint>
            {file.download_tracking
              ? t('None yet.')
              : t(
                  'Tracking is off for this file: the time and address of downloads are not recorded.',
                )}
          </Hint>
        </Box>
      )}
      {list && list.length > 0 && (
        <RecordTable
          names={{ singular: t('download'), plural: t('downloads') }}
          columns={COLUMNS}
          card={CARD}
          rows={list}
          idOf={(_download, position) => String(position)}
        />
      )}
    </Card>
  )
}
