// How far the operation is, in figures that move.
import { isMoving } from '../../client/operations.ts'
import { type Operation } from '../../client/types.ts'
import { Figures } from '../../components/facts.tsx'
import { Progress } from '../../components/status.tsx'
import { BlockStack, Card, Text } from '../../ui/index.ts'
import { isPreview, statusWord, waitingCount } from '../../labels/operation.ts'
import { numberText, sentence, sizeText } from '../../labels/size.ts'
import { durationText, remainingText } from '../../labels/time.ts'

export function SummaryCard({ operation }: { operation: Operation }) {
  const moving = isMoving(operation)
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <Progress operation={operation} wide />
          {/* The line stays while anything may come, so that nothing below it jumps. */}
          {(moving || operation.status === 'paused') && (
            <Text as="p" variant="bodySm" tone="subdued">
              {lineOf(operation)}
            </Text>
          )}
        </BlockStack>
        <Figures rows={figuresOf(operation, moving)} />
        {/* Said aloud when it changes, and only then. */}
        <div role="status">
          <Text as="span" visuallyHidden>
            {statusWord(operation).text}
          </Text>
        </div>
      </BlockStack>
    </Card>
  )
}

function lineOf({ status, remaining_seconds }: Operation): string {
  if (status === 'paused') return 'Paused: the files that wait are left alone until you resume.'
  if (status === 'queued') return 'Waiting for its turn'
  return sentence(remainingText(remaining_seconds))
}

function figuresOf(operation: Operation, moving: boolean): [string, React.ReactNode][] {
  const { done, failed, skipped, cancelled, bytes, bytes_saved } = operation
  const preview = isPreview(operation)
  const waiting = waitingCount(operation)
  const figures: [string, React.ReactNode][] = [
    [preview ? 'Would be done' : 'Done', numberText(done)],
    [
      preview ? 'Would fail' : 'Failed',
      failed > 0 ? <span className="critical">{numberText(failed)}</span> : '0',
    ],
    [preview ? 'Would be skipped' : 'Skipped', numberText(skipped)],
  ]
  if (cancelled > 0) figures.push(['Cancelled', numberText(cancelled)])
  if (moving || waiting > 0) figures.push(['Waiting', numberText(waiting)])
  figures.push(['All files', numberText(operation.total)])
  if (bytes > 0) figures.push(['Size', sizeText(bytes)])
  if (bytes_saved > 0) figures.push(['Saved', sizeText(bytes_saved)])
  if (!preview)
    figures.push([
      moving ? 'Elapsed' : 'Duration',
      operation.started_at ? durationText(operation.elapsed_seconds) : '–',
    ])
  return figures
}
