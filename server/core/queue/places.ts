// How many jobs of each kind one process runs concurrently, and how many of them one shop. A job
// that takes long mostly waits for another system: it moves to the slow places of its kind, and so
// do the next jobs of its shop, until one of them is quick. Shops whose servers do not answer then
// hold the slow places, and wait for each other, while all other shops have the usual ones.

export interface PlaceLimits {
  places: number
  /** Of jobs that take long; 0: they keep the usual places. */
  slowPlaces: number
  /** Of one shop, slow ones included. */
  perShop: number
}

export interface Places {
  /** All concurrent jobs. */
  count: number
  /** Flags of jobs that have to wait. */
  full(): string[]
  /**
   * Takes a place; call the result to release it. None of the flags may be full. A job has the flag
   * of its kind, and, if it belongs to a shop, the one of `ofShop`.
   */
  enter(flags: readonly string[]): () => void
}

export const ofShop = (kind: string, shop: number | string) => `${kind}@${shop}`

/** How many jobs may take long for each usual place: they wait more than they work. */
export const SLOW_TIMES = 3
/** The flags of shops that are remembered as slow. */
const MAX_SLOW = 1000

/** @param slowAfterMs a job that runs longer is slow */
export function createPlaces(
  limits: ReadonlyMap<string, PlaceLimits>,
  slowAfterMs: number,
): Places {
  const usual = createCounts()
  const slow = createCounts()
  const byShop = createCounts()
  /** The kind of each shop's flag: its last job was slow. */
  const slowShops = new Map<string, string>()
  const hasSlowPlace = (kind: string) => slow.of(kind) < limits.get(kind)!.slowPlaces
  const isFull = (flag: string, kind: string) =>
    byShop.of(flag) >= limits.get(kind)!.perShop || (slowShops.has(flag) && !hasSlowPlace(kind))
  const remember = (shop: string, kind: string, wasSlow: boolean) => {
    slowShops.delete(shop)
    if (!wasSlow) return
    slowShops.set(shop, kind)
    const [oldest] = slowShops.keys()
    if (slowShops.size > MAX_SLOW) slowShops.delete(oldest!)
  }
  const kinds = new Map<string, string>()
  return {
    count: [...limits.values()].reduce((sum, one) => sum + one.places + one.slowPlaces, 0),
    full: () => [
      ...[...limits].flatMap(([kind, { places }]) => (usual.of(kind) >= places ? [kind] : [])),
      ...[...new Map([...kinds, ...slowShops])].flatMap(([flag, kind]) =>
        isFull(flag, kind) ? [flag] : [],
      ),
    ],
    enter: (flags) => {
      const kind = flags.find((flag) => limits.has(flag))
      if (kind === undefined) return () => {}
      const shop = flags.find((flag) => flag.startsWith(ofShop(kind, ''))) ?? null
      let lane = shop !== null && slowShops.has(shop) && hasSlowPlace(kind) ? slow : usual
      lane.add(kind, 1)
      if (shop !== null) {
        byShop.add(shop, 1)
        kinds.set(shop, kind)
      }
      let isSlow = false
      const moveAside = () => {
        isSlow = true
        if (lane === slow) return
        if (hasSlowPlace(kind)) {
          lane.add(kind, -1)
          lane = slow
          lane.add(kind, 1)
        } else timer.refresh()
      }
      const canMove = shop !== null && limits.get(kind)!.slowPlaces > 0
      const timer = setTimeout(canMove ? moveAside : () => {}, slowAfterMs).unref()
      return () => {
        clearTimeout(timer)
        lane.add(kind, -1)
        if (shop === null) return
        byShop.add(shop, -1)
        if (byShop.of(shop) === 0) kinds.delete(shop)
        remember(shop, kind, isSlow)
      }
    },
  }
}

function createCounts() {
  const counts = new Map<string, number>()
  return {
    of: (flag: string) => counts.get(flag) ?? 0,
    add: (flag: string, by: 1 | -1) => {
      const now = (counts.get(flag) ?? 0) + by
      if (now === 0) counts.delete(flag)
      else counts.set(flag, now)
    },
  }
}
