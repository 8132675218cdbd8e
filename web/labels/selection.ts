// What is selected, in words, where the number of ticked rows does not say it.
import { type FileFilter } from '../client/types.ts'
import { filterTexts } from './filter.ts'
import { countText, numberText } from './size.ts'

interface Selected {
  all: boolean
  count: number
  /** How many of them are on the page that one looks at. */
  onPage: number
  filter: FileFilter
}

/**
 * `All 48,213 files that match are selected: type PDF`, `62 files are selected, 12 of them on other
 * pages`; null: the rows say it.
 */
export function selectionText(
  { all, count, onPage, filter }: Selected,
  locale?: string,
): string | null {
  const files = countText(count, 'file', 'files', locale)
  if (all) {
    const parts = filterTexts(filter, locale)
    return parts.length === 0
      ? `All ${files} are selected`
      : `All ${files} that match are selected: ${parts.join('; ')}`
  }
  const elsewhere = count - onPage
  if (elsewhere === 0) return null
  const other =
    elsewhere === count ? (count === 1 ? '' : 'all ') : `${numberText(elsewhere, locale)} of them `
  return `${files} ${count === 1 ? 'is' : 'are'} selected, ${other}on other pages`
}

/** What a dialog is about, where it is about all that match. */
export function allOf(filter: FileFilter, count: number, locale?: string): string {
  const parts = filterTexts(filter, locale)
  const which = parts.length === 0 ? 'All files' : `All files with: ${parts.join('; ')}`
  return `${which}. ${countText(count, 'file', 'files', locale)} now; which they are is fixed when it starts.`
}
