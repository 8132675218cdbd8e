// What lets a buyer download and view again: only what blocks a file is changed, by as much as "ask for more"
// grants, and the earlier terms are kept for an undo.
import { type DeliveredFile, type Delivery, type DeliveryChange } from './calls.ts'
import { GRANTED_DAYS, GRANTED_DOWNLOADS, GRANTED_VIEWS } from './labels.ts'

type Terms = NonNullable<DeliveryChange['terms']>[number]

export interface UnblockedFile {
  file: Pick<DeliveredFile, 'file_id' | 'filename' | 'expires_at' | 'view_expires_at'>
  /** The file has no downloads left. */
  usedUp: boolean
  expired: boolean
  /** It has no views left. */
  viewsUsedUp: boolean
  viewsEnded: boolean
}

export interface UnblockPlan {
  files: UnblockedFile[]
  terms: Terms[]
  /** The terms that the files have now. */
  earlier: Terms[]
  /** The names of files that the workflow could not prepare: it tries again. */
  prepare: string[]
}

const DAY_MS = 24 * 60 * 60 * 1000

type BlockedDelivery = Pick<Delivery, 'status' | 'reason'> & {
  file_list: readonly Pick<
    DeliveredFile,
    | 'file_id'
    | 'filename'
    | 'status'
    | 'preparing'
    | 'expires_at'
    | 'download_limit'
    | 'downloads'
    | 'view'
    | 'view_limit'
    | 'views'
    | 'view_expires_at'
  >[]
}

export function unblockPlan(
  { status, reason, file_list }: BlockedDelivery,
  now: Date,
): UnblockPlan {
  const plan: UnblockPlan = { files: [], terms: [], earlier: [], prepare: [] }
  for (const file of file_list) {
    if (file.status === 'revoked' || file.status === 'withdrawn') continue
    const { file_id, expires_at, download_limit, downloads } = file
    const { view, view_limit, views, view_expires_at } = file
    const isPast = (end: string | null) => end !== null && Date.parse(end) <= now.getTime()
    const usedUp = download_limit !== null && downloads >= download_limit
    const viewsUsedUp = view_limit !== null && views >= view_limit
    const viewsEnded = view !== 'download' && isPast(view_expires_at)
    // A file that is only viewed may be viewed for longer than its link is valid.
    const isViewedStill = view === 'view_only' && view_expires_at !== null && !viewsEnded
    const expired = isPast(expires_at) && !isViewedStill
    // A delivery without a reason is still being prepared, and the buyer gets an email.
    if (file.preparing && status === 'ready' && reason !== null) plan.prepare.push(file.filename)
    if (!usedUp && !expired && !viewsUsedUp && !viewsEnded) continue
    plan.files.push({ file, usedUp, expired, viewsUsedUp, viewsEnded })
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
      ...(viewsEnded ? { view_expires_at } : {}),
    })
  }
  return plan
}

export const isEmpty = ({ terms, prepare }: UnblockPlan): boolean =>
  terms.length === 0 && prepare.length === 0
