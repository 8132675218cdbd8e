// An operation's label, in history and in messages.
import type { OperationRow } from '../types.ts'

/**
 * The label that its channel gave, such as a table's name; otherwise the first file and the number
 * of the others.
 */
export function labelOf({
  label,
  source,
  total,
}: Pick<OperationRow, 'label' | 'source' | 'total'>): string | null {
  const isFirst = source.type === 'entries' && !source.labelled
  if (label === null || !isFirst || total <= 1) return label
  return `${label} and ${(total - 1).toLocaleString('en')} more`
}
