// The selection in words, if the ticked rows do not show it.
import { type FileFilter } from '../client/types.ts'
import { filterTexts } from './filter-labels.ts'
import { t } from '../messages/t.ts'

interface SelectionCount {
  all: boolean
  count: number
  /** How many of them are on the current page. */
  onPage: number
  filter: FileFilter
}

/**
 * `All 48,213 files that match are selected: type PDF`, `62 files are selected, 12 of them on other
 * pages`; null: the rows show it.
 */
export function selectionText(
  { all, count, onPage, filter }: SelectionCount,
  locale?: string,
): string | null {
  if (all) return allText(count, filterTexts(filter, locale))
  const elsewhere = count - onPage
  if (elsewhere === 0) return null
  if (elsewhere < count)
    return t(
      '{count, plural, one {# file is} other {# files are}} selected, {elsewhere, number} of them on other pages',
      { count, elsewhere },
    )
  return t(
    '{count, plural, one {# file is selected, on another page} other {# files are selected, all on other pages}}',
    { count },
  )
}

const allText = (count: number, conditions: readonly string[]): string =>
  conditions.length === 0
    ? t('All {count, plural, one {# file is} other {# files are}} selected', { count })
    : t(
        'All {count, plural, one {# file that matches is} other {# files that match are}} selected: {conditions}',
        { count, conditions: conditions.join('; ') },
      )

/** The files of a dialog about all that match. */
export function allOf(filter: FileFilter, count: number, locale?: string): string {
  const conditions = filterTexts(filter, locale).join('; ')
  return conditions === ''
    ? t(
        'All files. {count, plural, one {# file} other {# files}} now; the list is fixed when the operation starts.',
        { count },
      )
    : t(
        'All files with: {conditions}. {count, plural, one {# file} other {# files}} now; the list is fixed when the operation starts.',
        { conditions, count },
      )
}
