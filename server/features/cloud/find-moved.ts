// Finds objects of before under another path, so that their files keep their products and links: by
// their path in another case, by the hashes of the provider, and by their bytes where the provider
// has no hash that says it (objects sent in parts, composed or encrypted ones).
import { createReadStream } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { withHashJoins } from '../../core/db/hash-joins.ts'
import { lastOf } from '../../core/lazy.ts'
import type { Cloud, OpenRemote } from './cloud.ts'
import { openingOf, type CloudConnection } from './connections.ts'
import { providerOf } from './providers/providers.ts'

/** SQL: a text in lower case, also letters beyond ASCII. */
export const inAnyCase = (text: string) => `lower(${text} collate pg_c_utf8)`

/** SQL: the base row `c` has no object any more. */
const IS_GONE = `c.shop_id = :shop and c.connection_id = :connection
  and not exists (select from cloud_listings l where l.shop_id = :shop
    and l.connection_id = :connection and l.path = c.path)
  and not exists (select from cloud_listings l where l.shop_id = :shop
    and l.connection_id = :connection and l.renamed_from = c.path)`

/** SQL: the listed object `l` is in no base. */
const IS_FRESH = `l.shop_id = :shop and l.connection_id = :connection and not l.ignored
  and l.renamed_from is null and not exists (select from cloud_files c where c.shop_id = :shop
    and c.connection_id = :connection and c.path = l.path)`

/**
 * Finds objects whose paths differ only in case, for providers that ignore case: each is the same
 * object.
 */
async function findOtherCase(tx: ShopScope, connection: string): Promise<void> {
  await tx.query(
    `update cloud_listings l set renamed_from = c.path from cloud_files c
     where l.shop_id = :shop and l.connection_id = :connection and c.shop_id = :shop
       and c.connection_id = :connection
       and ${inAnyCase('c.path')} = ${inAnyCase('l.path')} and c.path <> l.path and not l.ignored
         and not l.duplicate`,
    { connection },
  )
}

/**
 * Marks new objects as vanished ones: the same hash and size, and the order of their names where
 * several are equal.
 *
 * @param gone SQL of the vanished objects with their hash
 * @param hash the column of the listing with such a hash
 */
async function markRenamed(
  tx: ShopScope,
  connection: string,
  { gone, hash }: { gone: string; hash: string },
): Promise<void> {
  const inOrder = `row_number() over (partition by hash, size_bytes
    order by regexp_replace(path, '^.*/', ''), path) as n`
  await tx.query(
    `with gone as (select *, ${inOrder} from (${gone}) g where hash is not null),
     fresh as (
       select *, ${inOrder} from (select l.path, l.${hash} as hash, l.size_bytes
         from cloud_listings l where ${IS_FRESH} and not l.duplicate and l.${hash} is not null) f
     )
     update cloud_listings l set renamed_from = gone.path
     from gone join fresh on fresh.hash = gone.hash and fresh.size_bytes = gone.size_bytes
       and fresh.n = gone.n
     where l.shop_id = :shop and l.connection_id = :connection and l.path = fresh.path`,
    { connection },
  )
}

const findByHash = (tx: ShopScope, connection: string) =>
  markRenamed(tx, connection, {
    gone: `select c.path, c.hash, c.size_bytes from cloud_files c where ${IS_GONE}`,
    hash: 'hash',
  })

/** SQL: the version here of the base row `c`: what was synced, or the current one. */
const VERSION = `join files f on f.shop_id = :shop and f.id = c.file_id
  join lateral (select v.hash from versions v where v.shop_id = :shop and v.file_id = f.id
    and v.number in (c.version, f.version) order by v.number = c.version desc limit 1) v on true`

const findByBytes = (tx: ShopScope, connection: string) =>
  markRenamed(tx, connection, {
    gone: `select c.path, v.hash, c.size_bytes from cloud_files c ${VERSION} where ${IS_GONE}`,
    hash: 'content_hash',
  })

