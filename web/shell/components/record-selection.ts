// The selection of a list of records, as its table and its tiles use it.
import { type MouseEvent, type ReactNode, useDeferredValue } from 'react'
import { useStable } from './use-stable.ts'

export interface RowSelection<Row> {
  isSelected: (row: Row) => boolean
  /** The name of a row's checkbox. */
  label: (row: Row) => string
  /** A change of a row's checkbox; the same function in every render. */
  onTick: (row: Row, on: boolean) => void
  /** The checkbox above the rows; the same function in every render. */
  onPage: () => void
  /** Shift with an arrow key moved the focus from one tile to another, by their positions. */
  onExtend?: (from: number, to: number) => void
  /** Is a row selected? Then a click anywhere in a row of the table ticks it. */
  isSelecting: boolean
  /** The number of selected rows, and the actions (selection-bar.tsx). */
  bar: ReactNode
}

/** A click in a row or a tile: it opens the record, or ticks it while others are selected. */
export const useRowOpening = <Row>(selection: RowSelection<Row> | undefined) =>
  useStable((row: Row, { target, currentTarget }: MouseEvent<HTMLElement>) => {
    // Links, buttons and the checkbox handle their own clicks.
    if (!(target instanceof Element) || target.closest('a, button, input, label')) return
    const link = currentTarget.querySelector<HTMLElement>('[data-primary-link]')
    if (link && !selection?.isSelecting && !target.closest('.tick-cell')) link.click()
    else selection?.onTick(row, !selection.isSelected(row))
  })

/** About as many as a window shows. */
const FIRST_ROWS = 16

/**
 * Which rows are drawn as selected. If many rows change together, those below the first follow after
 * the next frame: the browser styles each of their cells again.
 */
export function useDrawnSelection<Row>(
  rows: readonly Row[],
  selection: RowSelection<Row> | undefined,
): (position: number) => boolean {
  const marks = rows.map((row) => (selection?.isSelected(row) ? ON : OFF)).join('')
  const drawn = useDeferredValue(marks)
  const changed = [...marks].filter((mark, at) => mark !== drawn[at]).length
  const isShort = changed <= FIRST_ROWS || marks.length !== drawn.length
  return (position) => (isShort || position < FIRST_ROWS ? marks : drawn)[position] === ON
}
const [ON, OFF] = ['1', '0']
