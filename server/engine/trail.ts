// What each step did with an item: a letter for each step, kept with the item's outcome. How many files
// a step got, and which, is read from there. Steps whose changes are one statement for all files
// (uniform-update.ts) are counted together.
import type { ShopScope } from '../core/db/for-shop.ts'
import { STEP_RESULTS, type ItemStatus, type StepCounts, type StepResult } from './types.ts'

/** `changed` also means steps whose result is known only when the file is written. */
const MARKS: Readonly<Record<StepResult, string>> = {
  changed: 'c',
  unchanged: 'u',
  kept: 'k',
  skipped: 's',
  failed: 'f',
}
/** The step was not for this file. */
const OTHER = '-'

/** The mark at the index of each step that the item reached; a hole: the step was not for it. */
export type Trail = string[]

export const mark = (trail: Trail, index: number, result: StepResult): void => {
  trail[index] = MARKS[result]
}

/** @param isChanged whether the item changed at all: a step may have found what it would change */
export const storedTrail = (trail: Trail, isChanged = true): string => {
  const text = Array.from(trail, (one) => one ?? OTHER).join('')
  return isChanged ? text : text.replaceAll(MARKS.changed, MARKS.unchanged)
}

/** The trail of the steps that are not repeated. */
export const keptTrail = (stored: string | null, steps: number): Trail =>
  Array.from((stored ?? '').slice(0, steps))

/** SQL: the items with one of the marks `:marks` at the step `:at`, from 1. */
export const MARKED = `status in ('done', 'failed', 'skipped')
  and substr(coalesce(trail, case when status = 'done' then repeat('${MARKS.changed}', 100) end), :at, 1) = :mark`

/** The bindings of `MARKED`. @param index of the step */
export const markedBindings = (index: number, result: StepResult) => ({
  at: index + 1,
  mark: MARKS[result],
})

/** Counts the results of each of the steps on files. It reads every item. */
export async function countSteps(
  scope: ShopScope,
  operation: string,
  steps: number,
): Promise<StepCounts[]> {
  const rows = await scope.query<{ trail: string | null; status: ItemStatus; items: number }>(
    `select trail, status, count(*)::int as items from items
     where shop_id = :shop and operation_id = :operation and status in ('done', 'failed', 'skipped')
     group by trail, status`,
    { operation },
  )
  return Array.from({ length: steps }, (_, index) => {
    const counts: StepCounts = { changed: 0, unchanged: 0, kept: 0, skipped: 0, failed: 0 }
    for (const { trail, status, items } of rows) {
      const letter = trail === null ? (status === 'done' ? MARKS.changed : OTHER) : trail[index]
      for (const result of STEP_RESULTS) if (MARKS[result] === letter) counts[result] += items
    }
    return counts
  })
}
