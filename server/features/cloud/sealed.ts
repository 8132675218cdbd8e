// A connection's secrets, sealed for its row.
import type { Secrets } from '../../core/secrets.ts'
import type { Values } from './providers/provider.ts'

/** What the secrets of a connection are sealed for. */
export const connectionPlace = (shop: number): string => `${shop}/connections`

export const sealed = (secrets: Secrets, shop: number, values: Values): Buffer | null =>
  Object.keys(values).length === 0
    ? null
    : secrets.seal(JSON.stringify(values), connectionPlace(shop))

/** Empty if there are none, or if they were sealed with another secret. */
export function openSealed(secrets: Secrets, shop: number, value: Buffer | null): Values {
  if (value === null) return {}
  try {
    return JSON.parse(secrets.open(value, connectionPlace(shop))) as Values
  } catch {
    return {}
  }
}
