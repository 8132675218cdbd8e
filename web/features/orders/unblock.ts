// What lets a buyer download and view again: only what blocks a file is changed, by as much as "ask for more"
// grants, and the earlier terms are kept for an undo.
import { type DeliveredFile, type Delivery, type DeliveryChange } from './calls.ts'
import { GRANTED_DAYS, GRANTED_DOWNLOADS, GRANTED_VIEWS, type Use } from './labels.ts'
import { DAY_MS } from '../../shell/labels/time.ts'
import { isGone, viewsState } from '../links/labels.ts'

type Terms = NonNullable<DeliveryChange['terms']>[number]

/** What a file needs before its buyer can use it again. */
export interface Lacks {
  /** The file has no downloads left. */
  usedUp: boolean
  expired: boolean
  /** It has no views left. */
  viewsUsedUp: boolean
  viewsEnded: boolean
}

export interface UnblockedFile extends Lacks {
  file: Pick<DeliveredFile, 'file_id' | 'filename' | 'expires_at' | 'view_expires_at' | 'view'>
}

export interface UnblockPlan {
  files: UnblockedFile[]
  terms: Terms[]
  /** The terms that the files have now. */
  earlier: Terms[]
  /** The names of files that the workflow could not prepare: it tries again. */
  prepare: string[]
}

/** The terms that decide whether a file can be used, and how much of them is used. */
export type UsedTerms = Pick<
  DeliveredFile,
  | 'status'
  | 'expires_at'
  | 'download_limit'
  | 'downloads'
  | 'view'
  | 'view_limit'
  | 'views'
  | 'view_expires_at'
>

type BlockedDelivery = Pick<Delivery, 'status' | 'reason'> & {
  file_list: readonly (UsedTerms & Pick<DeliveredFile, 'file_id' | 'filename' | 'preparing'>)[]
}

/** A file that was revoked or withdrawn lacks nothing: new terms do not give it back. */
export function lacks(file: UsedTerms, now: Date): Lacks {
  const { expires_at, download_limit, downloads, view, view_expires_at } = file
  if (isGone(file)) return { usedUp: false, expired: false, viewsUsedUp: false, viewsEnded: false }
  const isPast = expires_at !== null && Date.parse(expires_at) <= now.getTime()
  const { ended, usedUp } = viewsState(file, now)
  // A file that is only viewed may be viewed for longer than its link is valid.
  const isViewedStill = view === 'view_only' && view_expires_at !== null && !ended
  return {
    // The limit of downloads is without effect for a file that is only viewed.
    usedUp: view !== 'view_only' && download_limit !== null && downloads >= download_limit,
    expired: isPast && !isViewedStill,
    viewsUsedUp: usedUp,
    viewsEnded: ended,
  }
}

/** The status of a file for its buyer: one that is only viewed has no downloads to use up. */
export function shownStatus(file: UsedTerms, now: Date): DeliveredFile['status'] {
  const { status, view } = file
  if (view !== 'view_only' || (status !== 'expired' && status !== 'exhausted')) return status
  return lacks(file, now).expired ? 'expired' : 'active'
}

export function unblockPlan(
  { status, reason, file_list }: BlockedDelivery,
  now: Date,
): UnblockPlan {
  const plan: UnblockPlan = { files: [], terms: [], earlier: [], prepare: [] }
  for (const file of file_list) {
    if (isGone(file)) continue
    const { file_id, expires_at, download_limit, downloads, view_limit, views } = file
    const lacking = lacks(file, now)
    const { usedUp, expired, viewsUsedUp, viewsEnded } = lacking
    // A delivery without a reason is still being prepared, and the buyer gets an email.
    if (file.preparing && status === 'ready' && reason !== null) plan.prepare.push(file.filename)
    if (!usedUp && !expired && !viewsUsedUp && !viewsEnded) continue
    plan.files.push({ file, ...lacking })
    const until = new Date(now.getTime() + GRANTED_DAYS * DAY_MS).toISOString()
    plan.terms.push({
      file_id,
      ...(usedUp ? { download_limit: downloads + GRANTED_DOWNLOADS } : {}),
      ...(expired ? { expires_at: until } : {}),
      ...(viewsUsedUp ? { view_limit: views + GRANTED_VIEWS } : {}),
      ...(viewsEnded ? { view_expires_at: until } : {}),
    })
    plan.earlier.push({
      file_id,
      ...(usedUp ? { download_limit } : {}),
      ...(expired ? { expires_at } : {}),
      ...(viewsUsedUp ? { view_limit } : {}),
      ...(viewsEnded ? { view_expires_at: file.view_expires_at } : {}),
    })
  }
  return plan
}

export const isEmpty = ({ terms, prepare }: UnblockPlan): boolean =>
  terms.length === 0 && prepare.length === 0

/** `downloads`, `views`: which of them are given. */
const toUse = (downloads: boolean, views: boolean): Use =>
  views ? (downloads ? 'use' : 'view') : 'download'

/** What a plan gives. */
export const plannedUse = ({ files, prepare }: UnblockPlan): Use =>
  toUse(
    prepare.length > 0 ||
      files.some(({ file, usedUp, expired }) => usedUp || (expired && file.view !== 'view_only')),
    files.some(
      ({ file, viewsUsedUp, viewsEnded, expired }) =>
        viewsUsedUp || viewsEnded || (expired && file.view === 'view_only'),
    ),
  )

/** What a delivery in a list lacks: its files are not known there. */
export const blockedUse = ({ blocked_by: by }: Pick<Delivery, 'blocked_by'>): Use =>
  toUse(by.used_up + by.expired + by.not_prepared > 0, by.views_used_up + by.views_expired > 0)
