// About the operation: its files, its steps, what can be undone, and related operations.
import { type Channel, useChannels } from '../imports/channel-calls.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { type Operation, type Schemas } from '../../shell/client/types.ts'
import { Facts } from '../../shell/components/facts.tsx'
import { Steps } from '../../shell/components/steps.tsx'
import { Hint, Link } from '../../shell/ui/index.ts'
import { channelText } from '../imports/labels.ts'
import { problemOf } from './retry-dialog.tsx'
import { cannotUndoText, hasEndedWell, sourceText } from './labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { tRich } from '../../shell/messages/rich.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  operation: Operation
  /** What a retry could run; undefined: not known, or it cannot be retried. */
  retry: Schemas['Retry'] | undefined
}

export function AboutCard({ operation, retry }: Props) {
  const { steps, cannot_undo, undoes, undone_by, undo_until } = operation
  const channels = useChannels()
  return (
    <Titled title={t('What it does')}>
      {undoes && (
        <p>
          {tRich(
            'Restores each file to its state before <link>the operation that it undoes</link>. Later changes are kept.',
            {},
            { link: (text) => <Link url={`/operations/${undoes}`}>{text}</Link> },
          )}
        </p>
      )}
      <Steps steps={steps} />
      {retry?.changed && (
        <Hint>{t('The workflow, or a setting that it uses, was changed since.')}</Hint>
      )}
      {retry?.problem && <Hint>{problemOf(retry)}</Hint>}
      <Facts rows={factsOf(operation, channels)} />
      {cannot_undo.length > 0 && !undoes && <Hint>{cannotUndoText(cannot_undo)}</Hint>}
      {undo_until && !undone_by && hasEndedWell(operation) && (
        <Hint>{t('Can be undone until {time}.', { time: momentText(undo_until) })}</Hint>
      )}
      {undone_by && (
        <p>
          {tRich(
            'Undone by <link>a later operation</link>.',
            {},
            {
              link: (text) => <Link url={`/operations/${undone_by}`}>{text}</Link>,
            },
          )}
        </p>
      )}
    </Titled>
  )
}

function factsOf(operation: Operation, channels: readonly Channel[]): [string, React.ReactNode][] {
  const { channel, schedule_id, finished_at, paused_at } = operation
  const facts: [string, React.ReactNode][] = []
  const files = sourceText(operation)
  if (files) facts.push([t('Files'), files])
  if (schedule_id)
    facts.push([
      t('Started by'),
      <Link key="schedule" url={`/schedules/${schedule_id}`}>
        {t('A scheduled task')}
      </Link>,
    ])
  else facts.push([t('Channel'), channelText(channels, channel)])
  if (paused_at) facts.push([t('Paused', {}, 'time'), momentText(paused_at)])
  if (finished_at) facts.push([t('Ended', {}, 'time'), momentText(finished_at)])
  return facts
}
