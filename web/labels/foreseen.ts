// What a preview found, sorted for a person: what would change, what a person must choose, what stays, what fails and why.
import { type Item, type Operation } from '../client/types.ts'
import { countText } from './size.ts'

export interface ForeseenPart {
  kind: 'change' | 'ask' | 'same' | 'failed' | 'skipped'
  /** `12 files would be changed` */
  title: string
  count: number
  /** The first of them. */
  items: readonly Item[]
}

type Counted = Pick<Operation, 'action' | 'steps' | 'done' | 'failed' | 'skipped' | 'foreseen'>

const CHANGES: Record<string, [one: string, many: string]> = {
  'delete-files': ['file would be moved to the trash', 'files would be moved to the trash'],
  'restore-files': ['file would be restored', 'files would be restored'],
  'map-products': ['file is matched', 'files are matched'],
  'unmap-products': ['file would lose its products', 'files would lose their products'],
  'split-pdf': ['file would be split', 'files would be split'],
  'change-storage': ['file would be moved or copied', 'files would be moved or copied'],
  'rename-files': ['file would get a new name', 'files would get a new name'],
}

/** What these make of a file's bytes is known when it is made. */
const ON_BYTES = ['optimize-image', 'optimize-pdf', 'watermark-pdf', 'split-pdf', 'change-storage']

function titleOf(kind: ForeseenPart['kind'], { action }: Counted, count: number, reason: string): string {
  if (kind === 'change')
    return countText(count, ...(CHANGES[action] ?? (['file would be changed', 'files would be changed'] as const)))
  if (kind === 'ask')
    return `${countText(count, 'file is', 'files are')} not matched for sure: you choose the product in Reviews`
  if (kind === 'same') return countText(count, 'file stays as it is', 'files stay as they are')
  const what =
    kind === 'failed'
      ? countText(count, 'file would fail', 'files would fail')
      : action === 'map-products'
        ? countText(count, 'file is not matched', 'files are not matched')
        : countText(count, 'file is left alone', 'files are left alone')
  return reason === '' ? what : `${what}: ${reason}`
}

const ORDER: readonly ForeseenPart['kind'][] = ['failed', 'change', 'ask', 'skipped', 'same']

function kindOf({ status, after, candidates, warnings }: Item, onBytes: boolean): ForeseenPart['kind'] {
  if (status === 'skipped' && candidates.length > 0) return 'ask'
  if (status === 'failed' || status === 'skipped') return status
  if (after !== null || onBytes) return 'change'
  return candidates.length > 0 ? 'ask' : warnings.length > 0 ? 'change' : 'same'
}

/** Of all items. Those left out or failing are told apart by why. */
export function partsOfAll(operation: Counted, items: readonly Item[]): ForeseenPart[] {
  const onBytes = worksOnBytes(operation)
  const found = new Map<string, { kind: ForeseenPart['kind']; reason: string; items: Item[] }>()
  for (const item of items) {
    const kind = kindOf(item, onBytes)
    const reason = kind === 'failed' || kind === 'skipped' ? (item.error?.message ?? '') : ''
    const part = found.get(`${kind} ${reason}`) ?? { kind, reason, items: [] }
    part.items.push(item)
    found.set(`${kind} ${reason}`, part)
  }
  return [...found.values()]
    .toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
    .map((part) => {
      const count = part.items.length
      return { ...part, count, title: titleOf(part.kind, operation, count, part.reason) }
    })
}

/** Of so many that only the first were read: as the operation counts them. */
export function partsOfCounts(operation: Counted, items: readonly Item[]): ForeseenPart[] {
  const onBytes = worksOnBytes(operation)
  const counts = countsOf(operation, onBytes)
  return ORDER.map((kind) => ({
    kind,
    count: counts[kind],
    items: items.filter((item) => kindOf(item, onBytes) === kind),
    title: titleOf(kind, operation, counts[kind], ''),
  })).filter(({ count }) => count > 0)
}

/** Where nothing was foreseen, all that is done counts as changed. */
function countsOf(
  { done, failed, skipped, foreseen }: Counted,
  onBytes: boolean,
): Record<ForeseenPart['kind'], number> {
  if (onBytes || !foreseen) return { failed, change: done, ask: 0, skipped, same: 0 }
  const { changed, unchanged, candidates } = foreseen
  // Files to be asked about are among those done, or among those skipped.
  const asked = candidates - (done - changed - unchanged)
  return { failed, change: changed, ask: candidates, skipped: skipped - asked, same: unchanged }
}

const worksOnBytes = ({ steps }: Counted): boolean => steps.some(({ plugin }) => ON_BYTES.includes(plugin))
