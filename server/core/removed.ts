// Logs what a sweep removed.
import type { Logger } from './log.ts'

export async function logRemoved(
  log: Pick<Logger, 'info'>,
  what: string,
  sweep: Promise<number>,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const removed = await sweep
  if (removed > 0) log.info(`removed ${what}`, { removed, ...fields })
}
