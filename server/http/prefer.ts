// The Prefer header (RFC 7240): how long a caller waits for an operation's end.
import type { Context } from 'koa'

export const MAX_WAIT_SECONDS = 120

/** Seconds to wait, and the value of Preference-Applied (null: nothing was requested). */
export function waitingTime(
  ctx: Context,
  fallback: number,
): { seconds: number; applied: string | null } {
  const preferences = ctx
    .get('Prefer')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
  const wait = preferences
    .map((part) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(part)?.[1])
    .find((value) => value !== undefined)
  // Both together mean: asynchronously, if it takes longer than the wait (RFC 7240, section 4.3).
  if (wait === undefined)
    return preferences.includes('respond-async')
      ? { seconds: 0, applied: 'respond-async' }
      : { seconds: fallback, applied: null }
  const seconds = Math.min(Number(wait), MAX_WAIT_SECONDS)
  return { seconds, applied: `wait=${seconds}` }
}
