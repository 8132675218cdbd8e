// Keeps the mirrors of all shops: looks every few seconds whose time has come, and refreshes one after another.
import { PortError } from '../../../plugins/contract.ts'
import type { Database } from '../../db/database.ts'
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import { errorFields, type Logger } from '../../log.ts'
import type { Storefront } from '../storefront.ts'
import { refresh } from './refresh.ts'
import { dueShops, failTurn, leaveTurn, takeTurn, TurnLost, type Refreshed, type Turn } from './turns.ts'

const LOOK_MS = 2000

export interface MirrorParts {
  database: Database
  storefront: Pick<Storefront, 'wholeCatalog'>
  /** What follows from a refresh. What it throws is logged; the mirror is new all the same. */
  refreshed(scope: ShopScope, result: Refreshed): Promise<unknown>
  log: Logger
}

/** Returns how to stop: what is underway is put down, and the next process may go on with it at once. */
export function startMirrors(parts: MirrorParts): () => Promise<void> {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let turning: Promise<void> = Promise.resolve()
  const turn = async () => {
    try {
      await refreshDue(parts, stopping.signal)
    } catch (error) {
      if (!stopping.signal.aborted) parts.log.warn('mirrors could not be looked at', errorFields(error))
    }
    if (!stopping.signal.aborted) timer = setTimeout(next, LOOK_MS)
  }
  const next = () => {
    turning = turn()
  }
  next()
  return async () => {
    stopping.abort(new Error('the worker is stopping'))
    clearTimeout(timer)
    await turning
  }
}

/** Refreshes what is due now; gives how many mirrors this process has refreshed. */
export async function refreshDue(parts: MirrorParts, signal: AbortSignal): Promise<number> {
  let done = 0
  for (const shop of await dueShops(parts.database)) {
    if (signal.aborted) break
    if (await refreshShop(parts, forShop(parts.database, shop), signal)) done++
  }
  return done
}

async function refreshShop(parts: MirrorParts, scope: ShopScope, signal: AbortSignal): Promise<boolean> {
  const turn = await takeTurn(scope)
  if (!turn) return false
  const { log } = parts
  const { shop } = scope
  try {
    const result = await refresh(scope, turn, parts.storefront.wholeCatalog(shop), signal)
    log.info('the catalog is mirrored', { shop, learned: result.learned })
    await parts.refreshed(scope, result).catch((error: unknown) => {
      log.warn('a refreshed catalog could not be followed up', { shop, ...errorFields(error) })
    })
    return true
  } catch (error) {
    await giveUp(scope, turn, error, signal)
    if (signal.aborted || error instanceof TurnLost) return false
    log.warn('a catalog could not be mirrored', { shop, ...errorFields(error) })
    return false
  }
}

async function giveUp(scope: ShopScope, turn: Turn, error: unknown, signal: AbortSignal): Promise<void> {
  if (error instanceof TurnLost) return
  if (signal.aborted) return leaveTurn(scope, turn)
  // What went wrong between us and our database is no word for the merchant.
  const message = error instanceof PortError ? error.message : 'Something went wrong on our side'
  return failTurn(scope, turn, message)
}
