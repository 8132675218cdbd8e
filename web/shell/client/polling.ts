// How often an open page reads again what changes on the server: as often as its call says, and more
// and more rarely while nobody touches the page and the answers stay the same. A hidden page polls
// nothing, because React Query stops its intervals there.
import type { Query, QueryClient } from '@tanstack/react-query'
import { ApiError, isLasting, waitOf } from './error.ts'

/**
 * Polling intervals: of what shows work while it runs, of what changes by it, while work may start,
 * and for data that rarely changes.
 */
export const LIVE_MS = 1000
export const BUSY_MS = 2500
export const CALM_MS = 5000
export const SLOW_MS = 15_000
/** The interval of a page that was left alone; calls may state a longer one. */
const SLOWEST_MS = 60_000
/** The longest interval: of what is polled slowly in any case, and of what was refused. */
const RAREST_MS = 120_000

/** How often data is polled, in milliseconds; false: not. */
export type Polling<Data> = number | false | ((data: Data | undefined) => number | false)

type Polled = Pick<Query, 'state'>

interface Known {
  data: unknown
  /** When the data was first as it is now. */
  changedAt: number
  isSlowed: boolean
}

const known = new WeakMap<Polled, Known>()
let touchedAt = 0

/** Most likely the same request would be refused again. */
const isRefusal = (error: Error | null) => error instanceof ApiError && !error.passing

const repeated = new WeakSet<Error>()

/** Whether what failed with this error is read again every two minutes. */
export const isRepeatedRarely = (error: Error): boolean => repeated.has(error)

/**
 * The interval for React Query. It doubles with each answer that is the same as the last one, from
 * the stated time up to a minute, or two for data that rarely changes. A difference or a touch of the page begins again; what is polled
 * while work runs, or after a failure that passes, is never slowed down. What was refused is read
 * rarely: a fault of the server may be mended, or a permission given.
 */
export const intervalOf =
  <Data>(poll: Polling<Data>) =>
  (query: Polled): number | false => {
    const last = remember(query)
    last.isSlowed = false
    const { error } = query.state
    const stated = typeof poll === 'function' ? poll(query.state.data as Data | undefined) : poll
    if (stated === false || (error && isLasting(error))) return false
    if (error && isRefusal(error)) {
      repeated.add(error)
      return RAREST_MS
    }
    if (error) return Math.max(stated, waitOf(error))
    if (stated < CALM_MS) return stated
    const quiet = query.state.dataUpdatedAt - Math.max(last.changedAt, touchedAt)
    const interval = Math.max(stated, Math.min(stated < SLOW_MS ? SLOWEST_MS : RAREST_MS, quiet))
    last.isSlowed = interval > stated
    return interval
  }

function remember(query: Polled): Known {
  const { data, dataUpdatedAt } = query.state
  const last = known.get(query)
  if (last && last.data === data) return last
  const next = { data, changedAt: dataUpdatedAt, isSlowed: false }
  known.set(query, next)
  return next
}

const TOUCHES = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'focus'] as const

/** Reads the data that is polled slowly again when somebody touches the page. */
export function wakeOnTouch(client: QueryClient, target: EventTarget): void {
  const onTouch = () => {
    const before = touchedAt
    touchedAt = Date.now()
    if (touchedAt - before < CALM_MS) return
    void client.refetchQueries({
      type: 'active',
      predicate: (query) => known.get(query)?.isSlowed === true,
    })
  }
  for (const touch of TOUCHES)
    target.addEventListener(touch, onTouch, { capture: true, passive: true })
}
