// The list's order in the table's column headings.
import { type Direction } from '../../shell/components/record-columns.ts'
import { type FileSort } from './url-state.ts'

const ORDERS = {
  name: { ascending: 'filename', descending: '-filename' },
  size: { ascending: 'size_bytes', descending: '-size_bytes' },
  downloads: { ascending: 'downloads', descending: '-downloads' },
  uploaded: { ascending: 'created_at', descending: '-created_at' },
} as const satisfies Record<string, Record<Direction, FileSort>>

/** The column and direction by which the list is sorted. */
export function columnOf(sort: FileSort): [column: keyof typeof ORDERS, direction: Direction] {
  for (const column of ['name', 'size', 'downloads', 'uploaded'] as const)
    for (const direction of ['ascending', 'descending'] as const)
      if (ORDERS[column][direction] === sort) return [column, direction]
  return ['uploaded', 'descending']
}

export const sortFor = (column: string, direction: Direction): FileSort =>
  column === 'name' || column === 'size' || column === 'downloads'
    ? ORDERS[column][direction]
    : ORDERS.uploaded[direction]
