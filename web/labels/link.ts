// How a link's terms read.
import { type DownloadLink } from '../client/types.ts'
import { countText, numberText } from './size.ts'
import { momentText } from './time.ts'

/** `Expires 29 Nov 2026, 14:05 and allows 5 downloads.` */
export function linkTerms(
  { expires_at, download_limit }: Pick<DownloadLink, 'expires_at' | 'download_limit'>,
  locale?: string,
): string {
  const expiry = expires_at === null ? 'Never expires' : `Expires ${momentText(expires_at, locale)}`
  const limit =
    download_limit === null
      ? 'any number of downloads'
      : countText(download_limit, 'download', 'downloads', locale)
  return `${expiry} and allows ${limit}.`
}

/** `2 of 5`, `2 of unlimited` */
export const usedText = ({
  downloads,
  download_limit,
}: Pick<DownloadLink, 'downloads' | 'download_limit'>): string =>
  download_limit === null
    ? `${numberText(downloads)}, unlimited`
    : `${numberText(downloads)} of ${numberText(download_limit)}`

/** `1 link was not sent: It has expired` */
export function notSentText(skipped: readonly { reason: string }[]): string {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))]
  return `${countText(skipped.length, 'link was', 'links were')} not sent: ${reasons.join('; ')}`
}
