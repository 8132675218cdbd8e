// Durations in the page's language.
import { t } from './t.ts'

const SPANS = [
  [(count: number) => t('{count, number} d', { count }), 86_400],
  [(count: number) => t('{count, number} h', { count }), 3600],
  [(count: number) => t('{count, number} min', { count }), 60],
  [(count: number) => t('{count, number} s', { count }), 1],
] as const

/** The two largest parts: 75 → `1 min 15 s`, 90,061 → `1 d 1 h`, 0.4 → `under 1 s`. */
export function durationText(seconds: number): string {
  if (seconds < 1) return t('under 1 s')
  let rest = Math.round(seconds)
  const parts: string[] = []
  for (const [text, length] of SPANS) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) parts.push(text(count))
    // `1 h 0 min 5 s` is shortened to `1 h`.
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}
