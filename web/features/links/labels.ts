// Texts about a link's terms.
import { type DownloadLink } from '../../shell/client/types.ts'
import { momentText } from '../../shell/labels/time.ts'
import { serverText } from '../../shell/messages/server-templates.ts'
import { t } from '../../shell/messages/t.ts'

/** `29 Nov 2026, 14:05`, `Never` */
export const expiresText = ({ expires_at }: Pick<DownloadLink, 'expires_at'>): string =>
  expires_at === null ? t('Never') : momentText(expires_at)

/** `Expires 29 Nov 2026, 14:05 and allows 5 downloads.` */
export function linkTerms(
  { expires_at, download_limit }: Pick<DownloadLink, 'expires_at' | 'download_limit'>,
  locale?: string,
): string {
  const values = {
    time: expires_at === null ? '' : momentText(expires_at, locale),
    limit: download_limit ?? 0,
  }
  if (download_limit === null)
    return expires_at === null
      ? t('Never expires and allows any number of downloads.')
      : t('Expires {time} and allows any number of downloads.', values)
  return expires_at === null
    ? t('Never expires and allows {limit, plural, one {# download} other {# downloads}}.', values)
    : t('Expires {time} and allows {limit, plural, one {# download} other {# downloads}}.', values)
}

/** `2 of 5`, `2 of unlimited` */
export const usedText = ({
  downloads,
  download_limit,
}: Pick<DownloadLink, 'downloads' | 'download_limit'>): string =>
  download_limit === null
    ? t('{downloads, number}, unlimited', { downloads })
    : t('{downloads, number} of {limit, number}', {
        downloads,
        limit: download_limit,
      })

/** `1 link was not sent: It has expired` */
export function notSentText(skipped: readonly { reason: string }[]): string {
  const reasons = [...new Set(skipped.map(({ reason }) => serverText(reason)))]
  return t('{count, plural, one {# link was} other {# links were}} not sent: {list}', {
    count: skipped.length,
    list: reasons.join('; '),
  })
}
