// Computes the SHA-256 digests of stored bytes. An import or a transfer does not wait for them, since
// they cost three times what the hash does that addresses the bytes: a background task computes them
// (server/startup/background.ts), and a request that names one computes it immediately.
import { createHash } from 'node:crypto'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { errorFields } from '../core/log.ts'
import { createSemaphore } from '../core/body-budget.ts'
import { StoreError, type BlobStore } from '../core/store/store.ts'
import type { BlobCheckParts, SizedBlob, StoredBlob } from './blob-checks.ts'

/** A request for bytes waits for the digest of at most so many: 20 ms on a disk. */
const WAITED_FOR_BYTES = 16 * 1024 ** 2
/** How many blobs a process reads at the same time for requests. */
const CONCURRENCY = 4
/** `paced` is called each time so many bytes were read. */
const PACED_BYTES = 1024 ** 2

interface BlobSum {
  hash: string
  /** SHA-256, as 64 lower-case hex digits. */
  sha256: string
}

/**
 * Reads the bytes and computes their SHA-256 digest. Null: they are missing, or not those of the hash.
 *
 * @param paced waited for after each part of the bytes
 */
export async function computeSum(
  store: BlobStore,
  { shop, hash }: Pick<StoredBlob, 'shop' | 'hash'>,
  signal: AbortSignal,
  paced?: (bytes: number) => Promise<void>,
): Promise<BlobSum | null> {
  const [blake3, sum] = [new Blake3Hasher(), createHash('sha256')]
  let read = 0
  try {
    for await (const chunk of await store.read(shop, hash)) {
      signal.throwIfAborted()
      const bytes = chunk as Buffer
      blake3.update(bytes)
      sum.update(bytes)
      read += bytes.length
      if (read < PACED_BYTES) continue
      await paced?.(read)
      read = 0
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return null
    throw error
  }
  await paced?.(read)
  return blake3.digest('hex') === hash ? { hash, sha256: sum.digest('hex') } : null
}

/** Stores digests of a shop's blobs, unless they were stored in the meantime. */
export async function storeSums(scope: ShopScope, sums: readonly BlobSum[]): Promise<void> {
  if (sums.length === 0) return
  await scope.query(
    `update blobs b set sha256 = decode(given.sha256, 'hex')
     from unnest(:hashes::text[], :sums::text[]) as given(hash, sha256)
     where b.shop_id = :shop and b.hash = decode(given.hash, 'hex') and b.sha256 is null`,
    { hashes: sums.map(({ hash }) => hash), sums: sums.map(({ sha256 }) => sha256) },
  )
}

/** Computes digests when requests name them. */
export class Sha256Sums {
  readonly #parts: BlobCheckParts
  readonly #places = createSemaphore(CONCURRENCY)
  readonly #running = new Map<string, Promise<string | null>>()

  constructor(parts: BlobCheckParts) {
    this.#parts = parts
  }

  /**
   * The digest of a blob, however large. Null: its bytes cannot be read, or are damaged: the checks of
   * stored bytes find and record that.
   */
  of(blob: StoredBlob): Promise<string | null> {
    const key = `${blob.shop}/${blob.hash}`
    const running = this.#running.get(key)
    if (running) return running
    const computing = this.#compute(blob)
      .catch((error: unknown) => {
        this.#parts.log.warn('a digest could not be computed', {
          shop: blob.shop,
          location: blob.location,
          hash: blob.hash,
          ...errorFields(error),
        })
        return null
      })
      .finally(() => this.#running.delete(key))
    this.#running.set(key, computing)
    return computing
  }

  /**
   * The digest for a request of the bytes themselves: that of many is begun, but not waited for.
   *
   * @param asked the request asks for the digest (`asksForDigest`)
   * @param found called when it is computed, also later
   */
  ofContent(
    blob: SizedBlob,
    asked: boolean,
    found: (sha256: string | null) => void = () => {},
  ): Promise<string | null> {
    const computing = this.of(blob)
    void computing.then(found)
    return asked || blob.size_bytes <= WAITED_FOR_BYTES ? computing : Promise.resolve(null)
  }

  /** The digest if it is known within this time; it is computed in any case. */
  async within(blob: StoredBlob, ms: number): Promise<string | null> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, ms, null)
    })
    try {
      return await Promise.race([this.of(blob), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Another process may have computed it since the caller read its row. */
  async #compute(blob: StoredBlob): Promise<string | null> {
    const { database, stores } = this.#parts
    const leave = await this.#places.acquire()
    try {
      const scope = forShop(database, blob.shop)
      const row = await scope.first<{ sha256: string | null }>(
        `select encode(sha256, 'hex') as sha256 from blobs
         where shop_id = :shop and hash = decode(:hash, 'hex')`,
        { hash: blob.hash },
      )
      if (!row || row.sha256 !== null) return row?.sha256 ?? null
      const store = stores.get(blob.location)
      if (!store) return null
      const sum = await computeSum(store, blob, new AbortController().signal)
      if (sum) await storeSums(scope, [sum])
      return sum?.sha256 ?? null
    } finally {
      leave()
    }
  }
}

/** SQL: the blob `b` has no digest, and bytes in `l` to compute one of that are not known to be damaged. */
const READABLE = `b.sha256 is null and l.shop_id = b.shop_id and l.hash = b.hash
  and l.unneeded_since is null and l.damaged_since is null`

/**
 * SQL: the time before which bytes of the shop must have been admitted. They wait while one of its
 * operations works, since the task would take processor time from it; at most for an hour.
 */
const dueOf = (shop: string): string => `now() - case when exists (select from operations o
    where o.shop_id = ${shop} and o.status = 'running') then interval '1 hour'
  else interval '20 seconds' end`

/** SQL that gives (shop_id, key, due_at) of the shops with digests to compute. */
export const SHOPS_WITHOUT_SUMS = `
  select s.id as shop_id, s.id::text as key, now() as due_at from shops s
  where exists (select from blobs b, blob_locations l
    where b.shop_id = s.id and b.created_at < ${dueOf('s.id')} and ${READABLE})`

/**
 * Blobs without a digest that are due, the oldest first, after the blob `after`.
 *
 * @param without locations that cannot be read now
 */
export const blobsWithoutSum = (
  scope: ShopScope,
  given: { after: BlobWithoutSum | null; limit: number; without: readonly string[] },
): Promise<BlobWithoutSum[]> =>
  scope.query<BlobWithoutSum>(
    `select :shop::int as shop, encode(b.hash, 'hex') as hash, l.location, b.size_bytes,
       b.created_at::text as created_at
     from blobs b join lateral (select l.location from blob_locations l where ${READABLE}
         and l.location <> all(:without::text[]) order by l.location limit 1) l on true
     where b.shop_id = :shop and b.sha256 is null and b.created_at < ${dueOf(':shop')}
       and (:at::text is null or (b.created_at, b.hash) > (:at::timestamptz, decode(:hash, 'hex')))
     order by b.created_at, b.hash limit :limit`,
    {
      at: given.after?.created_at ?? null,
      hash: given.after?.hash ?? null,
      limit: given.limit,
      without: given.without,
    },
  )

/** Blobs without a digest of files that have one of these names and its size. */
export const namedWithoutSum = (
  scope: ShopScope,
  given: readonly { name_key: string; size_bytes: number }[],
): Promise<StoredBlob[]> =>
  scope.query<StoredBlob>(
    `select distinct on (b.hash) :shop::int as shop, encode(b.hash, 'hex') as hash, l.location
     from jsonb_to_recordset(:given::jsonb) as g(name_key text collate "C", size_bytes bigint)
     join files f on f.shop_id = :shop and f.name_key = g.name_key and f.deleted_at is null
       and f.size_bytes = g.size_bytes
     join versions v on v.shop_id = :shop and v.file_id = f.id and v.number = f.version
     join blobs b on b.shop_id = :shop and b.hash = v.hash
     join blob_locations l on ${READABLE}
     where b.sha256 is null order by b.hash, l.location`,
    { given: JSON.stringify(given) },
  )

export interface BlobWithoutSum extends SizedBlob {
  /** As PostgreSQL writes it, with microseconds. */
  created_at: string
}
