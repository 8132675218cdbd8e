// The operation's progress in live counts.
import { isMoving } from './calls.ts'
import { type Operation } from '../../shell/client/types.ts'
import { Figures } from '../../shell/components/facts.tsx'
import { Progress } from './status.tsx'
import { BlockStack, Card, Text } from '../../shell/ui/index.ts'
import { MailsLine } from './mails-line.tsx'
import { awaitsFiles, waitingCount } from './labels.ts'
import { isPreview, statusWord } from './operation-status.ts'
import { numberText, capitalized, sizeText } from '../../shell/labels/size.ts'
import { remainingText } from '../../shell/labels/time.ts'
import { durationText } from '../../shell/messages/duration.ts'
import { t } from '../../shell/messages/t.ts'

export function SummaryCard({ operation }: { operation: Operation }) {
  const moving = isMoving(operation)
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <Progress operation={operation} wide />
          {/* The line stays while its content may come, so that nothing below it moves. */}
          {(moving || operation.status === 'paused') && (
            <Text as="p" variant="bodySm" tone="subdued">
              {lineOf(operation)}
            </Text>
          )}
        </BlockStack>
        <Figures rows={figuresOf(operation, moving)} />
        {operation.action === 'give-files' && !isPreview(operation) && (
          <MailsLine id={operation.id} />
        )}
        {/* Announced by screen readers only when it changes. */}
        <div role="status">
          <Text as="span" visuallyHidden>
            {statusWord(operation).text}
          </Text>
        </div>
      </BlockStack>
    </Card>
  )
}

function lineOf(operation: Operation): string {
  const { status, remaining_seconds } = operation
  if (status === 'paused') return t('Paused. Resume to process the waiting files.')
  if (status === 'queued') return t('Waiting to start')
  if (awaitsFiles(operation)) return t('The operation ends when no more files arrive.')
  return capitalized(remainingText(remaining_seconds))
}

function figuresOf(operation: Operation, moving: boolean): [string, React.ReactNode][] {
  const { done, failed, skipped, unchanged, cancelled, bytes, bytes_saved } = operation
  const preview = isPreview(operation)
  const waiting = waitingCount(operation)
  const failures = <span className="critical">{numberText(failed)}</span>
  const figures: [string, React.ReactNode][] = [
    [preview ? t('Would be done') : t('Done'), numberText(done)],
  ]
  if (unchanged > 0) figures.push([t('Of them unchanged'), numberText(unchanged)])
  figures.push(
    [preview ? t('Would fail') : t('Failed'), failed > 0 ? failures : '0'],
    [preview ? t('Would be skipped') : t('Skipped'), numberText(skipped)],
  )
  if (cancelled > 0) figures.push([t('Cancelled'), numberText(cancelled)])
  if (moving || waiting > 0) figures.push([t('Waiting'), numberText(waiting)])
  figures.push([t('All files'), numberText(operation.total)])
  if (bytes > 0) figures.push([t('Size'), sizeText(bytes)])
  if (bytes_saved > 0) figures.push([t('Saved'), sizeText(bytes_saved)])
  if (!preview)
    figures.push([
      moving ? t('Elapsed') : t('Duration'),
      operation.started_at ? durationText(operation.elapsed_seconds) : '–',
    ])
  return figures
}
