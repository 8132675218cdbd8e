// What needs the merchant, as sentences: for the page and for the weekly email.
import { say, textOf, type Text } from '../../../../plugins/contract/index.ts'
import { ERRORS } from '../../../core/errors.ts'
import { MAX_COUNTED, type FoundNeed, type Need } from './needs.ts'

const TEXTS: Readonly<Record<Need, (count: number, cause: Text) => Text>> = {
  held: (count) =>
    say('{count, plural, one {# delivery waits} other {# deliveries wait}} for your decision', {
      count,
    }),
  asked_runs: (count) =>
    say(
      '{count, plural, one {# run of a workflow waits} other {# runs of workflows wait}} for an answer',
      {
        count,
      },
    ),
  asked: (count) =>
    say('{count, plural, one {# buyer asks} other {# buyers ask}} for more downloads', { count }),
  blocked: (count) =>
    say(
      '{count, plural, one {# buyer has} other {# buyers have}} files that are used up or expired',
      { count },
    ),
  unreachable: (count) =>
    say('{count, plural, one {# order has} other {# orders have}} no email address', { count }),
  bounced: (count) =>
    say('{count, plural, one {# message to a buyer} other {# messages to buyers}} did not arrive', {
      count,
    }),
  unfiled_products: (count) =>
    say(
      '{count, plural, one {# product sells and has no file} other {# products sell and have no file}}',
      { count },
    ),
  new_files: (count) =>
    say(
      '{count, plural, one {# product has} other {# products have}} new files that past buyers do not have',
      { count },
    ),
  unmapped: (count) =>
    say('{count, plural, one {# file has} other {# files have}} no product', { count }),
  stopped_imports: (count, cause) =>
    say('{count, plural, one {# import} other {# imports}} of this week stopped: {cause}', {
      count,
      cause,
    }),
  failed_imports: (count, cause) =>
    say('{count, plural, one {# file} other {# files}} could not be imported this week: {cause}', {
      count,
      cause,
    }),
  reviews: (count) =>
    say('{count, plural, one {# file waits} other {# files wait}} for you to choose a product', {
      count,
    }),
  connections: (count) =>
    say('{count, plural, one {# connection does} other {# connections do}} not work', { count }),
  licence_lists: (count) =>
    say('{count, plural, one {# list is} other {# lists are}} running out of licence keys', {
      count,
    }),
  quarantined: (count) =>
    say('{count, plural, one {# file is} other {# files are}} in quarantine', { count }),
  damaged: (count) =>
    say('{count, plural, one {# file is} other {# files are}} damaged in storage', { count }),
}

/** `More than 1,000 …` if there are more than were counted. */
export function needText({ need, count, cause }: Omit<FoundNeed, 'page'>): Text {
  const because = cause === null ? '' : ERRORS[cause].message
  const what = TEXTS[need](Math.min(count, MAX_COUNTED), textOf(because))
  return count > MAX_COUNTED ? say('More than {what}', { what }) : what
}
