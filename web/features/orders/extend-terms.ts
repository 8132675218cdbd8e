// What the dialog "Extend" begins with, what it refuses, and what it sends.
import type { NumberValue } from '../../shell/components/number-field.tsx'
import { t } from '../../shell/messages/t.ts'
import { type AskTerms } from '../links/ask-form.ts'
import { isViewed } from '../links/labels.ts'
import { type DeliveredFile, type DeliveryChange } from './calls.ts'
import { GRANTED_DAYS, GRANTED_DOWNLOADS, GRANTED_VIEWS } from './labels.ts'
import { DAY_MS } from '../../shell/labels/time.ts'
import { lacks, type Lacks, type UsedTerms } from './unblock.ts'

/** Undefined: unchanged; null: no limit or no end. */
export interface ExtendTerms {
  days: NumberValue
  more: NumberValue
  viewDays: NumberValue
  moreViews: NumberValue
}

export type ExtendedFile = UsedTerms & Pick<DeliveredFile, 'file_id' | 'available_at'>

const anyLacks = (files: readonly UsedTerms[], what: keyof Lacks, now: Date): boolean =>
  files.some((file) => lacks(file, now)[what])

/** Gives what the buyer lacks, and nothing else. */
export const presetTerms = (files: readonly UsedTerms[], now: Date): ExtendTerms => ({
  days: anyLacks(files, 'expired', now) ? GRANTED_DAYS : undefined,
  more: anyLacks(files, 'usedUp', now) ? GRANTED_DOWNLOADS : undefined,
  viewDays: anyLacks(files, 'viewsEnded', now) ? GRANTED_DAYS : undefined,
  moreViews: anyLacks(files, 'viewsUsedUp', now) ? GRANTED_VIEWS : undefined,
})

/** An end that is now, null: none; and from when new days count, in milliseconds. */
interface End {
  end: string | null
  from: number
}

/** Days count from the release of a file that is not released. */
const startOf = ({ available_at: at }: ExtendedFile, now: Date): number =>
  Math.max(at === null ? 0 : Date.parse(at), now.getTime())

/** What this number of days takes time from: `never`, or the days that are needed; null: nothing. */
export function shortenedBy(ends: readonly End[], days: number): 'never' | number | null {
  if (ends.some(({ end }) => end === null)) return 'never'
  const needed = Math.max(0, ...ends.map(({ end, from }) => (Date.parse(end!) - from) / DAY_MS))
  return needed > days ? Math.ceil(needed) : null
}

/** Why the days would take time from a file; null: they do not. */
export function shortenedText(
  files: readonly ExtendedFile[],
  days: NumberValue,
  now: Date,
): string | null {
  if (typeof days !== 'number') return null
  const ends = files.map((file) => ({ end: file.expires_at, from: startOf(file, now) }))
  const shortened = shortenedBy(ends, days)
  if (shortened === 'never')
    return t('This would shorten a file that never expires: leave it unchanged')
  return shortened === null
    ? null
    : t(
        'This would shorten a file that is still valid for {days, plural, one {# day} other {# days}}: enter at least that, or leave it unchanged',
        { days: shortened },
      )
}

/** Why the days of views would take time from a file that can be viewed; null: they do not. */
export function viewsShortenedText(
  files: readonly ExtendedFile[],
  { days, viewDays }: Pick<ExtendTerms, 'days' | 'viewDays'>,
  now: Date,
): string | null {
  const viewed = files.filter(isViewed)
  if (viewDays === null)
    return viewed.some((file) => endsWithLink(file, days, now))
      ? t(
          'This would shorten views that last longer than the link: enter days, or leave it unchanged',
        )
      : null
  if (typeof viewDays !== 'number') return null
  // Views without an end of their own last as long as the link.
  const ends = viewed.map((file) => ({
    end: file.view_expires_at ?? file.expires_at,
    from: startOf(file, now),
  }))
  const shortened = shortenedBy(ends, viewDays)
  if (shortened === 'never')
    return t('This would shorten the views of a file that never expires: leave it unchanged')
  return shortened === null
    ? null
    : t(
        'This would shorten the views of a file that can be viewed for {days, plural, one {# day} other {# days}} more: enter at least that, or leave it unchanged',
        { days: shortened },
      )
}

/** Its views would be shorter if they ended with the link that is valid for `days`. */
function endsWithLink(file: ExtendedFile, days: NumberValue, now: Date): boolean {
  const { view_expires_at: end, expires_at } = file
  if (end === null || days === null) return false
  const until =
    typeof days === 'number'
      ? startOf(file, now) + days * DAY_MS
      : expires_at === null
        ? Infinity
        : Date.parse(expires_at)
  return Date.parse(end) > until
}

/** The terms for all files, then those of views for the files that are viewed. */
export function termChanges(
  files: readonly ExtendedFile[],
  { days, more, viewDays, moreViews }: ExtendTerms,
  asked: AskTerms,
): DeliveryChange[] {
  const terms: DeliveryChange = {
    ...(days === undefined ? {} : { expiry_days: days as number | null }),
    ...(more === undefined
      ? {}
      : more === null
        ? { download_limit: null }
        : { more_downloads: more as number }),
    ...asked,
  }
  const views: DeliveryChange = {
    ...(viewDays === undefined ? {} : { view_days: viewDays as number | null }),
    ...(moreViews === undefined
      ? {}
      : moreViews === null
        ? { view_limit: null }
        : { more_views: moreViews as number }),
  }
  const changeOf = (change: DeliveryChange, some: readonly ExtendedFile[]): DeliveryChange[] =>
    Object.keys(change).length === 0 || some.length === 0
      ? []
      : [{ file_ids: some.map(({ file_id }) => file_id), ...change }]
  return [...changeOf(terms, files), ...changeOf(views, files.filter(isViewed))]
}

/** What was changed, and what stays blocked. */
export function changedText(
  files: readonly UsedTerms[],
  { days, more, viewDays, moreViews }: ExtendTerms,
  now: Date,
): string {
  if (days === undefined && anyLacks(files, 'expired', now))
    return t('The terms were changed, but files are still expired: give them more days')
  if (more === undefined && anyLacks(files, 'usedUp', now))
    return t('The terms were changed, but files are still used up: give them more downloads')
  // New days of the link give views that have ended the same days.
  if (days === undefined && viewDays === undefined && anyLacks(files, 'viewsEnded', now))
    return t('The terms were changed, but views have still ended: give them more days')
  if (moreViews === undefined && anyLacks(files, 'viewsUsedUp', now))
    return t('The terms were changed, but views are still used up: give more of them')
  return t('The terms were changed')
}
