// Recovers transfers of processes that died: their bytes on this machine become an interrupted
// file, which the client can resume.
import { createReadStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { readShop } from '../../files/shop-settings.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { BlobStore } from '../../core/store/store.ts'
import { present } from '../../core/present.ts'
import { endLost } from './connections.ts'
import { isGone } from './processes.ts'
import { releaseBytes } from './dropped-bytes.ts'
import { commitBytes } from './writes.ts'

export interface RecoveryParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  staging: string
  log: Logger
}

interface Orphan {
  shop_id: number
  id: string
  write_id: string
  protocol: string
  size_bytes: number
  hash: string | null
  location: string | null
  /** Whether the process died so long ago that its machine will not recover the bytes. */
  late: boolean
}

/**
 * A machine recovers its own transfers when it restarts; other machines wait this long for it.
 */
const GRACE = '1 minute'

const ORPHANS = `
  select shop_id, id, write_id, protocol, size_bytes, encode(hash, 'hex') as hash, location,
    writing_since < now() - interval '${GRACE}' as late
  from drop_entries e where state = 'writing' and ${isGone('e.process')}`

/** Recovers transfers and returns their number. Several processes may run it concurrently. */
export async function recoverTransfers(parts: RecoveryParts): Promise<number> {
  const { rows } = await parts.database.pool.query<Orphan>(ORPHANS)
  const here = new Set(await readdir(parts.staging).catch(() => []))
  let recovered = 0
  for (const orphan of rows) {
    if (!here.has(orphan.write_id) && !orphan.late) continue
    const kept = await recoverTransfer(parts, orphan, here.has(orphan.write_id)).catch(
      (error: unknown) => {
        parts.log.warn('drop: an interrupted transfer could not be kept', errorFields(error))
        return false
      },
    )
    if (kept) recovered++
  }
  await removeUnknown(parts, [...here])
  await endLost(parts.database)
  return recovered
}

async function recoverTransfer(
  parts: RecoveryParts,
  orphan: Orphan,
  here: boolean,
): Promise<boolean> {
  const scope = forShop(parts.database, orphan.shop_id)
  const file = path.join(parts.staging, orphan.write_id)
  const { hash, location, size_bytes } = orphan
  const before = { hash, location, size_bytes: hash === null ? 0 : size_bytes }
  const bytes = here ? await storeFile(parts, scope, file) : before
  const { id, write_id: writeId, protocol } = orphan
  const ended = { protocol, clean: false, modifiedAt: null, ...bytes }
  const dropped = await commitBytes(parts.database, { shop: scope.shop, id, writeId }, ended)
  await releaseBytes(parts, scope.shop, dropped ?? { placed: null, ...bytes })
  await rm(file, { force: true })
  return dropped !== null
}

/**
 * Copies the file into the store instead of linking it: if the process is still alive, it would
 * change the blob's bytes.
 */
async function storeFile({ stores }: RecoveryParts, scope: ShopScope, file: string) {
  const location = (await readShop(scope)).settings.storage_location
  const { size } = await stat(file)
  const bytes =
    size === 0 ? [] : createReadStream(file, { end: size - 1, highWaterMark: 256 * 1024 })
  const written = await present(stores.get(location), `The location ${location}`).write(
    scope.shop,
    asSource(bytes),
  )
  return { ...written, location }
}

async function* asSource(
  bytes: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array> {
  yield* bytes
}

/** A running transfer creates its staging file shortly before its row. */
const MIN_AGE_MS = 10 * 60_000

/** Removes old staging files without a transfer. */
async function removeUnknown(
  { database, staging }: RecoveryParts,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  const { rows } = await database.pool.query<{ write_id: string }>(
    `select write_id::text from drop_entries where write_id::text = any($1)`,
    [names],
  )
  const known = new Set(rows.map(({ write_id }) => write_id))
  for (const name of names) {
    if (known.has(name)) continue
    const file = path.join(staging, name)
    const changed = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    )
    if (changed < Date.now() - MIN_AGE_MS) await rm(file, { force: true })
  }
}
