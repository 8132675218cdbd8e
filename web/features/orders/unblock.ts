// What lets a buyer download again: only what blocks a file is changed, by as much as "ask for more"
// grants, and the earlier terms are kept for an undo.
import { type DeliveredFile, type Delivery, type DeliveryChange } from './calls.ts'
import { GRANTED_DAYS, GRANTED_DOWNLOADS } from './labels.ts'

type Terms = NonNullable<DeliveryChange['terms']>[number]

export interface UnblockedFile {
  file: Pick<DeliveredFile, 'file_id' | 'filename' | 'expires_at'>
  /** The file has no downloads left. */
  usedUp: boolean
  expired: boolean
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
    'file_id' | 'filename' | 'status' | 'preparing' | 'expires_at' | 'download_limit' | 'downloads'
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
    const usedUp = download_limit !== null && downloads >= download_limit
    const expired = expires_at !== null && Date.parse(expires_at) <= now.getTime()
    // A delivery without a reason is still being prepared, and the buyer gets an email.
    if (file.preparing && status === 'ready' && reason !== null) plan.prepare.push(file.filename)
    if (!usedUp && !expired) continue
    plan.files.push({ file, usedUp, expired })
    const until = new Date(now.getTime() + GRANTED_DAYS * DAY_MS).toISOString()
    plan.terms.push({
      file_id,
      ...(usedUp ? { download_limit: downloads + GRANTED_DOWNLOADS } : {}),
      ...(expired ? { expires_at: until } : {}),
    })
    plan.earlier.push({
      file_id,
      ...(usedUp ? { download_limit } : {}),
      ...(expired ? { expires_at } : {}),
    })
  }
  return plan
}

export const isEmpty = ({ terms, prepare }: UnblockPlan): boolean =>
  terms.length === 0 && prepare.length === 0
