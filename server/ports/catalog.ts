// The catalog as plugins see it: exact SKUs from the storefront itself, guesses from the mirror.
import {
  type Catalog,
  type RemoteFetcher,
  PortError,
  say,
  type Stage,
  type StagedBlob,
} from '../../plugins/contract/index.ts'
import { createHash } from 'node:crypto'
import { present } from '../core/lazy.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Matcher } from '../matching/match.ts'
import { readNameRules } from '../matching/name-rules.ts'
import { findSpelledSkus } from '../matching/spelled-skus.ts'
import { findProduct, findProducts } from '../storefront/mirror/lookup.ts'
import type { LiveCatalog } from '../storefront/storefront.ts'
import { createSemaphore } from '../core/body-budget.ts'
import { ERRORS, type ErrorCode } from '../core/errors.ts'
import { StoreError, type BlobStore, type ByteSource } from '../core/store/store.ts'
import type { GuardedClient, Requester } from './guarded-fetch.ts'
import { foundIn, typeByStart, watchHead } from './found-type.ts'

export const createCatalogPort = (
  scope: ShopScope,
  live: LiveCatalog,
  match: Matcher,
): Catalog => ({
  findBySku: (skus, signal) => live.findBySku(skus, signal),
  findBySpelling: async (skus, signal) => {
    signal.throwIfAborted()
    return findSpelledSkus(scope, skus)
  },
  match: (files, rules, signal) => match(scope, files, rules, signal),
  rules: async (signal) => {
    signal.throwIfAborted()
    return readNameRules(scope)
  },
  findProducts: async (by, values, signal) => {
    signal.throwIfAborted()
    return findProducts(scope, by, values)
  },
  findProduct: async (productId, variantId, signal) => {
    signal.throwIfAborted()
    return findProduct(scope, productId, variantId)
  },
})

// What plugins may fetch from the internet: connects the guarded client with the shop's storage
// location.

/**
 * Both functions throw `PortError`: `url_not_accessible` and `file_too_large` for the source,
 * `storage_…` for the store.
 */
export function createRemote({
  client,
  places,
  headers,
  ...place
}: StagePlace & Pick<Requester, 'places' | 'headers'> & { client: GuardedClient }): RemoteFetcher {
  const own = { ...(places ? { places } : {}), ...(headers ? { headers } : {}) }
  const requester = { shop: place.shop, ...own }
  return {
    atMost: (count) => createRemote({ client, ...own, ...place, places: createSemaphore(count) }),
    withHeaders: (given) => createRemote({ client, ...own, ...place, headers: given }),
    probe: (url, signal) => client.probe(url, signal, requester),
    download: async (url, signal, known, sha256) => {
      const address = createHash('sha256').update(url).digest('hex')
      const before = known?.source.answer
      // Bytes that are not sent again cannot be compared with the hash.
      const since = before?.address === address && sha256 === undefined ? before : undefined
      const opened = await client.openChanged(url, signal, requester, since)
      if (opened === null) return { ...present(known, 'a known version').bytes, present: true }
      const { body, content_type, identity } = opened
      try {
        const bytes = sha256 === undefined ? body : withDigest(body, sha256)
        const staged = await stageBytes(place, bytes, content_type, signal)
        if (!identity) return staged
        const { hash, size_bytes } = staged
        const source = { hash, size_bytes, answer: { address, ...identity } }
        return { ...staged, source }
      } finally {
        await body.return?.()
      }
    },
  }
}

/** The same bytes; throws `sha256_mismatch` at their end if they have another SHA-256 hash. */
async function* withDigest(bytes: ByteSource, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
  const found = hash.digest('hex')
  if (found === sha256) return
  throw new PortError('sha256_mismatch', ERRORS.sha256_mismatch.message, false, {
    detail: say('The bytes at the address have the SHA-256 {found}', { found }),
  })
}

// Stores bytes in the shop's storage location for plugins: they are staged until the engine commits
// the item.

export interface StagePlace {
  store: BlobStore
  /** The shop's internal number. */
  shop: number
  /** The name of the storage location `store`. */
  location: string
}

const FAILURES: Readonly<Record<StoreError['code'], { code: ErrorCode; retryable: boolean }>> = {
  full: { code: 'storage_full', retryable: true },
  denied: { code: 'permission_denied', retryable: false },
  missing: { code: 'storage_failed', retryable: true },
  damaged: { code: 'file_damaged', retryable: false },
  unavailable: { code: 'storage_failed', retryable: true },
}

/**
 * Stores bytes. A `StoreError` becomes a `PortError`; an error of `bytes` itself is thrown
 * unchanged.
 */
export async function stageBytes(
  { store, shop, location }: StagePlace,
  bytes: ByteSource,
  contentType: string | null,
  signal: AbortSignal,
): Promise<StagedBlob> {
  try {
    const watched = watchHead(bytes)
    const { hash, size_bytes } = await store.write(shop, watched, signal)
    const written = { hash, size_bytes }
    const head = watched.head()
    const found = await foundIn(head, { store, shop }, written)
    return { ...written, location, content_type: await typeByStart(contentType, head), ...found }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw storeFailure(error)
  }
}

/** A store's error in the terms of plugins. */
export function storeFailure(error: StoreError): PortError {
  const { code, retryable } = FAILURES[error.code]
  return new PortError(code, ERRORS[code].message, retryable, { cause: error })
}

export function createStage(place: StagePlace): Stage {
  return { write: (bytes, contentType, signal) => stageBytes(place, bytes, contentType, signal) }
}
