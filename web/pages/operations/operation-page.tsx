// One operation: how far it is, what came of it, and every file's own result.
import { ApiError } from '../../client/error.ts'
import { isMoving, useOperation } from '../../client/operations.ts'
import { type Operation } from '../../client/types.ts'
import { Figures } from '../../components/facts.tsx'
import { LoadingRows, Nothing } from '../../components/lists.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { Progress, StatusBadge } from '../../components/status.tsx'
import { lastSeen } from '../../place/use-place.ts'
import { Banner, BlockStack, Card, Text } from '../../ui/index.ts'
import { OPERATION_STATUSES, operationTitle, outcomeText, waitingCount } from '../../words/operation.ts'
import { numberText, sizeText } from '../../words/size.ts'
import { durationText, momentText, remainingText } from '../../words/time.ts'
import { ItemsCard } from './items-card.tsx'

export function OperationPage({ id }: { id: string }) {
  const operation = useOperation(id)
  const back = { content: 'Operations', url: lastSeen('/operations') }
  const retry = () => void operation.refetch()
  const gone = operation.error instanceof ApiError && operation.error.status === 404
  if (!operation.data)
    return (
      <Page title={gone ? 'Operation not found' : 'Operation'} backAction={back} fullWidth>
        {gone ? (
          <Card>
            <Nothing
              why="unmatched"
              heading="There is no such operation"
              action={{ content: 'Go to operations', url: back.url }}
            />
          </Card>
        ) : operation.error ? (
          <Problem
            error={operation.error}
            what="The operation could not be loaded"
            onRetry={retry}
            retrying={operation.isFetching}
          />
        ) : (
          <Card padding="0">
            <LoadingRows rows={5} what="the operation" />
          </Card>
        )}
      </Page>
    )
  const { data } = operation
  const title = operationTitle(data)
  return (
    <Page
      title={title}
      tab={
        isMoving(data)
          ? `${Math.floor(data.percentage)}% ${title}`
          : `${title}: ${OPERATION_STATUSES[data.status].text}`
      }
      subtitle={`${momentText(data.created_at)} · ${data.requested_by}`}
      titleMetadata={<StatusBadge word={OPERATION_STATUSES[data.status]} />}
      backAction={back}
      fullWidth
    >
      <BlockStack gap="400">
        {operation.error && (
          <Problem stale error={operation.error} what="" onRetry={retry} retrying={operation.isFetching} />
        )}
        <Summary operation={data} />
        <ItemsCard operation={data} />
      </BlockStack>
    </Page>
  )
}

function Outcome({ operation }: { operation: Operation }) {
  const outcome = outcomeText(operation)
  return (
    <>
      {outcome && (
        <Banner
          tone={operation.status === 'failed' ? 'critical' : 'warning'}
          title={outcome.title}
          action={
            operation.failed > 0
              ? { content: 'Show failed files', url: `/operations/${operation.id}?status=failed` }
              : undefined
          }
        >
          <p>{outcome.advice}</p>
        </Banner>
      )}
      {operation.warnings.length > 0 && (
        <Banner tone="warning">
          {operation.warnings.map(({ code, message }, at) => (
            <p key={`${code} ${at}`}>{message}</p>
          ))}
        </Banner>
      )}
    </>
  )
}

function Summary({ operation }: { operation: Operation }) {
  const moving = isMoving(operation)
  const figures: [string, string][] = [
    ['Done', numberText(operation.done)],
    ['Failed', numberText(operation.failed)],
    ['Skipped', numberText(operation.skipped)],
  ]
  if (operation.cancelled > 0) figures.push(['Cancelled', numberText(operation.cancelled)])
  if (waitingCount(operation) > 0) figures.push(['Waiting', numberText(waitingCount(operation))])
  if (operation.bytes > 0) figures.push(['Size', sizeText(operation.bytes)])
  figures.push([moving ? 'Elapsed' : 'Duration', operation.started_at ? durationText(operation.elapsed_seconds) : '–'])
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <Progress operation={operation} wide />
          {operation.status === 'running' && (
            <Text as="p" variant="bodySm" tone="subdued">
              {remainingText(operation.remaining_seconds)}
            </Text>
          )}
        </BlockStack>
        <Figures rows={figures} />
        <Outcome operation={operation} />
      </BlockStack>
    </Card>
  )
}
