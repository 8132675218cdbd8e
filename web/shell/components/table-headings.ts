// What Polaris leaves out of the headings of a table: which column sorts it, and that the bar of its
// selected rows covers them.
import { type RefObject, useLayoutEffect } from 'react'
import { type Direction } from './record-columns.ts'

const CHECKBOX = '.Polaris-IndexTable__ColumnHeaderCheckboxWrapper input'
const SORT_BUTTON = '.Polaris-IndexTable__TableHeadingSortButton'
const BAR = '.selection-bar'

/**
 * While the bar of the selected rows covers the headings (selection-bar.tsx), the keyboard skips them,
 * and the bar's checkbox takes the place of theirs. Not by rendering them: the table draws each
 * heading twice, and would do so at the first tick.
 *
 * @param headings changes when the table draws others
 */
export function useCoveredHeadings(
  table: RefObject<HTMLElement>,
  covered: boolean,
  headings: unknown,
): void {
  useLayoutEffect(() => {
    const box = table.current
    if (!box) return
    const all = <E extends HTMLElement>(selector: string) => [...box.querySelectorAll<E>(selector)]
    const boxes = all<HTMLInputElement>(CHECKBOX)
    // Screen readers still find the headings of the columns, and that rows are selected.
    for (const control of [...all(SORT_BUTTON), ...boxes]) control.tabIndex = covered ? -1 : 0
    for (const one of boxes) {
      one.indeterminate = covered
      one.ariaChecked = covered ? 'mixed' : 'false'
    }
    const left = covered ? boxes : all(BAR)
    if (!left.some((one) => one.contains(document.activeElement))) return
    const next = covered ? all(`${BAR} input`) : boxes
    next.find(isShown)?.focus({ preventScroll: true })
  }, [table, covered, headings])
}

/**
 * `aria-sort` of the headings that sort: a screen reader names the column and the direction.
 *
 * @param sorted the place of the column among those that can sort; -1: none does
 * @param headings changes when the table draws others
 */
export function useSortedHeading(
  table: RefObject<HTMLElement>,
  sorted: number,
  direction: Direction | undefined,
  headings: unknown,
): void {
  useLayoutEffect(() => {
    const sorting = table.current?.querySelectorAll(`th:has(${SORT_BUTTON})`) ?? []
    for (const [at, heading] of [...sorting].entries())
      heading.ariaSort = at === sorted && direction !== undefined ? direction : 'none'
  }, [table, sorted, direction, headings])
}

const isShown = (element: HTMLElement): boolean =>
  element.checkVisibility({ visibilityProperty: true })