/**
 * Marks the new objects that may be vanished ones: of the same size, and no hash shows that they
 * differ. Several objects of one name are unreadable, so they stay marked.
 */
async function markUncompared(
  tx: ShopScope,
  { id: connection, provider }: CloudConnection,
): Promise<void> {
  const { doubtfulHashes = false } = providerOf(provider)
  await tx.query(
    `with gone as (
       select c.size_bytes, c.hash is null as unhashed from cloud_files c ${VERSION} where ${IS_GONE}
     ), sizes as (select size_bytes, bool_or(unhashed) as unhashed from gone group by size_bytes)
     update cloud_listings l set uncompared = true from sizes
     where ${IS_FRESH} and sizes.size_bytes = l.size_bytes
       and (:doubtfulHashes or sizes.unhashed or l.hash is null or l.duplicate)`,
    { connection, doubtfulHashes },
  )
}

const PAGE = 200

interface Comparison {
  scope: ShopScope
  connection: string
  open: OpenRemote
  folder: string
  signal: AbortSignal
}

/** Reads the marked objects, and records what their bytes are. Those that cannot be read stay marked. */
async function readUncompared(comparison: Comparison): Promise<void> {
  const { scope, connection } = comparison
  let after = ''
  while (true) {
    const objects = await scope.query<{ path: string; size_bytes: number }>(
      `select path, size_bytes from cloud_listings where shop_id = :shop
         and connection_id = :connection and path > :after and uncompared and not duplicate
       order by path limit ${PAGE}`,
      { connection, after },
    )
    if (objects.length === 0) return
    after = lastOf(objects).path
    await readPage(comparison, objects)
  }
}

async function readPage(
  { scope, connection, open, folder, signal }: Comparison,
  objects: readonly { path: string; size_bytes: number }[],
): Promise<void> {
  await mkdir(folder, { recursive: true })
  try {
    const bytes = objects.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    const paths = objects.map((object) => object.path)
    for await (const one of open.files.fetch(paths, { folder, bytes, signal })) {
      if ('error' in one) continue
      const hash = await hashOfFile(one.file, signal)
      await rm(one.file, { force: true })
      await scope.query(
        `update cloud_listings set uncompared = false, content_hash = decode(:hash, 'hex')
         where shop_id = :shop and connection_id = :connection and path = :path`,
        { connection, path: one.path, hash },
      )
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function hashOfFile(file: string, signal: AbortSignal): Promise<string> {
  const hasher = new Blake3Hasher()
  for await (const bytes of createReadStream(file, { signal })) hasher.update(bytes as Buffer)
  return hasher.digest('hex')
}

/**
 * Marks in the listing what is an object of before under another path. Safe to repeat. Throws
 * `CloudError` if the provider cannot be opened, or the reason of `signal`.
 */
export async function findMoved(
  cloud: Cloud,
  scope: ShopScope,
  connection: CloudConnection,
  signal: AbortSignal,
): Promise<void> {
  const { id, provider } = connection
  const inTransaction = (work: (tx: ShopScope) => Promise<void>) =>
    scope.transaction((tx) => withHashJoins(tx, () => work(tx)))
  await inTransaction(async (tx) => {
    if (providerOf(provider).caseInsensitive) await findOtherCase(tx, id)
    await findByHash(tx, id)
    await markUncompared(tx, connection)
  })
  const [marked] = await scope.query(
    `select from cloud_listings where shop_id = :shop and connection_id = :id and uncompared
       and not duplicate limit 1`,
    { id },
  )
  if (!marked) return
  const open = await cloud.open(scope, openingOf(cloud, scope, connection))
  try {
    const folder = path.join(cloud.stagingFolder, id, randomUUID())
    await readUncompared({ scope, connection: id, open, folder, signal })
  } finally {
    open.close()
  }
  await inTransaction((tx) => findByBytes(tx, id))
}
