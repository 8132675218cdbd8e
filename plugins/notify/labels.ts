// Names of an operation's results, and the next steps, in the words of its plugin.
import { sizeText, type Actions, type OperationView, type PresentFiles } from '../contract.ts'

/** Results of operations that belong to no plugin. */
const DONE: Readonly<Record<string, string>> = { import: 'imported', undo: 'put back' }
const DONE_OTHERWISE = 'done'

/** The result of the done files, placed after `1,200 of 1,204 files`. */
const doneWords = ({ action }: OperationView, actions: Actions): string =>
  DONE[action] ?? actions.find(action)?.result ?? DONE_OTHERWISE

const ENDS = {
  success: 'complete',
  partial: 'partly complete',
  failed: 'failed',
  cancelled: 'cancelled',
} as const

const number = new Intl.NumberFormat('en-US')
const files = (count: number) => `${number.format(count)} ${count === 1 ? 'file' : 'files'}`

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

function quoted(label: string, length: number): string {
  const cut = label.length > length ? `${cutText(label, length)}…` : label
  return `“${cut}”`
}

/**
 * `Import of “prices.csv” partly complete`. An import is named with the word of its channel,
 * regardless of its workflow's title.
 */
export function titleOf(
  { action, title, status, about }: OperationView,
  place: keyof typeof LABEL_LENGTH = 'title',
): string {
  const length = LABEL_LENGTH[place]
  const { importWord, label, schedule } = about
  const name = action === 'import' ? importWord : title
  const link = action === 'import' ? 'of' : 'from'
  const of = label === null ? '' : ` ${link} ${quoted(label, length)}`
  const by = schedule === null ? '' : ` by the schedule ${quoted(schedule, length)}`
  return `${name}${of}${by} ${ENDS[status]}`
}

/** The number of done files that an import did not bring. */
export const countPresent = ({ changed, trashed, unchanged }: PresentFiles): number =>
  changed + trashed + unchanged

/** `1,200 of 1,204 files changed, 4 failed.` */
export function headlineOf(
  operation: OperationView,
  present: PresentFiles,
  unmapped: number,
  actions: Actions,
): string {
  const { total, done, failed, skipped, cancelled, bytes_saved, stopped } = operation
  if (total === 0 && stopped) return `${stopped.message}.`
  if (total === 0 && operation.action === 'import') return 'There was nothing new.'
  const brought = done - countPresent(present)
  const parts = [`${number.format(brought)} of ${files(total)} ${doneWords(operation, actions)}`]
  for (const [count, words] of presentParts(present)) parts.push(`${number.format(count)} ${words}`)
  if (failed > 0) parts.push(`${number.format(failed)} failed`)
  if (skipped > 0) parts.push(`${number.format(skipped)} skipped`)
  if (cancelled > 0) parts.push(`${number.format(cancelled)} not processed`)
  if (unmapped > 0) parts.push(`${number.format(unmapped)} not mapped to a product`)
  if (bytes_saved > 0) parts.push(`${sizeText(bytes_saved)} saved`)
  return `${parts.join(', ')}.`
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** The done files that an import did not bring, with what it did to them. */
const presentParts = ({ changed, trashed, unchanged }: PresentFiles) =>
  (
    [
      [changed, 'changed'],
      [trashed, 'moved to the trash'],
      [unchanged, 'sent'],
    ] as const
  ).filter(([count]) => count > 0)

export function lostText(deliveries: number): string {
  const what =
    deliveries === 1
      ? '1 paid delivery contains what was deleted: its buyer lost it.'
      : `${number.format(deliveries)} paid deliveries contain what was deleted: their buyers lost it.`
  return `${what} If that is wrong, undo the operation or restore the files from the trash.`
}

/** The most names in a notice. */
const MAX_NAMED = 3

/** `Not mapped: a.pdf, b.pdf, c.pdf and 12 more.` */
export function namesOf(what: string, names: readonly string[], count: number): string {
  const more = count - Math.min(MAX_NAMED, names.length)
  return `${what}: ${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${number.format(more)} more` : ''}.`
}

/**
 * Labelled counts for a table. The first and the last always appear, the others if they are not 0.
 */
export function countsOf(operation: OperationView, present: PresentFiles, actions: Actions) {
  const { total, done, failed, skipped, cancelled } = operation
  return [
    { label: capital(doneWords(operation, actions)), count: done - countPresent(present) },
    ...presentParts(present).map(([count, words]) => ({ label: capital(words), count })),
    { label: 'Failed', count: failed },
    { label: 'Skipped', count: skipped },
    { label: 'Not processed', count: cancelled },
    { label: 'Total', count: total },
  ].filter(({ label, count }, at) => at === 0 || label === 'Total' || count > 0)
}

const AFTER_OTHER_ERROR = 'Open the operation, see why each file failed, and choose Retry Failed.'

const AFTER_STOP = 'Open the operation, see why it stopped, and start it again.'

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
export function nextSteps(operation: OperationView, remains: Remains, actions: Actions): string[] {
  const { status, done, failed, stopped } = operation
  const action = actions.find(operation.action)
  const steps = new Set<string>()
  if (failed > 0)
    for (const code of remains.errors)
      steps.add(action?.advice[code] ?? actions.adviceFor(code) ?? AFTER_OTHER_ERROR)
  if (remains.warnings.has('sku_not_found'))
    steps.add('Correct the SKUs that the storefront does not have, or map those files manually.')
  else if (remains.unmapped > 0)
    steps.add('Map the files that have no product, or leave them: their links work without one.')
  if (status === 'cancelled') steps.add('Changes made before the cancel are kept.')
  if (action?.report.next && done > 0) steps.add(action.report.next)
  if (stopped && steps.size === 0)
    steps.add(action?.advice[stopped.code] ?? actions.adviceFor(stopped.code) ?? AFTER_STOP)
  return steps.size > 0 ? [...steps] : ['Nothing is left to do.']
}
