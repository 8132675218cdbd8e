// Names of an operation's results, and the next steps, in the words of its plugin.
import {
  english,
  phrases,
  say,
  sentence,
  sentences,
  sizeText,
  textOf,
  type Actions,
  type AnyText,
  type OperationView,
  type PresentFiles,
  type Text,
  ownValue,
} from '../contract/index.ts'

/** Results of operations that belong to no plugin. */
const DONE: Readonly<Record<string, Text>> = { import: say('imported'), undo: say('put back') }
const DONE_OTHERWISE = say('done')

const TRASHED = say('moved to the trash')

/** The result of the done files, placed after `1,200 of 1,204 files`. */
function doneWords({ action }: OperationView, actions: Actions): Text {
  const own = actions.find(action)?.result
  return ownValue(DONE, action) ?? (own === undefined ? DONE_OTHERWISE : textOf(own))
}

/** What became of most of the done files, how many they are, and the done files that are told apart. */
function resultOf(operation: OperationView, present: PresentFiles, actions: Actions) {
  const count = operation.done - countPresent(present) - operation.unchanged
  // The undo of an import puts nothing back.
  if (operation.action === 'undo' && count === 0 && present.trashed > 0)
    return { words: TRASHED, count: present.trashed, apart: [] }
  return { words: doneWords(operation, actions), count, apart: presentParts(present) }
}

const ENDS: Readonly<Record<OperationView['status'], (title: Text) => Text>> = {
  success: (title) => say('{title} complete', { title }),
  partial: (title) => say('{title} partly complete', { title }),
  failed: (title) => say('{title} failed', { title }),
  cancelled: (title) => say('{title} cancelled', { title }),
}

/** The most characters of a label in a title, and in a text message. */
const LABEL_LENGTH = { title: 80, sms: 20 }

/**
 * Cuts a text to at most `length` characters, never inside an emoji: the database refuses half of
 * one.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const end = new Intl.Segmenter().segment(text).containing(length)?.index
  return text.slice(0, end ?? length)
}

function cutLabel(label: AnyText, length: number): string | Text {
  const whole = english(label)
  return whole.length > length ? `${cutText(whole, length)}…` : label
}

/**
 * `Import of “prices.csv” partly complete`. An import is named with the word of its channel,
 * regardless of its workflow's title.
 */
export function titleOf(
  { action, title, status, about }: OperationView,
  place: keyof typeof LABEL_LENGTH = 'title',
): Text {
  const length = LABEL_LENGTH[place]
  const { importWord, label, schedule } = about
  const name = textOf(action === 'import' ? importWord : title)
  const labelled = label === null ? null : { title: name, label: cutLabel(label, length) }
  const what =
    labelled === null
      ? name
      : action === 'import'
        ? say('{title} of “{label}”', labelled)
        : say('{title} from “{label}”', labelled)
  if (schedule === null) return ENDS[status](what)
  const scheduled = { title: what, name: cutLabel(schedule, length) }
  return ENDS[status](say('{title} by the schedule “{name}”', scheduled))
}

/** The number of done files that an import did not bring. */
export const countPresent = ({ changed, trashed, unchanged, unpacked }: PresentFiles): number =>
  changed + trashed + unchanged + unpacked

/** `1,200 of 1,204 files changed, 4 failed.` */
export function headlineOf(
  operation: OperationView,
  present: PresentFiles,
  unmapped: number,
  actions: Actions,
): Text {
  const { total, failed, skipped, unchanged, cancelled, bytes_saved, stopped } = operation
  if (total === 0 && stopped) return sentence(stopped.message)
  if (total === 0 && operation.action === 'import') return say('There was nothing new.')
  const { words, count, apart } = resultOf(operation, present, actions)
  const parts = [
    say('{done} of {total, plural, one {# file} other {# files}} {what}', {
      done: count,
      total,
      what: words,
    }),
    ...apart.map(({ text }) => text),
  ]
  if (unchanged > 0) parts.push(say('{count} unchanged', { count: unchanged }))
  if (failed > 0) parts.push(say('{count} failed', { count: failed }))
  if (skipped > 0) parts.push(say('{count} skipped', { count: skipped }))
  if (cancelled > 0) parts.push(say('{count} not processed', { count: cancelled }))
  if (unmapped > 0) parts.push(say('{count} not mapped to a product', { count: unmapped }))
  if (bytes_saved > 0) parts.push(say('{size} saved', { size: sizeText(bytes_saved) }))
  return sentence(phrases(...parts))
}

