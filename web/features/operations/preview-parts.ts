// The results of a preview in groups: what would change, what a person must choose, what stays
// unchanged, what fails and why.
import { type ActionLabels, type Plugin } from '../../shell/client/plugins.ts'
import { type Item, type Operation } from '../../shell/client/types.ts'
import { formatMessage } from '../../shell/messages/format.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'

export interface PreviewPart {
  kind: 'change' | 'ask' | 'same' | 'failed' | 'skipped'
  /** `12 files would be changed` */
  title: string
  /** What the preview cannot know; '': nothing. */
  note: string
  count: number
  /** The first items. */
  items: readonly Item[]
}

type CountedOperation = Pick<
  Operation,
  'action' | 'steps' | 'done' | 'failed' | 'skipped' | 'foreseen'
>
type Labels = Pick<ActionLabels, 'preview' | 'skipped'>

function titleOf(
  kind: PreviewPart['kind'],
  labels: Labels | undefined,
  count: number,
  reason: string,
): string {
  if (kind === 'change')
    return labels
      ? formatMessage(labels.preview, { count })
      : t('{count, plural, one {# file would be changed} other {# files would be changed}}', {
          count,
        })
  if (kind === 'ask')
    return t(
      '{count, plural, one {# file has} other {# files have}} no certain match: choose the product in Reviews',
      { count },
    )
  if (kind === 'same')
    return t('{count, plural, one {# file does not change} other {# files do not change}}', {
      count,
    })
  const what =
    kind === 'failed'
      ? t('{count, plural, one {# file would fail} other {# files would fail}}', { count })
      : skippedText(labels, count)
  return reason === '' ? what : t('{field}: {value}', { field: what, value: reason })
}

const noteOf = (kind: PreviewPart['kind'], onBytes: boolean): string =>
  kind === 'change' && onBytes
    ? t('Some may stay as they are: that is only known when they are opened.')
    : ''

const skippedText = (labels: Labels | undefined, count: number): string =>
  labels
    ? formatMessage(labels.skipped, { count })
    : t('{count, plural, one {# file is skipped} other {# files are skipped}}', { count })

const ORDER: readonly PreviewPart['kind'][] = ['failed', 'change', 'ask', 'skipped', 'same']

function kindOf(
  { status, after, candidates, warnings }: Item,
  onBytes: boolean,
): PreviewPart['kind'] {
  if (status === 'skipped' && candidates.length > 0) return 'ask'
  if (status === 'failed' || status === 'skipped') return status
  if (after !== null || onBytes) return 'change'
  return candidates.length > 0 ? 'ask' : warnings.length > 0 ? 'change' : 'same'
}

/** Groups of all items. Skipped and failed items are grouped by their reason. */
export function partsOfAll(
  operation: CountedOperation,
  items: readonly Item[],
  plugins: readonly Plugin[] = [],
): PreviewPart[] {
  const onBytes = worksOnBytes(operation, plugins)
  const labels = labelsOf(operation, plugins)
  const found = new Map<string, { kind: PreviewPart['kind']; reason: string; items: Item[] }>()
  for (const item of items) {
    const kind = kindOf(item, onBytes)
    const reason =
      (kind === 'failed' || kind === 'skipped') && item.error ? messageText(item.error) : ''
    const part = found.get(`${kind} ${reason}`) ?? { kind, reason, items: [] }
    part.items.push(item)
    found.set(`${kind} ${reason}`, part)
  }
  return [...found.values()]
    .toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
    .map((part) => {
      const { kind } = part
      const count = part.items.length
      const title = titleOf(kind, labels, count, part.reason)
      return { ...part, count, title, note: noteOf(kind, onBytes) }
    })
}

/** Groups by the operation's counts, if only the first of many items were read. */
export function partsOfCounts(
  operation: CountedOperation,
  items: readonly Item[],
  plugins: readonly Plugin[] = [],
): PreviewPart[] {
  const onBytes = worksOnBytes(operation, plugins)
  const labels = labelsOf(operation, plugins)
  const counts = countsOf(operation, onBytes)
  return ORDER.map((kind) => ({
    kind,
    count: counts[kind],
    items: items.filter((item) => kindOf(item, onBytes) === kind),
    title: titleOf(kind, labels, counts[kind], ''),
    note: noteOf(kind, onBytes),
  })).filter(({ count }) => count > 0)
}

/** The counts of a preview; if the server sent none, every done item counts as changed. */
function countsOf(
  { done, failed, skipped, foreseen }: CountedOperation,
  onBytes: boolean,
): Record<PreviewPart['kind'], number> {
  if (onBytes || !foreseen) return { failed, change: done, ask: 0, skipped, same: 0 }
  const { changed, unchanged, candidates } = foreseen
  // Files that a person must choose for are among the done or the skipped ones.
  const asked = candidates - (done - changed - unchanged)
  return { failed, change: changed, ask: candidates, skipped: skipped - asked, same: unchanged }
}

const labelsOf = ({ action }: CountedOperation, plugins: readonly Plugin[]): Labels | undefined =>
  plugins.find(({ id }) => id === action)?.actions[0]?.labels

/** The result of work on a file's bytes is known only after it ran. */
const worksOnBytes = ({ steps }: CountedOperation, plugins: readonly Plugin[]): boolean =>
  plugins.some(
    ({ id, touches_bytes }) => touches_bytes && steps.some(({ plugin }) => plugin === id),
  )
