// How a filter reads: which files a step or a scheduled task is about.
import { type FileFilter } from '../client/types.ts'
import { typeText } from './file.ts'
import { countText, sizeText } from './size.ts'
import { dayText } from './time.ts'

/** A phrase for each part: `the name contains “ebook”`, `over 100 MB`. Empty: every file. */
export function filterTexts(filter: FileFilter, locale?: string): string[] {
  const { search, type = [], tags = [], mapped, larger_than, smaller_than } = filter
  const { older_than_days, not_downloaded_for_days, uploaded_before, uploaded_after, pack } = filter
  const days = (count: number) => countText(count, 'day', 'days', locale)
  const texts: (string | false | undefined)[] = [
    search !== undefined && search !== '' && `name contains “${search}”`,
    type.length > 0 && `type ${type.map(typeText).join(' or ')}`,
    tags.length > 0 && `tagged ${tags.join(' and ')}`,
    mapped !== undefined && (mapped ? 'mapped to a product' : 'not mapped to a product'),
    larger_than !== undefined && `over ${sizeText(larger_than, locale)}`,
    smaller_than !== undefined && `under ${sizeText(smaller_than, locale)}`,
    older_than_days !== undefined && `uploaded more than ${days(older_than_days)} ago`,
    not_downloaded_for_days !== undefined && `not downloaded for ${days(not_downloaded_for_days)}`,
    uploaded_before && `uploaded before ${dayText(uploaded_before.slice(0, 10), locale)}`,
    pack !== undefined && 'in one pack',
    uploaded_after && `uploaded after ${dayText(uploaded_after.slice(0, 10), locale)}`,
  ]
  return texts.filter((text) => typeof text === 'string')
}
