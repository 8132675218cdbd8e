// The name of this program in its requests. Filters of hosts refuse names that do not begin like a
// browser's, and their operators want an address to ask.
import { readFileSync } from 'node:fs'

export const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** @param address of this installation; null: it has none that others can reach. */
export const userAgentOf = (address: string | null): string =>
  `Mozilla/5.0 (compatible; Stevedore/${version}${address === null ? '' : `; +${address}`})`