/** The done files that an import did not bring, with what it did to them. */
const presentParts = ({ changed, trashed, unchanged, unpacked }: PresentFiles) =>
  [
    {
      count: unpacked,
      text: say('{count} unpacked', { count: unpacked }),
      label: say('Unpacked', {}, 'number of files'),
    },
    {
      count: changed,
      text: say('{count} changed', { count: changed }),
      label: say('Changed', {}, 'number of files'),
    },
    {
      count: trashed,
      text: say('{count} moved to the trash', { count: trashed }),
      label: say('Moved to the trash'),
    },
    { count: unchanged, text: say('{count} sent', { count: unchanged }), label: say('Sent') },
  ].filter(({ count }) => count > 0)

export const lostText = (deliveries: number): Text =>
  sentences(
    say(
      '{count, plural, one {# paid delivery contains what was deleted: its buyer lost it.} other {# paid deliveries contain what was deleted: their buyers lost it.}}',
      { count: deliveries },
    ),
    say('If that is wrong, undo the operation or restore the files from the trash.'),
  )

/** The most names in a notice. */
const MAX_NAMED = 3

/** `Not mapped: a.pdf, b.pdf, c.pdf and 12 more.` */
export function unmappedText(names: readonly string[], count: number): Text {
  const more = count - Math.min(MAX_NAMED, names.length)
  const listed = names.slice(0, MAX_NAMED).join(', ')
  return say('Not mapped: {names}.', {
    names: more > 0 ? say('{names} and {count} more', { names: listed, count: more }) : listed,
  })
}

/**
 * Labelled counts for a table. The first and the last always appear, the others if they are not 0.
 */
export function countsOf(operation: OperationView, present: PresentFiles, actions: Actions) {
  const { total, failed, skipped, unchanged, cancelled } = operation
  const { words, count, apart } = resultOf(operation, present, actions)
  return [
    { label: doneLabel(words), count },
    ...[
      ...apart,
      { label: say('Unchanged', {}, 'number of files'), count: unchanged },
      { label: say('Failed'), count: failed },
      { label: say('Skipped'), count: skipped },
      { label: say('Not processed'), count: cancelled },
    ].filter(({ count }) => count > 0),
    { label: say('Total'), count: total },
  ].map(({ label, count }) => ({ label, count }))
}

/** The result as a label. The catalogs have those of actions: see server/http/messages.test.ts. */
function doneLabel(result: Text): Text {
  const words = english(result)
  return { ...textOf(words.charAt(0).toUpperCase() + words.slice(1)), context: 'number of files' }
}

const AFTER_OTHER_ERROR = say(
  'Open the operation, see why each file failed, and choose Retry Failed.',
)

const AFTER_STOP = say('Open the operation, see why it stopped, and start it again.')

export interface Remains {
  /** The codes of failures and warnings. */
  errors: ReadonlySet<string>
  warnings: ReadonlySet<string>
  unmapped: number
}

/**
 * The next steps after an operation, one sentence each, at least one. The action's own advice
 * overrides other plugins' advice for the same error.
 */
export function nextSteps(operation: OperationView, remains: Remains, actions: Actions): AnyText[] {
  const { status, done, failed, skipped, stopped } = operation
  const action = actions.find(operation.action)
  const steps = new Set<AnyText>()
  if (failed > 0)
    for (const code of remains.errors)
      steps.add(ownValue(action?.advice, code) ?? actions.adviceFor(code) ?? AFTER_OTHER_ERROR)
  if (remains.warnings.has('sku_not_found'))
    steps.add(
      say('Correct the SKUs that the storefront does not have, or map those files manually.'),
    )
  else if (remains.unmapped > 0)
    steps.add(
      say('Map the files that have no product, or leave them: their links work without one.'),
    )
  if (operation.action === 'undo' && skipped > 0)
    steps.add(say('Open the operation to see why files were left as they are.'))
  if (status === 'cancelled') steps.add(say('Changes made before the cancel are kept.'))
  if (action?.report.next && done > 0) steps.add(action.report.next)
  if (stopped && steps.size === 0)
    steps.add(
      ownValue(action?.advice, stopped.code) ?? actions.adviceFor(stopped.code) ?? AFTER_STOP,
    )
  return steps.size > 0 ? [...steps] : [say('Nothing is left to do.')]
}
