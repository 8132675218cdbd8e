// Which connections may wait to sign in: strangers can open them, so their number is limited for
// each network and in all, and does not count among those that have signed in. When places are
// short, the connection that has waited longest makes room: strangers that hold all places would
// lock everybody out.
import { subnetOf } from '../../core/client-address.ts'
import { present } from '../../core/lazy.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Refusals } from './refusals.ts'

export interface UnsignedPlaces {
  /**
   * Takes a place for a connection that has not signed in. If the places of its network are taken,
   * the oldest connection of that network is closed; if all places are taken, the oldest of the network that
   * has most. Each closed one is counted.
   * @param close closes the connection; called at most once, and not after the place was freed
   * @returns frees the place, at sign-in or when the connection ends; idempotent
   */
  take(address: string, close: () => void): () => void
}

/** A connection that waits to sign in. */
interface Waiting {
  close: () => void
  /** The number of connections before it. */
  order: number
}

/** Those of one network, the oldest first. */
type Network = Set<Waiting>

export function createUnsignedPlaces(
  { unsigned, unsignedPerNetwork }: Pick<ConnectionLimits, 'unsigned' | 'unsignedPerNetwork'>,
  refusals: Pick<Refusals, 'count'>,
): UnsignedPlaces {
  const networks = new Map<string, Network>()
  let taken = 0
  let order = 0
  const free = (name: string, waiting: Waiting): boolean => {
    const network = networks.get(name)
    if (!network?.delete(waiting)) return false
    taken--
    if (network.size === 0) networks.delete(name)
    return true
  }
  const closeOldest = (name: string) => {
    const oldest = oldestOf(present(networks.get(name), name))
    free(name, oldest)
    refusals.count('no_place')
    oldest.close()
  }
  return {
    take: (address, close) => {
      const name = subnetOf(address)
      if ((networks.get(name)?.size ?? 0) >= unsignedPerNetwork) closeOldest(name)
      else if (taken >= unsigned) closeOldest(largestOf(networks))
      const waiting = { close, order: order++ }
      const network = networks.get(name) ?? new Set()
      networks.set(name, network.add(waiting))
      taken++
      return () => void free(name, waiting)
    },
  }
}

const oldestOf = (network: Network): Waiting => {
  const [oldest] = network
  return present(oldest, 'The oldest connection')
}

/** The network with most connections; of several, the one whose oldest connection is the oldest. */
function largestOf(networks: ReadonlyMap<string, Network>): string {
  const [[name] = ['']] = [...networks].toSorted(
    ([, a], [, b]) => b.size - a.size || oldestOf(a).order - oldestOf(b).order,
  )
  return name
}
