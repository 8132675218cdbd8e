// What starts a workflow, as sentences.
import { t } from '../../shell/messages/t.ts'
import { eventText } from '../../shell/labels/events.ts'
import { sourceText, type SourceNames } from '../imports/labels.ts'
import { conditionSentence } from './condition-text.ts'
import { type TriggerDraft } from './draft.ts'

const MINUTE = 60
const HOUR = 3600

export function collectText(seconds: number): string {
  if (seconds < MINUTE)
    return t('{count, plural, one {# second} other {# seconds}}', { count: seconds })
  if (seconds < HOUR || seconds % HOUR !== 0)
    return t('{count, plural, one {# minute} other {# minutes}}', {
      count: Math.round(seconds / MINUTE),
    })
  return t('{count, plural, one {# hour} other {# hours}}', { count: seconds / HOUR })
}

/** The trigger as a sentence. */
export function triggerSentence(trigger: TriggerDraft, names: SourceNames): string {
  const { kind, from, event, which, collect } = trigger
  if (kind === 'orders') return t('When an order is delivered, before its buyer gets the files')
  if (kind === 'imports')
    return from
      ? t('For {source}', { source: sourceText(from, names) })
      : t('For imports of a source that you choose')
  const wait = collectText(collect)
  const begin =
    kind === 'hook'
      ? t('When a program calls its address')
      : t('When {event}', { event: eventText(event) })
  const only = conditionSentence(which)
  const when = only === null ? begin : t('{begin}. {only}', { begin, only })
  return t('{when}. Runs {wait} later, on all that came.', { when, wait })
}
