// What a file's buyers may do, or why nobody gets it now, as one short text.
import { type File } from '../../shell/client/types.ts'
import { limitText, releaseDayText } from '../../shell/files/labels.ts'
import { trashedText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

type Terms = Pick<
  File,
  'deleted_at' | 'visibility' | 'available_from' | 'view' | 'download_limit' | 'expiry_days'
>

/** `5 downloads, 60 days`; its state if it is in the trash, public, or not available yet. */
export function termsText(file: Terms, now: Date): string {
  const { deleted_at, available_from: from, download_limit, expiry_days: days } = file
  if (deleted_at !== null) return trashedText(deleted_at, now).left
  if (from !== null && new Date(from) > now) return releaseDayText(from)
  if (file.visibility === 'public') return t('Public')
  if (file.view === 'view_only') return t('View only')
  const limit = limitText(download_limit)
  return days === null
    ? limit
    : t('{limit}, {days, plural, one {# day} other {# days}}', { limit, days })
}
