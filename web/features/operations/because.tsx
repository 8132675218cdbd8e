// What started an operation: an event with the operations that led to it, a time, a program or a
// source of imports. A request is named beside the title.
import { Fragment, type ReactNode } from 'react'
import { type Operation } from '../../shell/client/types.ts'
import { eventText } from '../../shell/labels/events.ts'
import { tRich } from '../../shell/messages/rich.ts'
import { t, translated } from '../../shell/messages/t.ts'
import { Card, Link, Text } from '../../shell/ui/index.ts'
import { useChannels, type Channel } from '../imports/channel-calls.ts'
import { sourceText } from '../imports/labels.ts'
import { useRequester } from './use-requester.ts'

interface Props {
  operation: Operation
  /** In a row of a list. */
  small?: boolean
}

export function Because({ operation, small = false }: Props) {
  const channels = useChannels()
  const requester = useRequester()(operation.requested_by)
  const reasons = reasonsOf(operation, { channels, requester })
  if (reasons.length === 0) return null
  const text = (
    <Text as="p" variant={small ? 'bodySm' : 'bodyMd'}>
      <Text as="span" fontWeight="semibold">
        {t('Because')}
      </Text>{' '}
      {reasons.map((reason, at) => (
        <Fragment key={at}>
          {at > 0 && ' → '}
          {reason}
        </Fragment>
      ))}
    </Text>
  )
  return small ? text : <Card>{text}</Card>
}

interface Context {
  channels: readonly Channel[]
  requester: string
}

type Started = Operation['because']['led_by'][number]

/** What led to the operation, first to last; empty: a request. */
function reasonsOf({ because, schedule_id }: Operation, context: Context): ReactNode[] {
  const { led_by, kind, count } = because
  const [first] = led_by
  const own = (): ReactNode => {
    const last = led_by.at(-1)
    if (last) return ledBy(because, last)
    if (kind !== 'times') return startedText(because, context)
    return schedule_id ? <Link url={`/schedules/${schedule_id}`}>{context.requester}</Link> : null
  }
  if (kind === 'request') return []
  const before = first && first.kind !== 'request' ? [startedText(first, context)] : []
  const between = led_by.slice(1).map((operation, at) => ledBy(operation, led_by[at] ?? operation))
  const times = count > 1 ? ` ${t('({count} times)', { count })}` : ''
  return [
    ...before,
    ...between,
    <>
      {own()}
      {times}
    </>,
  ]
}

/** The event, or the failed files, of an operation that led to another one. */
const ledBy = ({ kind, event }: Pick<Started, 'kind' | 'event'>, by: Started): ReactNode =>
  kind === 'if_not'
    ? tRich(
        'files failed in <link>{title}</link>',
        { title: translated(by.title) },
        { link: (text) => <Link url={`/operations/${by.operation_id}`}>{text}</Link> },
      )
    : eventIn(event, by)

/** The event of an operation: `files were changed in “Mark”`. */
const eventIn = (event: string | null, { operation_id, title }: Started): ReactNode =>
  tRich(
    '{event} in <link>{title}</link>',
    { event: eventText(event), title: translated(title) },
    { link: (text) => <Link url={`/operations/${operation_id}`}>{text}</Link> },
  )

type Reason = Pick<Started, 'kind' | 'event' | 'from' | 'from_name'>

function startedText({ kind, event, from, from_name }: Reason, { channels }: Context): string {
  if (kind === 'hook') return t('a program called the address of the workflow')
  if (kind === 'times') return t('a scheduled task was due')
  if (kind === 'if_not') return t('files failed in another run')
  if (kind === 'event' || !from) return eventText(event)
  const id = from.drop_account ?? from.connection ?? from.api_key ?? ''
  const names = new Map(from_name === null ? [] : [[id, from_name]])
  return t('it is the workflow for {source}', { source: sourceText(from, { channels, names }) })
}
