// The headings of a table while the bar of its selected rows covers them (selection-bar.tsx): the
// keyboard skips them, and the bar's checkbox takes the place of theirs. Not by rendering them: the
// table draws each heading twice, and would do so at the first tick.
import { type RefObject, useLayoutEffect } from 'react'

const CHECKBOX = '.Polaris-IndexTable__ColumnHeaderCheckboxWrapper'
const SORT_BUTTON = '.Polaris-IndexTable__TableHeadingSortButton'
const BAR = '.selection-bar'

/** @param headings changes when the table draws others */
export function useCoveredHeadings(
  table: RefObject<HTMLElement>,
  covered: boolean,
  headings: unknown,
): void {
  useLayoutEffect(() => {
    const box = table.current
    if (!box) return
    const all = (selector: string) => [...box.querySelectorAll<HTMLElement>(selector)]
    // Screen readers still read the titles of columns to which a cell belongs.
    for (const button of all(SORT_BUTTON)) button.tabIndex = covered ? -1 : 0
    const boxes = all(CHECKBOX)
    if (!covered) for (const one of boxes) one.inert = false
    const left = covered ? boxes : all(BAR)
    if (left.some((one) => one.contains(document.activeElement)))
      (covered ? all(BAR) : boxes).map(checkboxIn).find(isShown)?.focus({ preventScroll: true })
    if (covered) for (const one of boxes) one.inert = true
  }, [table, covered, headings])
}

const checkboxIn = (part: HTMLElement): HTMLElement | null => part.querySelector('input')

const isShown = (element: HTMLElement | null): boolean =>
  element?.checkVisibility({ visibilityProperty: true }) ?? false
