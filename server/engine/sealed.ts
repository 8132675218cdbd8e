// Addresses in an operation's rows: sealed when it starts, opened for a batch's plugins, and dropped
// when no request needs them any more.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Entry } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { keepAddress, wholeAddress, type SealPlace } from '../core/kept-address.ts'
import type { Draft } from '../files/drafts.ts'
import type { OperationRequest, WorkItem } from './types.ts'

/** How many addresses are sealed before other requests run: sealing one takes about 10 µs. */
const SEALED_PER_TURN = 500

interface StartedEntry {
  entry: Entry
  draft: Draft
}

/** The entries as rows keep them, with the secrets of their addresses sealed. */
export async function sealEntries<T extends StartedEntry>(
  entries: readonly T[],
  place: SealPlace,
): Promise<T[]> {
  const sealed: T[] = []
  for (const one of entries) {
    const { entry } = one
    const source =
      entry.source.type === 'url'
        ? { ...entry.source, ...keepAddress(entry.source.url, place) }
        : entry.source
    sealed.push({ ...one, entry: { ...entry, source } })
    if (sealed.length % SEALED_PER_TURN === 0) await nextTurn()
  }
  return sealed
}

/** Gives claimed items their whole addresses, for the plugins of this batch. */
export function openEntries(items: readonly WorkItem[], place: SealPlace): void {
  for (const item of items) {
    if (item.entry?.source.type !== 'url') continue
    const url = wholeAddress(item.entry.source, place)
    item.entry = { ...item.entry, source: { type: 'url', url } }
  }
}

/** The request as the operation's row keeps it, with the secrets of its callback sealed. */
export function sealRequest(request: OperationRequest, place: SealPlace): OperationRequest {
  if (request.callback_url === undefined) return request
  const { url, sealed } = keepAddress(request.callback_url, place)
  return { ...request, callback_url: url, ...(sealed ? { callback_sealed: sealed } : {}) }
}

/** SQL: whether an item's address has a sealed part. */
export const SECRET_PART = `entry #> '{source,sealed}' is not null`
/** SQL: removes that part. */
export const FORGET_ENTRY = `entry = entry #- '{source,sealed}'`

/**
 * When an operation has ended, drops what was sealed for its items. Items that failed or never
 * began keep it, because they can be retried: the sweep (retention.ts) drops it when the undo
 * window is over.
 */
export async function forgetAddresses(scope: ShopScope, operation: string): Promise<void> {
  await scope.query(
    `update items set ${FORGET_ENTRY}
     where shop_id = :shop and operation_id = :operation and status in ('done', 'skipped')
       and ${SECRET_PART}`,
    { operation },
  )
}
