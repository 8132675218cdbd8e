// Texts about operations: their names, sources and counts.
import { type Channel } from '../imports/channel-calls.ts'
import type { PageChannel } from '../../shell/feature.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Operation } from '../../shell/client/types.ts'
import { importText } from '../imports/labels.ts'
import { filterTexts } from '../../shell/files/filter-labels.ts'
import { capitalized } from '../../shell/labels/size.ts'
import { shownText } from '../../shell/messages/server-text.ts'
import { t, translated } from '../../shell/messages/t.ts'

/**
 * The actions by which the history can be filtered: those of this installation, undos, imports and
 * own workflows.
 */
export function actionChoices(
  workflows: readonly { id: string; name: string; kind: string; built_in: boolean }[],
  channelActions: readonly { id: string; title: string }[] = [],
) {
  const actions = workflows.filter(({ kind, built_in }) => built_in && kind === 'bulk')
  return Object.fromEntries([
    ...actions.map(({ id, name }) => [id, name] as const),
    ...channelActions.map(({ id, title }) => [id, title] as const),
    ['undo', t('Undo')] as const,
    ['import', t('Import')] as const,
    ['workflow', t('Custom workflow')] as const,
  ])
}

type NamedOperation = Pick<Operation, 'kind' | 'channel' | 'action'> &
  Partial<Pick<Operation, 'workflow_title'>>

/**
 * An import by its channel, other operations by their workflow or action: `API import`, `Delete
 * files`.
 */
export function operationTitle(
  { kind, channel, action, workflow_title: title }: NamedOperation,
  channels: readonly Channel[],
): string {
  if (kind === 'import') return importText(channels, channel) ?? t('Import')
  if (title) return workflowTitle(title)
  const words = action.replaceAll(/[-_]+/g, ' ').trim()
  return words === '' ? t('Operation') : capitalized(words)
}

/** An undo is named after the operation that it undoes. */
function workflowTitle(title: string): string {
  const [, undone] = /^Undo: (.+)$/.exec(title) ?? []
  return undone === undefined
    ? translated(title)
    : t('Undo: {title}', { title: translated(undone) })
}

/** The operation's files; null if they are obvious: an import’s own, or those that it undoes. */
export function sourceText({ source, total }: Pick<Operation, 'source' | 'total'>): string | null {
  if (source.type === 'files' || source.type === 'rows')
    return t('{count, plural, one {# selected file} other {# selected files}}', {
      count: source.count,
    })
  if (source.type === 'operation' || source.type === 'entries') return null
  const conditions = filterTexts(source.filter)
  if (source.filter.deleted) conditions.unshift(t('in the trash'))
  return conditions.length === 0
    ? t('All files ({total, plural, one {# file} other {# files}} at the start)', { total })
    : t('Files with: {conditions} ({total, plural, one {# file} other {# files}} at the start)', {
        conditions: conditions.join('; '),
        total,
      })
}

/** `These steps can’t be undone: Send email, Purge.` */
export const cannotUndoText = (titles: readonly string[]): string =>
  t('{count, plural, one {This step} other {These steps}} can’t be undone: {titles}.', {
    count: titles.length,
    titles: titles.map((title) => translated(title)).join(', '),
  })

/** The number of processed files, without those that were cancelled before their turn. */
export const workedCount = ({ done, failed, skipped }: Operation): number => done + failed + skipped

export const waitingCount = (operation: Operation): number =>
  Math.max(0, operation.total - workedCount(operation) - operation.cancelled)

/** All files that have arrived are done, and its channel may still send more. */
export const awaitsFiles = (operation: Operation): boolean =>
  operation.status === 'running' && operation.receiving && waitingCount(operation) === 0

/** Instead of a percentage: the number of files is not known yet. */
export const receivedTexts = (operation: Operation): string[] => [
  t('{done, plural, one {# file} other {# files}} so far', { done: workedCount(operation) }),
  t('waiting for more files'),
]

/** The files that an operation began with, as its channel or the server named them. */
export function labelText(
  { label, label_text, channel }: Pick<Operation, 'label' | 'label_text' | 'channel'>,
  channels: readonly PageChannel[],
): string | null {
  const own = channels.find(({ id }) => id === channel)?.labelText
  if (own && label) return own(label)
  return label_text && shownText(label_text)
}

/** Has it ended with at least one file done, so that it can be undone? */
export const hasEndedWell = ({
  finished_at,
  done,
}: Pick<Operation, 'finished_at' | 'done'>): boolean => finished_at !== null && done > 0

/** Does it create new files? */
export const makesFiles = (
  { steps, undoes }: Pick<Operation, 'steps' | 'undoes'>,
  plugins: readonly Pick<Plugin, 'id' | 'makes_files'>[],
): boolean =>
  undoes === null &&
  plugins.some(({ id, makes_files }) => makes_files && steps.some(({ plugin }) => plugin === id))
