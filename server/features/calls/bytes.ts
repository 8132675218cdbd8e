// GET /call-files/<token>: the contents of a file for a program that a step called, without a
// sign-in. The token names the stored bytes, with the time when the address ends, and is signed.
import type { Context, Next } from 'koa'
import { z } from 'zod'
import type { Item, StagedBlob } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import { requireHarmlessBytes } from '../../files/quarantine.ts'
import { contentTypeOf } from '../../files/rules.ts'
import type { WholeBlobs } from '../../files/whole-blobs.ts'
import { streamContent } from '../../http/content.ts'
import { fileHeaders } from '../../http/headers.ts'
import type { Mount } from '../../http/listen.ts'
import { createSigner, hasPassed, untilAfter } from '../downloads/signer.ts'

const CALL_FILES = '/call-files/'
/** Longer than a message is tried again, so that none arrives with an address that has ended. */
const VALID_SECONDS = 4 * 24 * 60 * 60

const tokenSchema = z.tuple([
  z.int(), // the shop's internal number
  z.string(), // the hash
  z.string(), // the location
  z.int(), // the size
  z.string(), // the end, in seconds
  z.string(), // the filename
  z.string(), // the type
])

export interface AddressParts {
  secrets: Pick<Secrets, 'derive' | 'deriveAll'>
  /** Without a trailing slash. */
  baseUrl: string
}

/** The addresses of the items' bytes, by the items' ids; items without bytes or in quarantine are absent. */
export async function addressesOf(
  scope: ShopScope,
  items: readonly Item[],
  parts: AddressParts,
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const stored = await storedBytes(scope, items)
  return new Map(
    items.flatMap((item) => {
      const bytes = item.staged ?? stored.get(item.file.id ?? '')
      if (!bytes) return []
      const named = { ...bytes, shop: scope.shop, filename: item.file.filename }
      return [[item.id, addressOfBytes(named, parts, now)]]
    }),
  )
}

/** The address of stored bytes. */
export function addressOfBytes(
  { shop, hash, location, size_bytes, filename }: PlacedBytes & { shop: number; filename: string },
  { secrets, baseUrl }: AddressParts,
  now: Date,
): string {
  const token: z.input<typeof tokenSchema> = [
    shop,
    hash,
    location,
    size_bytes,
    untilAfter(now, VALID_SECONDS),
    filename,
    contentTypeOf(filename),
  ]
  const content = Buffer.from(JSON.stringify(token)).toString('base64url')
  return `${baseUrl}${CALL_FILES}${content}.${createSigner(secrets, 'call').sign(content)}`
}

type PlacedBytes = Pick<StagedBlob, 'hash' | 'location' | 'size_bytes'>

/** The current bytes of files that no step has given new ones. */
async function storedBytes(
  scope: ShopScope,
  items: readonly Item[],
): Promise<ReadonlyMap<string, PlacedBytes>> {
  const ids = items.flatMap(({ staged, file }) => (staged || file.id === null ? [] : [file.id]))
  if (ids.length === 0) return new Map<string, PlacedBytes>()
  const rows = await scope.query<PlacedBytes & { id: string }>(
    `select f.id, encode(v.hash, 'hex') as hash, v.location, v.size_bytes
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version and not v.quarantined
     where f.shop_id = :shop and f.id = any(:ids::uuid[])`,
    { ids },
  )
  return new Map(rows.map(({ id, ...bytes }) => [id, bytes]))
}

export interface CalledBytesParts {
  database: Database
  blobs: WholeBlobs
  secrets: Pick<Secrets, 'derive' | 'deriveAll'>
  clock: () => Date
}

export function calledBytes({ database, blobs, secrets, clock }: CalledBytesParts): Mount {
  const signer = createSigner(secrets, 'call')
  const handle = async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
    const [content = '', signature = ''] = ctx.path.slice(CALL_FILES.length).split('.')
    if (!signer.isSigned(content, signature)) throw new AppError('not_found')
    const [shop, hash, location, size_bytes, until, filename, contentType] = tokenSchema.parse(
      JSON.parse(Buffer.from(content, 'base64url').toString()),
    )
    if (hasPassed(until, clock())) throw new AppError('not_found')
    await requireHarmlessBytes(forShop(database, shop), hash)
    const modifiedMs = (Number(until) - VALID_SECONDS) * 1000
    await streamContent(ctx, blobs, { shop, hash, location, size_bytes, modifiedMs }, (identity) =>
      fileHeaders({ ...identity, filename, contentType, sha256: null }),
    )
  }
  return { path: CALL_FILES, route: CALL_FILES, handle }
}
