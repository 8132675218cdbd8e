// An operation's label, in history and in messages.
import { say, type AnyText } from '../../plugins/contract.ts'
import type { OperationRow } from './types.ts'

/**
 * The label that its channel gave, such as a table's name; otherwise the first file and the number
 * of the others.
 */
export function labelOf({
  label,
  source,
  total,
}: Pick<OperationRow, 'label' | 'source' | 'total'>): AnyText | null {
  const isFirst = source.type === 'entries' && !source.labelled
  if (label === null || !isFirst || total <= 1) return label
  return say('{name} and {count} more', { name: label, count: total - 1 })
}
