// For tests of delivery: a shop with files on a real disk, links, and delivery on a real socket.
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { openDatabase, type Database } from '../server/core/db/database.ts'
import { forShop } from '../server/core/db/for-shop.ts'
import {
  openListener,
  type NotificationChannel,
  type Listener,
} from '../server/core/db/listener.ts'
import { createLinks, type NewLinks } from '../server/features/links/model/creation.ts'
import { ensurePublicAddresses, publicPath } from '../server/files/public-addresses.ts'
import { createLogger } from '../server/core/log.ts'
import { downloadMessages } from '../server/features/downloads/download-notices.ts'
import { createSecrets } from '../server/core/secrets.ts'
import { createDiskStore } from '../server/core/store/disk.ts'
import type { WrittenBlob } from '../server/core/store/store.ts'
import {
  createDelivery,
  type Delivery,
  type DeliveryParts,
} from '../server/features/downloads/downloads.ts'
import { deliveryAddress } from '../server/features/downloads/request.ts'
import { createTestShop, openTestDatabase } from './database.ts'
import { sha256Of } from './fakes/content.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

export interface ServeOptions extends Partial<DeliveryParts> {
  /** Handles the other paths of the same origin. */
  others?: RequestListener
}

export type Depot = Awaited<ReturnType<typeof openDepot>>

const silent = createLogger('error', () => {})

/** For a server that receives no notifications. */
export const deaf: Pick<Listener, 'on'> = { on: () => () => {} }

/** A depot of a new shop in the file's own database, and the port on which it serves. */
export async function openTestDepot() {
  const database = await openTestDatabase()
  const depot = await openDepot(database, await createTestShop(database))
  const port = await depot.serve()
  const end = async () => {
    await depot.close()
    await database.drop()
  }
  return { database, depot, port, end }
}

export type TestDepot = Awaited<ReturnType<typeof openTestDepot>>

