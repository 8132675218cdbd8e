// Whether buyers may read and play a file in the browser, in words.
import { type File } from '../client/types.ts'
import { t } from '../messages/t.ts'

export const VIEWS = ['download', 'both', 'view_only'] as const satisfies readonly File['view'][]

export const viewText = (view: File['view']): string => {
  if (view === 'download') return t('Download only')
  return view === 'both' ? t('View and download') : t('View only')
}
