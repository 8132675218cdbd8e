// Texts about a link's terms.
import { type DownloadLink } from '../../shell/client/types.ts'
import { momentText } from '../../shell/labels/time.ts'
import { reasonText, type ServerText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'

type Expiry = Pick<DownloadLink, 'expires_at'> &
  Partial<Pick<DownloadLink, 'available_at' | 'first_use_hours' | 'first_used_at' | 'status'>>

/** `29 Nov 2026, 14:05`, `Never`; before that when it becomes available and how long it is rented. */
export const expiresText = (link: Expiry): string =>
  [...waitingTexts(link), link.expires_at === null ? endless(link) : momentText(link.expires_at)]
    .filter((text) => text !== '')
    .join(' · ')

/** The same where no heading says what the time is. */
export function expiryFact(link: Expiry): string {
  const end = link.expires_at === null ? endless(link) : momentText(link.expires_at)
  return [...waitingTexts(link), ...(end === '' ? [] : [t('Expires: {end}', { end })])].join(' · ')
}

const endless = (link: Expiry) => (isUnused(link) ? '' : t('Never'))
/** The link is rented, and its time has not begun. */
export const isUnused = ({
  first_use_hours = null,
  first_used_at = null,
}: Omit<Expiry, 'expires_at'>) => first_use_hours !== null && first_used_at === null

/** When a file becomes available, and how long it can be used from its first use. */
export function waitingTexts(link: Omit<Expiry, 'expires_at'>): string[] {
  const { status, available_at = null, first_use_hours: hours = null } = link
  return [
    ...(status === 'not_released' && available_at !== null
      ? [t('available from {at}', { at: momentText(available_at) })]
      : []),
    ...(hours !== null && isUnused(link)
      ? [
          hours % 24 === 0
            ? t('{days, plural, one {# day} other {# days}} from the first use', {
                days: hours / 24,
              })
            : t('{hours, plural, one {# hour} other {# hours}} from the first use', { hours }),
        ]
      : []),
  ]
}

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

type Views = Pick<DownloadLink, 'views' | 'view_limit' | 'view_expires_at'>

/** What is left of a link's views, if they have terms of their own: `Views: 2 of 5`, `views end …`. */
export const viewTermsTexts = (views: Views): string[] => [
  ...viewsLeftTexts(views),
  ...viewsEndTexts(views),
]

export const viewsLeftTexts = ({ views, view_limit: limit }: Omit<Views, 'view_expires_at'>) =>
  limit === null ? [] : [t('Views: {views, number} of {limit, number}', { views, limit })]

export const viewsEndTexts = ({ view_expires_at: end }: Pick<Views, 'view_expires_at'>) =>
  end === null ? [] : [t('views end {at}', { at: momentText(end) })]

export const isViewed = ({ view }: Pick<DownloadLink, 'view'>): boolean => view !== 'download'

/** New terms do not give such a link back. */
export const isGone = ({ status }: Pick<DownloadLink, 'status'>): boolean =>
  status === 'revoked' || status === 'withdrawn'

/** Whether the views of a file that is viewed have ended, or are used up, on their own. */
export function viewsState(
  link: Views & Pick<DownloadLink, 'view'>,
  now: Date,
): { ended: boolean; usedUp: boolean } {
  const { views, view_limit: limit, view_expires_at: end } = link
  return {
    ended: isViewed(link) && end !== null && Date.parse(end) <= now.getTime(),
    usedUp: isViewed(link) && limit !== null && views >= limit,
  }
}

/** `1 link was not sent: It has expired` */
export function notSentText(
  skipped: readonly { reason: string; reason_text?: ServerText }[],
): string {
  const reasons = [...new Set(skipped.map(reasonText))]
  return t('{count, plural, one {# link was} other {# links were}} not sent: {list}', {
    count: skipped.length,
    list: reasons.join('; '),
  })
}
