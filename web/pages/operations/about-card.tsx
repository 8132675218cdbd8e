// What the operation is about: which files, which steps, what can be undone, and what it is related
// to.
import { type Operation } from '../../client/types.ts'
import { Facts } from '../../components/facts.tsx'
import { Steps } from '../../components/steps.tsx'
import { BlockStack, Card, Link, Text } from '../../ui/index.ts'
import { CHANNELS, cannotUndoText, hasEndedWell, sourceText } from '../../labels/operation.ts'
import { momentText } from '../../labels/time.ts'

export function AboutCard({ operation }: { operation: Operation }) {
  const { steps, cannot_undo, undoes, undone_by, undo_until } = operation
  return (
    <Card>
      <BlockStack gap="400">
        <Text as="h2" variant="headingMd">
          What it does
        </Text>
        {undoes && (
          <p>
            Sets each file back to how it was before{' '}
            <Link url={`/operations/${undoes}`}>the operation that it undoes</Link>. What somebody
            changed since then is left alone.
          </p>
        )}
        <Steps steps={steps} />
        <Facts rows={factsOf(operation)} />
        {cannot_undo.length > 0 && !undoes && (
          <Text as="p" tone="subdued">
            {cannotUndoText(cannot_undo)}
          </Text>
        )}
        {undo_until && !undone_by && hasEndedWell(operation) && (
          <Text as="p" tone="subdued">
            Can be undone until {momentText(undo_until)}.
          </Text>
        )}
        {undone_by && (
          <p>
            Undone by <Link url={`/operations/${undone_by}`}>a later operation</Link>.
          </p>
        )}
      </BlockStack>
    </Card>
  )
}

function factsOf(operation: Operation): [string, React.ReactNode][] {
  const { channel, schedule_id, finished_at, paused_at } = operation
  const facts: [string, React.ReactNode][] = []
  const files = sourceText(operation)
  if (files) facts.push(['Files', files])
  if (schedule_id)
    facts.push([
      'Started by',
      <Link key="schedule" url={`/schedules/${schedule_id}`}>
        A scheduled task
      </Link>,
    ])
  else facts.push(['Came by', CHANNELS[channel] ?? channel])
  if (paused_at) facts.push(['Paused', momentText(paused_at)])
  if (finished_at) facts.push(['Ended', momentText(finished_at)])
  return facts
}
