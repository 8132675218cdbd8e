// The last connections, and those refused with the reason and what to do about it.
import { useState } from 'react'
import { type DropConnection, useDropConnections } from './calls.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Quiet } from '../../shell/components/quiet.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { connectionWord, protocolText, refusalText, sentText } from './labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { durationText } from '../../shell/messages/duration.ts'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Box,
  Button,
  Card,
  Heading,
  Hint,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import './drop.css'

const SHOWN = 10

export function ConnectionsCard() {
  const connections = useDropConnections()
  const [all, setAll] = useState(false)
  const list = connections.data?.data
  return (
    <Card padding="0">
      <Box padding="400">
        <BlockStack gap="100">
          <Heading>{t('Last connections')}</Heading>
          <Hint>
            {t(
              'The last 100 to your accounts, with those refused. Sign-ins with an unknown username are not listed, since they belong to no account.',
            )}
          </Hint>
        </BlockStack>
      </Box>
      {connections.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={connections} what={t('The connections could not be loaded')} />
        </Box>
      )}
      {connections.isPending && <LoadingRows rows={3} what={t('connections')} />}
      {list?.length === 0 && (
        <Quiet
          heading={t('No connection yet')}
          text={t('Programs that sign in, or try to, are listed here with their address.')}
        />
      )}
      {list && list.length > 0 && (
        <ul className="drop-list" aria-label={t('Last connections')}>
          {(all ? list : list.slice(0, SHOWN)).map((connection) => (
            <Connection key={connection.id} connection={connection} />
          ))}
        </ul>
      )}
      {list && list.length > SHOWN && !all && (
        <Box padding="400">
          <Button onClick={() => setAll(true)}>
            {t('Show all {count}', { count: list.length })}
          </Button>
        </Box>
      )}
    </Card>
  )
}

function Connection({ connection }: { connection: DropConnection }) {
  const { account_name, username, address, protocol, refused, connected_at, ended_at } = connection
  const seconds =
    ended_at === null
      ? null
      : (new Date(ended_at).getTime() - new Date(connected_at).getTime()) / 1000
  const about = [
    momentText(connected_at),
    protocolText(protocol),
    ...(refused === null ? [sentText(connection)] : []),
    ...(refused === null && seconds !== null ? [durationText(seconds)] : []),
  ]
  return (
    <li>
      <div className="drop-name">
        <BlockStack gap="050">
          <Text as="span" breakWord>
            {t('{account} from {address}', { account: account_name ?? username, address })}
          </Text>
          <SmallPrint>{about.join(' · ')}</SmallPrint>
          {refused !== null && (
            <Text as="span" variant="bodySm">
              {refusalText(refused).advice}
            </Text>
          )}
        </BlockStack>
      </div>
      <div className="drop-state">
        <StatusBadge word={connectionWord(connection)} />
      </div>
    </li>
  )
}
