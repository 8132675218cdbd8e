// Texts about deliveries, and the change that grants a buyer's request for more.
import {
  type DeliveredFile,
  type Delivery,
  type DeliveryChange,
  type DeliveryStatus,
  type NewFiles,
} from './calls.ts'
import { errorText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { isViewed } from '../links/labels.ts'
import { messageWord } from '../messages/labels.ts'
import { type StatusWord } from '../operations/operation-status.ts'
import { DAY_MS, momentText } from '../../shell/labels/time.ts'
import { type DeliveryListing } from './url-state.ts'

export const DELIVERY_STATUSES: Record<DeliveryStatus, StatusWord> = {
  ready: { text: t('Ready'), tone: 'success', progress: 'complete' },
  held: { text: t('On hold'), tone: 'attention', progress: 'partiallyComplete' },
  withdrawn: { text: t('Withdrawn'), tone: undefined, progress: undefined },
  revoked: { text: t('Revoked'), tone: 'critical', progress: undefined },
}

export const DELIVERY_LISTING_TEXTS: Readonly<Record<DeliveryListing, string>> = {
  ready: DELIVERY_STATUSES.ready.text,
  blocked: t('Cannot download'),
  unreachable: t('Cannot be reached'),
  held: DELIVERY_STATUSES.held.text,
  withdrawn: DELIVERY_STATUSES.withdrawn.text,
  revoked: DELIVERY_STATUSES.revoked.text,
}

/** `2 of 3 files used up`; null: the buyer can download and view all of them. */
export function blockedText({
  files,
  blocked_files: blocked,
  blocked_by: by,
  status,
}: Pick<Delivery, 'files' | 'blocked_files' | 'blocked_by' | 'status'>): string | null {
  if (status !== 'ready' || blocked === 0) return null
  const counts = { blocked, files }
  if (by.not_prepared + by.used_up + by.expired === 0) {
    if (by.views_expired === 0)
      return t(
        '{blocked} of {files, plural, one {# file} other {# files}} without views left',
        counts,
      )
    if (by.views_used_up === 0)
      return t(
        '{blocked} of {files, plural, one {# file} other {# files}} not viewable any more',
        counts,
      )
  }
  const used = by.used_up + by.views_used_up
  const expired = by.expired + by.views_expired
  if (by.not_prepared === 0 && expired === 0)
    return t('{blocked} of {files, plural, one {# file} other {# files}} used up', counts)
  if (by.not_prepared === 0 && used === 0)
    return t('{blocked} of {files, plural, one {# file} other {# files}} expired', counts)
  if (by.not_prepared === 0)
    return t(
      '{blocked} of {files, plural, one {# file} other {# files}} used up or expired',
      counts,
    )
  if (used + expired === 0)
    return t('{blocked} of {files, plural, one {# file} other {# files}} not prepared', counts)
  return t(
    '{blocked} of {files, plural, one {# file} other {# files}} cannot be downloaded',
    counts,
  )
}

/** What a buyer can do again. */
export type Use = 'download' | 'view' | 'use'

/** The action that gives a buyer what is lacking, by what it gives. */
export const UNBLOCK_TEXTS: Readonly<Record<Use, string>> = {
  download: t('Let them download again'),
  view: t('Let them view again'),
  use: t('Let them use the files again'),
}

/** The status of the last mail. */
export const sentWord = ({ sent }: Pick<Delivery, 'sent'>): StatusWord | null =>
  sent && messageWord(sent)

/** The last message was a text. */
export const isText = ({ sent }: Pick<Delivery, 'sent'>): boolean => sent?.kind === 'sms'

/** Why the last message did not reach the buyer; null: it did. */
export const sentError = ({ sent }: Pick<Delivery, 'sent'>): string | null =>
  sent?.error ? errorText({ error: sent.error, error_text: sent.error_text }) : null

/** `Opened 29 Sep 2026, 14:05`, or that it was not opened. */
export const openedText = ({ opened_at }: Pick<Delivery, 'opened_at'>): string =>
  opened_at === null ? t('Not opened yet') : t('Opened {at}', { at: momentText(opened_at) })

export const downloadedText = ({
  downloads,
  last_download_at,
}: Pick<Delivery, 'downloads' | 'last_download_at'>): string =>
  last_download_at === null
    ? t('{downloads, plural, =0 {No downloads} one {# download} other {# downloads}}', {
        downloads,
      })
    : t('{downloads, plural, one {# download} other {# downloads}}, last {at}', {
        downloads,
        at: momentText(last_download_at),
      })

/** Why it is held, if no reason says so. */
export const holdText = ({ hold }: Pick<Delivery, 'hold'>): string | null =>
  // The banner shows the workflow's own reason.
  hold === null || hold.by === 'workflow'
    ? null
    : hold.by === 'merchant'
      ? hold.since === null
        ? t('Held by you.')
        : t('Held by you since {at}.', { at: momentText(hold.since) })
      : hold.recommendation === 'CANCEL'
        ? t('The platform recommends cancelling the order: its risk of fraud is high.')
        : t('The platform recommends looking into the order before it is delivered.')

export const GRANTED_DAYS = 30
export const GRANTED_DOWNLOADS = 3
export const GRANTED_VIEWS = 3

/**
 * The changes that grant "ask for more": they never shorten the buyer's terms, and give views only of files
 * that are viewed, and downloads only of files that are downloaded.
 */
export function grantChanges(
  files: readonly Pick<
    DeliveredFile,
    'file_id' | 'expires_at' | 'download_limit' | 'view' | 'view_limit' | 'view_expires_at'
  >[],
  now: Date,
): DeliveryChange[] {
  const until = now.getTime() + GRANTED_DAYS * DAY_MS
  const isShorter = (end: string | null) => end !== null && new Date(end).getTime() < until
  const downloaded = files.filter(({ view }) => view !== 'view_only')
  const viewed = files.filter(isViewed)
  const changeOf = (change: DeliveryChange, some: typeof files): DeliveryChange[] =>
    some.length === 0 ? [] : [{ ...change, file_ids: some.map(({ file_id }) => file_id) }]
  return [
    ...changeOf(
      { more_downloads: GRANTED_DOWNLOADS },
      downloaded.filter(({ download_limit }) => download_limit !== null),
    ),
    ...changeOf(
      { expiry_days: GRANTED_DAYS },
      files.filter(({ expires_at }) => isShorter(expires_at)),
    ),
    ...changeOf(
      { more_views: GRANTED_VIEWS },
      viewed.filter(({ view_limit }) => view_limit !== null),
    ),
    ...changeOf(
      { view_days: GRANTED_DAYS },
      viewed.filter(({ view_expires_at }) => isShorter(view_expires_at)),
    ),
  ]
}

/** `Grant 3 more downloads, 3 more views and 30 days`: what the changes contain; null: nothing. */
export function grantText(changes: readonly DeliveryChange[]): string | null {
  const has = (term: keyof DeliveryChange) => changes.some((change) => change[term] !== undefined)
  const values = { downloads: GRANTED_DOWNLOADS, views: GRANTED_VIEWS, days: GRANTED_DAYS }
  const isLonger = has('expiry_days') || has('view_days')
  if (has('more_downloads') && has('more_views'))
    return isLonger
      ? t('Grant {downloads} more downloads, {views} more views and {days} days', values)
      : t('Grant {downloads} more downloads and {views} more views', values)
  if (has('more_downloads'))
    return isLonger
      ? t('Grant {downloads} more downloads and {days} days', values)
      : t('Grant {downloads} more downloads', values)
  if (has('more_views'))
    return isLonger
      ? t('Grant {views} more views and {days} days', values)
      : t('Grant {views} more views', values)
  return isLonger ? t('Grant {days} days', values) : null
}

/** `2 new files are not given to 13 past buyers.` */
export const newFilesText = ({ files, buyers }: Pick<NewFiles, 'files' | 'buyers'>): string =>
  t(
    '{files, plural, one {# new file is} other {# new files are}} not given to {buyers, plural, one {# past buyer} other {# past buyers}}.',
    { files: files.length, buyers },
  )

/** `1012` of `order 1012` and of what the page calls an order in its language. */
export function orderIn(text: string): string {
  const words = new Set(['order', t('Order {name}', { name: '' }).trim().toLowerCase()])
  const [first = '', ...rest] = text.trim().split(/\s+/)
  return words.has(first.toLowerCase()) && rest.length > 0 ? rest.join(' ') : text
}
