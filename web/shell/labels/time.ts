// Dates and durations in the page's language and the browser's time zone.
import { durationText } from '../messages/duration.ts'
import { pageLocale } from '../messages/locale.ts'
import { t } from '../messages/t.ts'

interface MomentOptions {
  /** The time zone; absent: the browser's. */
  timeZone?: string | undefined
  weekday?: boolean
}

/** `29 Sep 2026, 14:05`, or with its weekday: the one format of all times on the page. */
export function momentText(
  iso: string,
  locale = pageLocale(),
  { timeZone, weekday = false }: MomentOptions = {},
): string {
  const at = new Date(iso)
  const text = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  }).format(at)
  return weekday
    ? t('{weekday}, {date}', {
        weekday: new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone }).format(at),
        date: text,
      })
    : text
}

/** A calendar day, `YYYY-MM-DD`: the same day in every time zone. */
export function dayText(day: string, locale = pageLocale()): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return day
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(date)
}

export const DAY_MS = 24 * 60 * 60 * 1000
/** The server purges files after this many days in the trash. */
const TRASH_DAYS = 7

/** `Deleted 29 Sep 2026, 14:05 · 3 days left` */
export function trashedText(
  deletedAt: string,
  now: Date,
  locale = pageLocale(),
): { deleted: string; left: string } {
  const days = Math.ceil(
    (new Date(deletedAt).getTime() + TRASH_DAYS * DAY_MS - now.getTime()) / DAY_MS,
  )
  const left =
    days <= 0
      ? t('Deleted today')
      : t('{days, plural, one {# day left} other {# days left}}', { days })
  return { deleted: momentText(deletedAt, locale), left }
}

/** The remaining time, no more precise than it is known. */
export function remainingText(seconds: number | null): string {
  if (seconds === null) return t('calculating the time left')
  if (seconds < 5) return t('a few seconds left')
  if (seconds <= 55) return t('about {seconds} s left', { seconds: Math.ceil(seconds / 5) * 5 })
  const minutes = Math.ceil(seconds / 60)
  return t('about {duration} left', { duration: durationText(minutes * 60) })
}