/** `close` removes everything except the database. The clock advances only when a test sets it. */
export async function openDepot(database: Database, shop: number) {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-delivery-'))
  const store = createDiskStore({ folder })
  let opened: Promise<Listener> | undefined
  const listener = () => (opened ??= openListener(database.url, silent))
  const secrets = createSecrets('a secret of at least thirty-two characters')
  const scope = forShop(database, shop)
  await database.pool.query('update shops set name = $1 where id = $2', ['Harbour & Sons', shop])
  const time = { now: new Date('2026-03-01T12:00:00Z') }
  const logged: string[] = []
  const closings: (() => Promise<unknown>)[] = []
  const deliveries: Delivery[] = []
  let names = 0
  const written = new WeakMap<Uint8Array, Promise<WrittenBlob & { sha256: string }>>()

  /** Large bytes are the same for many links of a test file, and hashing them takes long. */
  async function write(bytes: Uint8Array): Promise<WrittenBlob & { sha256: string }> {
    const blob = await written.get(bytes)
    if (blob && (await store.size(shop, blob.hash)) !== null) return blob
    const writing = store
      .write(shop, once(bytes))
      .then((blob) => ({ ...blob, sha256: sha256Of(bytes) }))
    written.set(bytes, writing)
    return writing
  }

  /** `pack_id` and `pack_position`: its place in a pack. */
  async function addFile(
    bytes: Uint8Array,
    { pack_id, pack_position = 1, ...fields }: Record<string, unknown> = {},
  ): Promise<string> {
    const { hash, sha256, size_bytes } = await write(bytes)
    const name = `file-${names++}`
    const about = { size_bytes, content_type: String(fields.content_type ?? 'application/pdf') }
    return scope.transaction(async (tx) => {
      const raw = Buffer.from(hash, 'hex')
      const digest = Buffer.from(sha256, 'hex')
      await tx.insert('blobs', { hash: raw, size_bytes, sha256: digest }).onConflict().ignore()
      await tx.insert('blob_locations', { hash: raw, location: 'primary' }).onConflict().ignore()
      const came = new Date('2026-02-03T04:05:06.789Z')
      const usual = {
        filename: name,
        name_key: name,
        extension: '',
        channel: 'api',
        version_since: came,
      }
      const [file] = (await tx
        .insert('files', { ...usual, ...about, ...fields })
        .returning('id')) as [{ id: string }]
      const bytes = { hash: raw, location: 'primary', created_at: came, ...about }
      await tx.insert('versions', { file_id: file.id, number: 1, ...bytes })
      if (typeof pack_id === 'string')
        await tx.insert('pack_files', { pack_id, file_id: file.id, position: pack_position })
      return file.id
    })
  }

  /** Starts a server with its own delivery and pool. */
  async function serve({ others, ...options }: ServeOptions = {}): Promise<number> {
    const own = openDatabase(database.url, 6, silent)
    const log = createLogger('info', (line) => void logged.push(line))
    const clock = () => time.now
    const delivery = createDelivery({
      database: own,
      listener: options.listener ?? (await listener()),
      stores: new Map([['primary', store]]),
      secrets,
      log,
      clock,
      trustProxy: false,
      baseUrl: 'http://shop.test',
      messages: downloadMessages(own, clock),
      ...options,
    })
    deliveries.push(delivery)
    const server = createServer((req, res) => {
      if (others && deliveryAddress(req.url) === null) others(req, res)
      else void delivery.handle(req, res)
    })
    const port = await listen(server)
    closings.push(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await delivery.close()
      await own.close()
    })
    return port
  }

  async function setRow(
    table: 'files' | 'links',
    id: string,
    fields: Record<string, unknown>,
  ): Promise<number> {
    const changed = await scope
      .from(table)
      .where({ id } as never)
      .update(fields as never)
    invalidate()
    return changed
  }
  const flush = () => Promise.all(deliveries.map((delivery) => delivery.flush()))
  const invalidate = () => deliveries.forEach((delivery) => delivery.invalidate(shop))
  /**
   * Sends a notification and waits until every delivery has received it. All notifications sent
   * before have then arrived too.
   */
  async function notify(channel: NotificationChannel): Promise<void> {
    const { on } = await listener()
    const received = new Promise<void>((resolve) => {
      const stop = on(channel, () => (stop(), resolve()))
    })
    await database.pool.query('select pg_notify($1, $2)', [channel, `${shop}/${randomUUID()}`])
    await received
  }

  return {
    database,
    store,
    folder,
    secrets,
    shop,
    scope,
    time,
    logged,
    serve,
    /** The delivery of the server that was started last. */
    lastDelivery: () => deliveries.at(-1)!,
    addFile,
    /** Creates a file of these bytes; returns the key of a link to it. */
    addLink: async (
      bytes: Uint8Array,
      terms: Omit<NewLinks, 'file_ids'> = {},
      file: Record<string, unknown> = {},
    ) => {
      const id = await addFile(bytes, file)
      const [link] = await createLinks(
        scope,
        secrets,
        { download_limit: null, ...terms, file_ids: [id] },
        time.now,
      )
      return { key: link!.key, id: link!.id, file: id }
    },
    /** Gives the file a second version, after its links were made: their clock is that of the database. */
    replaceFile: async (file: string, bytes: Uint8Array) => {
      const { hash, size_bytes } = await store.write(shop, [bytes] as never)
      const values = { file, hash, size_bytes }
      await scope.transaction(async (tx) => {
        await tx.query(
          `insert into blobs (shop_id, hash, size_bytes)
           values (:shop, decode(:hash, 'hex'), :size_bytes) on conflict do nothing`,
          values,
        )
        await tx.query(
          `insert into blob_locations (shop_id, hash, location)
           values (:shop, decode(:hash, 'hex'), 'primary') on conflict do nothing`,
          values,
        )
        await tx.query(
          `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
           values (:shop, :file, 2, decode(:hash, 'hex'), 'primary', :size_bytes, 'application/pdf')`,
          values,
        )
        await tx.query(
          `update files set version = 2, size_bytes = :size_bytes, version_since = now() + interval '1 minute'
           where shop_id = :shop and id = :file`,
          values,
        )
      })
      invalidate()
    },
    /** Creates a public file; returns its path. */
    addPublic: async (bytes: Uint8Array, fields: Record<string, unknown> = {}) => {
      const file = await addFile(bytes, { visibility: 'public', ...fields })
      await ensurePublicAddresses(scope, [file])
      const [row] = await scope.query<{ token: string; filename: string }>(
        `select token, filename from public_addresses a join files f on f.shop_id = a.shop_id
           and f.id = a.file_id
         where a.shop_id = :shop and a.file_id = :file`,
        { file },
      )
      return { file, token: row!.token, path: `/${publicPath(row!.token, row!.filename)}` }
    },
    publicDownloads: async (file: string) => {
      const [row] = await scope.query<{ downloads: number }>(
        'select downloads from public_addresses where shop_id = :shop and file_id = :file',
        { file },
      )
      return row!.downloads
    },
    /** Changes a file as the API of the same process does. */
    /** Puts the file into this pack alone; null: into none. */
    placeFile: async (file: string, pack: string | null, position = 1) => {
      await scope
        .from('pack_files')
        .where({ file_id: file } as never)
        .delete()
      if (pack !== null)
        await scope.insert('pack_files', { pack_id: pack, file_id: file, position })
      invalidate()
    },
    setFile: (id: string, fields: Record<string, unknown>) => setRow('files', id, fields),
    setLink: (id: string, fields: Record<string, unknown>) => setRow('links', id, fields),
    downloads: async (link: string) => {
      await flush()
      const [row] = await scope.query<{ downloads: number; served: number }>(
        `select downloads, served::integer as served from links where shop_id = :shop
          and id = :link`,
        { link },
      )
      return row!
    },
    /** Flushes counts as an API request that reads links does. */
    flush,
    /** Invalidates links as an API request that changes them does. */
    invalidate,
    /** Notifies as an operation that makes progress does. */
    operationProgress: () => notify('operation_progress'),
    /**
     * Waits for the notifications of committed changes. Its own notification invalidates nothing.
     */
    notificationsArrived: () => notify('operation_control'),
    close: async () => {
      await Promise.all(closings.map((close) => close()))
      await (await opened)?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export const get = (
  port: number,
  key: string,
  headers: Record<string, string> = {},
  method = 'GET',
) => visit(port, `/download?key=${key}`, headers, method)

/** Sends the form to request more downloads, as a browser does. */
export const askForMore = (
  port: number,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return visit(
    port,
    '/download/ask',
    { ...type, ...headers },
    'POST',
    new URLSearchParams(form).toString(),
  )
}

export function visit(
  port: number,
  target: string,
  headers: Record<string, string> = {},
  method = 'GET',
  sent = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, host: '127.0.0.1', path: target, method, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const body = Buffer.concat(chunks)
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body,
            // Decoding the bytes of every download took most of the processor time of the tests.
            get text() {
              return body.toString()
            },
          })
        })
      },
    )
    request.on('error', reject)
    request.end(sent)
  })
}

/** The address to which the button of a link's page leads; `page`: the address of its form. */
export async function pressed(
  port: number,
  page: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const { status, headers: answered } = await visit(port, page, headers, 'POST')
  if (status !== 303) throw new Error(`The button answered ${status}`)
  return new URL(answered.location ?? '', `http://a${page}`).href.slice('http://a'.length)
}

/**
 * Requests a file, reads at least this many bytes and resets the connection, as a client does whose
 * user cancels.
 */
export function breakOff(
  port: number,
  target: string,
  headers: Record<string, string> = {},
  length = 1,
): Promise<{ status: number; etag: string }> {
  return new Promise((resolve, reject) => {
    const about = { port, host: '127.0.0.1', path: target, headers, agent: false as const }
    const request = httpRequest(about, (response) => {
      let read = 0
      response.on('data', (chunk: Buffer) => {
        read += chunk.length
        if (read >= length) request.destroy()
      })
      const result = { status: response.statusCode ?? 0, etag: response.headers.etag ?? '' }
      response.on('error', () => {}).on('close', () => resolve(result))
    })
    request.on('error', reject).end()
  })
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
}
