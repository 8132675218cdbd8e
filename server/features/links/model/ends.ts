// SQL: which links no longer give their buyers what their files offer.
import { offersView, viewedOnly } from '../../../files/view-kinds.ts'

/** SQL: when a link `l` of the file `f` ends; of a file that is only viewed, its views. */
export const usableUntil = (l: string, f: string): string =>
  `case when ${viewedOnly(f)} then ${l}.views_end_at else ${l}.ends_at end`

/** SQL: this holds for the file `u` of a link `c`. */
const ofFile = (condition: string) => `exists (select from files u
    where u.shop_id = c.shop_id and u.id = c.file_id and ${condition})`
const VIEWED_ONLY = ofFile(viewedOnly('u'))
const OFFERS_VIEW = ofFile(offersView('u'))

/** SQL: why the downloads or the views of a link `c` of a file have ended at this time. */
export const linkEnds = (now: string) => ({
  used_up: `c.downloads >= c.download_limit and not ${VIEWED_ONLY}`,
  expired: `c.ends_at <= ${now} and not ${VIEWED_ONLY}`,
  views_used_up: `c.views >= c.view_limit and ${OFFERS_VIEW}`,
  // A file that is only viewed may be viewed for longer than its link is valid.
  views_expired: `(c.view_expires_at <= ${now} and ${OFFERS_VIEW}
    or c.views_end_at <= ${now} and ${VIEWED_ONLY})`,
})

/** SQL: the file `f` of a link `l` can neither be downloaded nor viewed any more. */
export const unusable = (l: string, f: string): string => {
  const viewEnded = `coalesce(${l}.views_end_at <= now() or ${l}.views >= ${l}.view_limit, false)`
  const ended = `coalesce(${l}.ends_at <= now() or ${l}.downloads >= ${l}.download_limit, false)`
  return `(${viewEnded} or not ${offersView(f)}) and (${ended} or ${viewedOnly(f)})`
}

/** SQL: a link `c` was not revoked, and its file can no longer be downloaded or viewed as offered. */
export const linkEnded = (now: string): string =>
  `c.file_id is not null and c.revoked_at is null and (${Object.values(linkEnds(now)).join(' or ')})`
