// Whether buyers may read and play a file in the browser, in words.
import { type File } from '../client/types.ts'
import { t } from '../messages/t.ts'

export const VIEWS = ['download', 'both', 'view_only'] as const satisfies readonly File['view'][]

/** How often a link of the file can be viewed. */
export const viewLimitText = (limit: number | null): string =>
  limit === null ? t('Unlimited') : t('{limit, plural, one {# view} other {# views}}', { limit })

/** How long a link of the file can be viewed. */
export const viewDaysText = (days: number | null): string =>
  days === null
    ? t('When the link expires')
    : t('After {days, plural, one {# day} other {# days}}', { days })

export const viewText = (view: File['view']): string => {
  if (view === 'download') return t('Download only')
  return view === 'both' ? t('View and download') : t('View only')
}
