// Which connections may wait to sign in: strangers can open them, so their number is limited for
// each network and in all, and does not count among those that have signed in.
import { subnetOf } from '../../core/client-address.ts'
import { present } from '../../core/present.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Refusals } from './refusals.ts'

export interface UnsignedPlaces {
  /**
   * Takes a place for a connection that has not signed in; null: none is free, which is counted.
   * The result frees it, at sign-in or when the connection ends; idempotent.
   */
  take(address: string): (() => void) | null
}

export function createUnsignedPlaces(
  { unsigned, unsignedPerNetwork }: Pick<ConnectionLimits, 'unsigned' | 'unsignedPerNetwork'>,
  refusals: Pick<Refusals, 'count'>,
): UnsignedPlaces {
  const networks = new Map<string, number>()
  let waiting = 0
  return {
    take: (address) => {
      const network = subnetOf(address)
      const own = networks.get(network) ?? 0
      if (waiting >= unsigned || own >= unsignedPerNetwork) {
        refusals.count('no_place')
        return null
      }
      waiting++
      networks.set(network, own + 1)
      let isFree = false
      return () => {
        if (isFree) return
        isFree = true
        waiting--
        const left = present(networks.get(network), network) - 1
        if (left === 0) networks.delete(network)
        else networks.set(network, left)
      }
    },
  }
}
