import { randomBytes } from 'node:crypto'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import type { BlobStore } from '../../core/store/store.ts'
import { openDepot, type Depot } from '../../../test/delivery.ts'
import { someOf } from '../../../test/scale.ts'

const SIZE = 3_000_000
/**
 * A small file is sent in one piece; of a large one this many bytes are sent before its store
 * stalls.
 */
const FIRST = 100_000

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let release = () => {}
const released = new Promise<void>((resolve) => (release = resolve))
const ports: Record<string, number> = {}

/**
 * Stores that send the beginning of a file and then stall, so that only a revocation ends the
 * download.
 */
const stalling = (store: BlobStore): Record<string, BlobStore> => ({
  disk: {
    ...store,
    open: async (shop, hash) => {
      const reader = await store.open!(shop, hash)
      const read = async (into: Buffer, at: number) => {
        if (at > 0) await released
        return at > 0 ? 0 : reader.read(into.subarray(0, FIRST), at)
      }
      return { ...reader, read }
    },
  },
  bucket: {
    ...store,
    open: undefined as never,
    read: async () =>
      Readable.from(
        (async function* () {
          yield randomBytes(FIRST)
          await released
        })(),
      ),
  },
})

beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  for (const [name, store] of Object.entries(stalling(depot.store)))
    ports[name] = await depot.serve({ stores: new Map([['primary', store]]) })
})
afterAll(async () => {
  release()
  await depot.close()
  await database.drop()
})

/** Begins a download; `ended` resolves with the end of its connection. */
async function begin(port: number, path: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet({ port, host: '127.0.0.1', path, agent: false }, resolve).on('error', reject)
  })
  const ended = new Promise<string>((resolve) => {
    response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    response.on('end', () => resolve('whole'))
  })
  await new Promise((resolve) => response.once('data', resolve))
  response.resume()
  return { status: response.statusCode, ended }
}

const WITHDRAWALS = [
  ['revoking', `update links set revoked_at = now() where file_id = $1`],
  ['a new key', `update links set key_hash = sha256(key_hash) where file_id = $1`],
  ['the trash', `update files set deleted_at = now() where id = $1`],
  ['unmapping', `update files set mapping_state = 'unmapped' where id = $1`],
  [
    'uninstalling',
    `update shops set uninstalled_at = now() where id = (select shop_id from files where id = $1)`,
  ],
] as const

const OF_PUBLIC_FILES = [
  ['making it private', `update files set visibility = 'private' where id = $1`],
  ['the trash', `update files set deleted_at = now() where id = $1`],
] as const

describe.each(someOf(['disk', 'bucket'] as const, (_, at) => at < 1))(
  'a running download from a %s',
  (kind) => {
    /** In npm test each withdrawal has one kind of store, and in soak both. */
    const here = <T>(withdrawals: readonly T[]) =>
      someOf(withdrawals, (_, at) => (kind === 'disk') === (at % 2 === 0))

    test.each(here(WITHDRAWALS))(
      'of a link is ended by %s, in another process',
      async (_, change) => {
        const other = await begin(
          ports[kind]!,
          `/download?key=${(await depot.addLink(randomBytes(SIZE))).key}`,
        )
        const { key, file } = await depot.addLink(randomBytes(SIZE))
        const download = await begin(ports[kind]!, `/download?key=${key}`)
        expect([download.status, other.status]).toEqual([200, 200])
        await database.pool.query(change, [file])
        expect(await download.ended).toBe('ECONNRESET')
        await database.pool.query('update shops set uninstalled_at = null')
        // Downloads with another valid permission continue.
        if (!change.includes('shops'))
          expect(await Promise.race([other.ended, looked(kind)])).toBe('looked')
      },
    )

    test.each(here(OF_PUBLIC_FILES))('of a public file is ended by %s', async (_, change) => {
      const { path, file } = await depot.addPublic(randomBytes(SIZE))
      const download = await begin(ports[kind]!, path)
      await database.pool.query(change, [file])
      expect(await download.ended).toBe('ECONNRESET')
    })

    test('continues when its link expires or is used up', async () => {
      const { key, id } = await depot.addLink(randomBytes(SIZE), { download_limit: 1 })
      const download = await begin(ports[kind]!, `/download?key=${key}`)
      await depot.setLink(id, { expires_at: new Date(0), downloads: 1 })
      expect(await Promise.race([download.ended, looked(kind)])).toBe('looked')
    })
  },
)

/** Resolves when the process has checked its downloads again, which ends another withdrawn one. */
async function looked(kind: string): Promise<'looked'> {
  const { key, id } = await depot.addLink(randomBytes(SIZE))
  const download = await begin(ports[kind]!, `/download?key=${key}`)
  await depot.setLink(id, { revoked_at: new Date() })
  await download.ended
  return 'looked'
}
