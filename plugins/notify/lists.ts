// The lists of an operation's items in a message: the first ones of each kind, and the number of
// the others.
import {
  say,
  textOf,
  type OperationView,
  type ReadContext,
  type ReportedItem,
  type Text,
} from '../contract/index.ts'

/** The most items named in one message; the others are counted. */
const MAX_LISTED = 50

export interface Line {
  filename: string
  /** The stable code, as the API and the log name it. */
  code: string
  message: Text
  /** Details beyond the message: `The server answered 404`. */
  detail: Text | null
  url: string | null
}

export interface Lists {
  failures: { listed: Line[]; more: number }
  unmapped: { listed: string[]; more: number; length: number }
  warned: { listed: Pick<Line, 'filename' | 'message'>[]; more: number }
  errors: Set<string>
  warnings: Set<string>
}

const UNKNOWN: NonNullable<ReportedItem['error']> = {
  code: 'unknown',
  message: say('It failed for an unknown reason'),
}

/** Whether files without a product are reported. For imports, the shop's settings decide. */
export function isAboutProducts(
  { action }: OperationView,
  { shop: { settings }, actions }: Pick<ReadContext<'actions'>, 'shop' | 'actions'>,
): boolean {
  if (action === 'import') return settings.notify_unmapped
  return actions.find(action)?.report.unmapped ?? false
}

/**
 * Reads the lists.
 * @param read false: they stay empty
 * @param products lists items without a product too
 */
export async function listsOf(
  operation: OperationView,
  { read, products }: { read: boolean; products: boolean },
  signal: AbortSignal,
): Promise<Lists> {
  const failures = createCappedList<Line>()
  const unmapped = createCappedList<string>()
  const warned = createCappedList<Lists['warned']['listed'][number]>()
  const errors = new Set<string>()
  const warnings = new Set<string>()
  const collect = (item: ReportedItem) => {
    const { filename, url, error } = item
    if (item.status === 'failed') {
      const { code, message, detail } = error ?? UNKNOWN
      failures.add({
        filename,
        code,
        message: textOf(message),
        url,
        detail: detail === undefined ? null : textOf(detail),
      })
      errors.add(code)
    }
    if (products && item.status === 'done' && !item.product_mapped) unmapped.add(filename)
    for (const { code, message } of item.warnings) {
      warned.add({ filename, message: textOf(message) })
      warnings.add(code)
    }
  }
  if (read)
    for await (const page of operation.reported(products)) {
      signal.throwIfAborted()
      page.forEach(collect)
    }
  return {
    failures: failures.cut(),
    unmapped: { ...unmapped.cut(), length: unmapped.count() },
    warned: warned.cut(),
    errors,
    warnings,
  }
}

/** A list that keeps the first elements and counts the others: an operation may have 100,000. */
function createCappedList<T>() {
  const listed: T[] = []
  let count = 0
  return {
    add: (one: T) => {
      if (count < MAX_LISTED) listed.push(one)
      count += 1
    },
    count: () => count,
    cut: () => ({ listed, more: count - listed.length }),
  }
}
