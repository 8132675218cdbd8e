// A filter in words: the files that a step or a scheduled task works on.
import { type FileFilter } from '../client/types.ts'
import { furtherTexts } from './condition-texts.ts'
import { typeText } from './labels.ts'
import { andText, orText } from '../labels/list.ts'
import { sizeText } from '../labels/size.ts'
import { locationText } from '../labels/storage.ts'
import { dayText } from '../labels/time.ts'
import { t } from '../messages/t.ts'

/** A phrase for each part: `the name contains “ebook”`, `over 100 MB`. Empty: every file. */
export function filterTexts(filter: FileFilter, locale?: string): string[] {
  const { find: more = '', search = '', name_contains: part = '' } = filter
  const find = `${more} ${search}`.trim()
  const { type = [], tags = [], mapped, larger_than, smaller_than } = filter
  const { older_than_days, not_downloaded_for_days, uploaded_before, uploaded_after, pack } = filter
  const texts: (string | false | undefined)[] = [
    find !== '' && t('found by “{find}”', { find }),
    part !== '' && t('name contains “{search}”', { search: part }),
    type.length > 0 && t('type {list}', { list: orText(type.map(typeText)) }),
    tags.length > 0 && t('tagged {list}', { list: andText(tags) }),
    mapped !== undefined && (mapped ? t('mapped to a product') : t('not mapped to a product')),
    larger_than !== undefined && t('over {size}', { size: sizeText(larger_than, locale) }),
    smaller_than !== undefined && t('under {size}', { size: sizeText(smaller_than, locale) }),
    older_than_days !== undefined &&
      t('uploaded more than {days, plural, one {# day} other {# days}} ago', {
        days: older_than_days,
      }),
    not_downloaded_for_days !== undefined &&
      t('not downloaded for {days, plural, one {# day} other {# days}}', {
        days: not_downloaded_for_days,
      }),
    uploaded_before &&
      t('uploaded before {day}', { day: dayText(uploaded_before.slice(0, 10), locale) }),
    pack !== undefined && t('in one pack'),
    uploaded_after &&
      t('uploaded after {day}', { day: dayText(uploaded_after.slice(0, 10), locale) }),
    ...sourceTexts(filter),
    ...furtherTexts(filter, (part) => filterTexts(part, locale), locale),
  ]
  return texts.filter((text) => typeof text === 'string')
}

/** The conditions about the storage and the source of files; names of connections and so on are unknown. */
function sourceTexts(filter: FileFilter): (string | false)[] {
  const { product, storage, backed_up, released, connection, drop_account, licence_list } = filter
  const { quarantined } = filter
  return [
    product !== undefined && t('of one product'),
    storage !== undefined && t('in {location}', { location: locationText(storage) }),
    backed_up !== undefined && (backed_up ? t('backed up') : t('never backed up')),
    released !== undefined && (released ? t('released') : t('not released yet')),
    quarantined !== undefined && (quarantined ? t('in quarantine') : t('not in quarantine')),
    connection !== undefined && t('of one cloud connection'),
    drop_account !== undefined && t('sent through one drop account'),
    licence_list !== undefined && t('with licence keys of one list'),
  ]
}
