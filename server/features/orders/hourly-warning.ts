// A warning that would otherwise be logged every few seconds: a shop whose platform does not answer is
// asked again for as long as it has waiting orders.
import { errorFields, type Logger } from '../../core/log.ts'

const HOUR_MS = 60 * 60 * 1000

/** Logs a warning for each shop and reason once an hour. */
export function hourlyWarning(
  { log, clock }: { log: Logger; clock: () => Date },
  message: string,
): (shop: number, error: Error) => void {
  const warned = new Map<string, number>()
  return (shop, error) => {
    const now = +clock()
    const key = `${shop}/${error.message}`
    if (now - (warned.get(key) ?? -Infinity) < HOUR_MS) return
    for (const [old, at] of warned) if (now - at >= HOUR_MS) warned.delete(old)
    warned.set(key, now)
    log.warn(message, { shop, logged: 'once an hour', ...errorFields(error) })
  }
}
