// The last syncs of a connection, each with a link to its files.
import { useEffect } from 'react'
import { type Connection, type Sync, useSyncs } from './calls.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Quiet } from '../../shell/components/quiet.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { countsText, syncWord } from './labels.ts'
import { t } from '../../shell/messages/t.ts'
import { Box, Card, Heading } from '../../shell/ui/index.ts'
import { SyncLink } from './sync-link.tsx'

export function SyncsCard({ connection }: { connection: Connection }) {
  const syncs = useSyncs(connection.id)
  const list = syncs.data?.data
  const { refetch } = syncs
  const status = connection.last_sync?.status
  // Keeps the list consistent with the card above it.
  useEffect(() => void refetch(), [refetch, status])
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>{t('Last syncs')}</Heading>
      </Box>
      {syncs.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={syncs} what={t('The syncs could not be loaded')} />
        </Box>
      )}
      {syncs.isPending && <LoadingRows rows={2} what={t('syncs')} />}
      {list?.length === 0 && (
        <Quiet heading={t('No sync yet')} text={t('Each sync is listed here with its result.')} />
      )}
      {list && list.length > 0 && (
        <ul className="connections" aria-label={t('Last syncs')}>
          {list.map((sync) => (
            <Row key={sync.started_at} sync={sync} />
          ))}
        </ul>
      )}
    </Card>
  )
}

const Row = ({ sync }: { sync: Sync }) => (
  <li>
    <SyncLink sync={sync} />
    <span>{sync.error?.message ?? countsText(sync)}</span>
    <StatusBadge word={syncWord(sync)} />
  </li>
)
