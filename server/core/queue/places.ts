// How many jobs of each kind one process runs concurrently, and how many of them one shop. A job
// that takes long mostly waits for another system: it moves to the slow places of its kind, and so
// do the next jobs of its shop, until one of them is quick. Shops whose servers do not answer then
// hold the slow places, and wait for each other, while all other shops have the usual ones. The
// more shops have work, the fewer places one of them has, so that a large operation leaves the
// places to the small ones of others. For its own small operations a shop has one place more, which
// large ones cannot take. What is shared and what one shop may hold: docs/decisions/0048; turns in
// large installations: docs/decisions/0068.
import { present } from '../lazy.ts'

export interface PlaceLimits {
  places: number
  /** Places of jobs that take long; 0: such jobs keep the usual places. */
  slowPlaces: number
  /** Places of one shop, slow ones included; fewer while other shops have work. */
  perShop: number
}

export interface Places {
  /** The number of all concurrent jobs. */
  count: number
  /** Flags of jobs that have to wait. */
  full(): string[]
  /**
   * Takes a place; call the result to release it. None of the flags may be full. A job has the flag
   * of its kind, and, if it belongs to a shop, the one of `ofShop` or `ofSmall`.
   */
  enter(flags: readonly string[]): () => void
}

export const ofShop = (kind: string, shop: number | string) => `${kind}@${shop}`
const SMALL = '/small'
/** The flag of a batch of a small operation. */
export const ofSmall = (kind: string, shop: number | string) => `${ofShop(kind, shop)}${SMALL}`
/** Places of a shop that its large operations cannot take. */
const FOR_SMALL = 1

/** How many jobs may take long for each usual place: they wait more than they work. */
const SLOW_TIMES = 3

/**
 * Limits of work that waits for other systems: half of the places for one shop, and slow places.
 */
export const waitingLimits = (places: number): PlaceLimits => ({
  places,
  slowPlaces: SLOW_TIMES * places,
  perShop: Math.ceil(places / 2),
})
/** Limits of other work: any shop may have every place. */
export const plainLimits = (places: number): PlaceLimits => ({
  places,
  slowPlaces: 0,
  perShop: places,
})

/** Shops that are remembered without a running job. */
const MAX_IDLE = 1000

interface Kind extends PlaceLimits {
  /** Jobs in usual and in slow places. */
  usual: number
  slow: number
}

/** One shop's jobs of one kind. */
interface ShopJobs {
  kind: Kind
  running: number
  /** The last job that ended took long. */
  isSlow: boolean
  /** When the last job ended, in milliseconds of `performance.now()`. */
  endedAt: number
}

/** A shop whose job has ended takes its turn for this long: its next job is queued or about to be. */
const TURN_MS = 2000

const hasSlowPlace = ({ slow, slowPlaces }: Kind) => slow < slowPlaces
const mayNotStart = ({ kind, running, isSlow }: ShopJobs, turns: number, more = 0) =>
  isSlow
    ? running >= kind.perShop + more || !hasSlowPlace(kind)
    : running >= Math.min(kind.perShop, Math.ceil(kind.places / Math.max(1, turns))) + more

/** How many shops take turns in the usual places of each kind. */
function turnsOf(shops: Iterable<ShopJobs>): ReadonlyMap<Kind, number> {
  const turns = new Map<Kind, number>()
  const since = performance.now() - TURN_MS
  for (const { kind, running, isSlow, endedAt } of shops)
    if (!isSlow && (running > 0 || endedAt > since)) turns.set(kind, (turns.get(kind) ?? 0) + 1)
  return turns
}

/**
 * Takes a place of the kind: a slow one for a slow shop, and for a job that has run for
 * `slowAfterMs`, as soon as one is free.
 * @returns releases the place, and says whether the job took long
 */
function enterKind({ kind, isSlow }: ShopJobs, slowAfterMs: number): () => boolean {
  let lane: 'usual' | 'slow' = isSlow && hasSlowPlace(kind) ? 'slow' : 'usual'
  kind[lane]++
  let tookLong = false
  const moveAside = () => {
    tookLong = true
    if (lane === 'slow') return
    if (!hasSlowPlace(kind)) return void timer.refresh()
    kind[lane]--
    lane = 'slow'
    kind[lane]++
  }
  const timer = setTimeout(kind.slowPlaces > 0 ? moveAside : () => {}, slowAfterMs).unref()
  return () => {
    clearTimeout(timer)
    kind[lane]--
    return tookLong
  }
}

/** @param slowAfterMs a job that runs longer is slow */
export function createPlaces(
  limits: ReadonlyMap<string, PlaceLimits>,
  slowAfterMs: number,
): Places {
  const kinds = new Map([...limits].map(([flag, one]) => [flag, { ...one, usual: 0, slow: 0 }]))
  /** Shops with running jobs, slow shops, and those that ran recently, by their flags. */
  const shops = new Map<string, ShopJobs>()
  const leaveShop = (flag: string, jobs: ShopJobs, tookLong: boolean) => {
    jobs.running--
    jobs.isSlow = tookLong
    jobs.endedAt = performance.now()
    if (jobs.running > 0) return
    // At the end of the map: the oldest are first.
    shops.delete(flag)
    shops.set(flag, jobs)
    if (shops.size <= MAX_IDLE) return
    for (const [oldest, { running }] of shops) if (running === 0) return void shops.delete(oldest)
  }
  return {
    count: [...kinds.values()].reduce((sum, one) => sum + one.places + one.slowPlaces, 0),
    full: () => {
      const turns = turnsOf(shops.values())
      return [
        ...[...kinds].flatMap(([flag, { usual, places }]) => (usual >= places ? [flag] : [])),
        ...[...shops].flatMap(([flag, jobs]) => {
          const shopTurns = turns.get(jobs.kind) ?? 0
          return [
            ...(mayNotStart(jobs, shopTurns) ? [flag] : []),
            ...(mayNotStart(jobs, shopTurns, FOR_SMALL) ? [flag + SMALL] : []),
          ]
        }),
      ]
    },
    enter: (flags) => {
      const kindFlag = flags.find((flag) => kinds.has(flag))
      if (kindFlag === undefined) return () => {}
      const kind = present(kinds.get(kindFlag), kindFlag)
      const shop = flags.find((flag) => flag.startsWith(ofShop(kindFlag, '')))?.replace(SMALL, '')
      if (shop === undefined) {
        kind.usual++
        return () => void kind.usual--
      }
      const jobs = shops.get(shop) ?? { kind, running: 0, isSlow: false, endedAt: 0 }
      shops.set(shop, jobs)
      jobs.running++
      const leave = enterKind(jobs, slowAfterMs)
      return () => leaveShop(shop, jobs, leave())
    },
  }
}
