// The address of a feed and the headers of its requests, sealed for its row.
import type { FetchTarget } from '../../core/fetch-headers.ts'
import type { Secrets } from '../../core/secrets.ts'

/** What they are sealed for. */
export const feedPlace = (shop: number): string => `${shop}/feeds`

export const sealTarget = (secrets: Secrets, shop: number, target: FetchTarget): Buffer =>
  secrets.seal(JSON.stringify(target), feedPlace(shop))

/** Opens them; null: they were sealed with another secret. */
export function openTarget(secrets: Secrets, shop: number, value: Buffer): FetchTarget | null {
  try {
    return JSON.parse(secrets.open(value, feedPlace(shop))) as FetchTarget
  } catch {
    return null
  }
}
