// One refresh of one shop's mirror: have the platform gather the catalog, read it into a staging set, swap.
import { setTimeout as delay } from 'node:timers/promises'
import type { ShopScope } from '../../db/for-shop.ts'
import type { CatalogRow, WholeCatalog } from '../whole-catalog.ts'
import { clearStaged, stage, swap } from './staging.ts'
import { beat, type Refreshed, type Turn } from './turns.ts'

const ROWS_AT_ONCE = 1000
const FIRST_LOOK_MS = 50
const LONGEST_LOOK_MS = 10_000

/** Throws `PortError` when the platform fails, `TurnLost` when someone else has taken the mirror over. */
export async function refresh(
  scope: ShopScope,
  turn: Turn,
  catalog: WholeCatalog,
  signal: AbortSignal,
): Promise<Refreshed> {
  const { url, objects } = await gathered(scope, turn, catalog, signal)
  // The platform's work is done with: a refresh that fails from here on asks anew, since the address expires.
  await clearStaged(scope)
  const read = url === null ? 0 : await readInto(scope, turn, catalog.rows(url, signal))
  if (read !== objects) throw new Error(`The storefront promised ${objects} rows of its catalog and sent ${read}`)
  return swap(scope, turn, read)
}

async function gathered(scope: ShopScope, turn: Turn, catalog: WholeCatalog, signal: AbortSignal) {
  let operation = turn.bulk_operation
  let wait = FIRST_LOOK_MS
  while (true) {
    if (operation === null) {
      operation = await catalog.begin(signal)
      await beat(scope, turn, { bulk_operation: operation })
    }
    const state = await catalog.gathering(operation, signal)
    if (state.status === 'complete') return state
    if (state.status === 'gone') {
      operation = null
      continue
    }
    await beat(scope, turn, { objects: state.objects })
    await delay(wait, undefined, { signal })
    wait = Math.min(wait * 1.5, LONGEST_LOOK_MS)
  }
}

/** Gives how many rows came. */
async function readInto(scope: ShopScope, turn: Turn, rows: AsyncIterable<CatalogRow>): Promise<number> {
  let read = 0
  let batch: CatalogRow[] = []
  const put = async () => {
    await stage(scope, turn, batch)
    read += batch.length
    batch = []
    await beat(scope, turn, { objects: read })
  }
  for await (const row of rows) {
    batch.push(row)
    if (batch.length === ROWS_AT_ONCE) await put()
  }
  await put()
  return read
}
