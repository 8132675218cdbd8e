// Addresses that callers gave, for imports and callbacks. Rows keep them without user info, query
// and fragment, which may contain access tokens. The whole address is sealed in another column for
// as long as a request may still need it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Entry } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Draft } from '../../files/drafts.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { OperationRequest, WorkItem } from '../types.ts'

export interface SealPlace {
  /** The shop's internal number: a value sealed for another shop does not open. */
  shop: number
  secrets: Pick<Secrets, 'seal' | 'open'>
}

/** As a row keeps it. Without `sealed`, nothing was left out, or the sealed part has expired. */
export interface KeptAddress {
  url: string
  sealed?: string
}

/** Sealing takes about 10 µs: after this many, let other requests run. */
const SEALED_PER_TURN = 500

const aboutOf = (shop: number) => `${shop}/addresses`

/** The address without user info, query and fragment. `keptPart` is the same in SQL. */
export const withoutSecrets = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')

/** The same of a text expression in SQL. */
export const keptPart = (text: string): string =>
  String.raw`regexp_replace(regexp_replace(${text}, '[\x3f#].*$', ''), '^([a-zA-Z][a-zA-Z0-9+.-]*://)[^/]*@', '\1')`

export function keepAddress(url: string, { shop, secrets }: SealPlace): KeptAddress {
  const kept = withoutSecrets(url)
  return kept === url
    ? { url }
    : { url: kept, sealed: secrets.seal(url, aboutOf(shop)).toString('base64') }
}

/**
 * The whole address, if it is still known. An address sealed under another secret stays without its
 * query.
 */
export function wholeAddress({ url, sealed }: KeptAddress, { shop, secrets }: SealPlace): string {
  if (sealed === undefined) return url
  try {
    return secrets.open(Buffer.from(sealed, 'base64'), aboutOf(shop))
  } catch {
    return url
  }
}

interface Started {
  entry: Entry
  draft: Draft
}

export async function sealEntries<T extends Started>(
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

export function sealRequest(request: OperationRequest, place: SealPlace): OperationRequest {
  if (request.callback_url === undefined) return request
  const { url, sealed } = keepAddress(request.callback_url, place)
  return { ...request, callback_url: url, ...(sealed ? { callback_sealed: sealed } : {}) }
}

/** Items whose address has a part that is not stored in plain text. */
export const SECRET_PART = `(entry #> '{source,sealed}' is not null
  or entry #>> '{source,url}' ~ '[\\x3f#]' or entry #>> '{source,url}' ~
    '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/]*@')`
/** Of the rows that SECRET_PART finds. Includes rows from before addresses were sealed. */
export const FORGET_ENTRY = `entry = jsonb_set(entry #- '{source,sealed}', '{source,url}',
  to_jsonb(${keptPart(`entry #>> '{source,url}'`)}))`

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
