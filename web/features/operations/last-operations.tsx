// The last operations of one channel in short rows: state, progress, and a link to each.
import { useChannels } from '../imports/channel-calls.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { isMoving, useOperations } from './calls.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { type Operation } from '../../shell/client/types.ts'
import { Because } from './because.tsx'
import { operationTitle } from './labels.ts'
import { statusWord } from './operation-status.ts'
import { inSentence, numberText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Box,
  Card,
  Heading,
  InlineStack,
  Link,
  SmallPrint,
} from '../../shell/ui/index.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Quiet } from '../../shell/components/quiet.tsx'
import { Progress, StatusBadge } from './status.tsx'
import './last-operations.css'

interface Props {
  title: string
  /** The operations that are listed: those of one channel. */
  query: Query
  /** The page that lists all of them. */
  all: string
  empty: { heading: string; text: string }
}

const SHOWN = 5

export function LastOperations({ title, query, all, empty }: Props) {
  const operations = useOperations({ ...query, limit: SHOWN })
  const list = operations.data?.data
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Heading>{title}</Heading>
          {list && list.length > 0 && <Link url={all}>{t('View all')}</Link>}
        </InlineStack>
      </Box>
      {operations.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={operations} what={t('The operations could not be loaded')} />
        </Box>
      )}
      {operations.isPending && <LoadingRows rows={2} what={inSentence(title)} />}
      {list?.length === 0 && <Quiet {...empty} />}
      {list && list.length > 0 && (
        <ul className="last-operations" aria-label={title}>
          {list.map((operation) => (
            <Row key={operation.id} operation={operation} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Row({ operation }: { operation: Operation }) {
  const channels = useChannels()
  const { id, created_at, label, done, failed, skipped, status } = operation
  const moving = isMoving(operation) || status === 'paused'
  return (
    <li>
      <BlockStack gap="050">
        <Link url={`/operations/${id}`}>{label ?? operationTitle(operation, channels)}</Link>
        <SmallPrint>
          {t(
            '{at} · {done} done{failed, plural, =0 {} other {, # failed}}{skipped, plural, =0 {} other {, # skipped}}',
            { at: momentText(created_at), done: numberText(done), failed, skipped },
          )}
        </SmallPrint>
        <Because operation={operation} small />
      </BlockStack>
      {moving && <Progress operation={operation} />}
      <StatusBadge word={statusWord(operation)} />
    </li>
  )
}
