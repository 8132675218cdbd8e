// Says that the views of a link have ended on their own: the status of the link is that of its downloads.
import { type DownloadLink } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { Badge } from '../../shell/ui/index.ts'
import { isGone, viewsState } from './labels.ts'

type Viewed = Parameters<typeof viewsState>[0] & Pick<DownloadLink, 'status'>

export function ViewsBadge({ file }: { file: Viewed }) {
  if (isGone(file)) return null
  const { ended, usedUp } = viewsState(file, new Date())
  if (ended) return <Badge>{t('Views ended')}</Badge>
  return usedUp ? <Badge tone="warning">{t('Views used up')}</Badge> : null
}
