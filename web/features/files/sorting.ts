// The list's order in the table's column headings.
import { type FileSort } from './url-state.ts'

type Direction = 'ascending' | 'descending'

const COLUMNS: Record<number, { ascending: FileSort; descending: FileSort }> = {
  0: { ascending: 'filename', descending: '-filename' },
  2: { ascending: 'size_bytes', descending: '-size_bytes' },
  6: { ascending: 'created_at', descending: '-created_at' },
}

/** The column and direction by which the list is sorted. */
export function columnOf(sort: FileSort): [column: number, direction: Direction] {
  for (const [column, orders] of Object.entries(COLUMNS))
    for (const direction of ['ascending', 'descending'] as const)
      if (orders[direction] === sort) return [Number(column), direction]
  return [6, 'descending']
}

export const sortFor = (column: number, direction: Direction): FileSort =>
  COLUMNS[column]?.[direction] ?? '-created_at'
