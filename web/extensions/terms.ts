// When the files of an order can be used, in short texts for its pages.

/** The terms as the app writes them (server/features/orders/shown-terms.ts). */
export interface Terms {
  later: number
  available_at: string | null
  use_hours: number | null
  until: string | null
  ends_at: string | null
  closed: number
}

interface I18n {
  translate(key: string, values?: Record<string, string | number>): string
  formatDate(date: Date, options?: Intl.DateTimeFormatOptions): string
}

const DAY_HOURS = 24

/** What was written may be some days old: times are compared with the present. */
export function termTexts(
  { files, terms }: { files: number; terms: Terms },
  i18n: I18n,
  now: Date,
): string[] {
  const { use_hours: hours, closed } = terms
  const isAhead = (at: string | null): at is string => at !== null && new Date(at) > now
  const day = (at: string) => i18n.formatDate(new Date(at), { dateStyle: 'long' })
  if (terms.ends_at !== null && !isAhead(terms.ends_at)) return [i18n.translate('terms.expired')]
  const texts: string[] = []
  if (isAhead(terms.available_at)) {
    const date = day(terms.available_at)
    texts.push(
      terms.later >= files
        ? i18n.translate('terms.available', { date })
        : i18n.translate('terms.laterFiles', { count: terms.later, date }),
    )
  }
  if (closed > 0) texts.push(i18n.translate('terms.closed', { count: closed }))
  if (hours !== null)
    texts.push(
      hours % DAY_HOURS === 0
        ? i18n.translate('terms.useDays', { count: hours / DAY_HOURS })
        : i18n.translate('terms.useHours', { count: hours }),
    )
  if (isAhead(terms.until)) texts.push(i18n.translate('terms.until', { date: day(terms.until) }))
  return texts
}

/** Does no file open yet? Then the page is not said to be ready. */
export const isAllLater = (files: number, terms: Terms, now: Date): boolean =>
  terms.later >= files && terms.available_at !== null && new Date(terms.available_at) > now
