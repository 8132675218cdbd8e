// `npm run bench download`: counted downloads against a bare stream that counts nothing, each a process of its own,
// loaded by a third one. Every request that was served must have been counted, or the bench fails.
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { openDatabase, type Database } from '../../server/db/database.ts'
import { startEmbedded } from '../../server/db/embedded.ts'
import { forShop } from '../../server/db/for-shop.ts'
import { migrate } from '../../server/db/migrate.ts'
import { createLinks } from '../../server/files/links.ts'
import { createLogger } from '../../server/log.ts'
import { createSecrets } from '../../server/secrets.ts'
import { compare, peakMegabytes, startPart, type Bench, type Context, type Row } from './bench.ts'
import type { Load, Measured } from './download/load.ts'
import { createDiskStore } from '../../server/store/disk.ts'

const CONNECTIONS = 64
const KINDS = [
  { name: 'small', what: '100 KB', size: 100_000, links: 1000, requests: 10_000, unit: 'files/s', floor: 0.95 },
  {
    name: 'large',
    what: '100 MB',
    size: 100_000_000,
    links: 4,
    requests: 64,
    unit: 'MB/s',
    floor: 0.95,
  },
] as const

const secret = randomBytes(32).toString('hex')

interface Prepared {
  ours: Record<string, string[]>
  theirs: Record<string, string[]>
}

/** The same bytes for both: ours found by link, theirs by name. */
async function prepare(database: Database, folder: string): Promise<Prepared> {
  const blobs = path.join(folder, 'blobs')
  await mkdir(path.join(folder, 'bare'), { recursive: true })
  const store = createDiskStore({ folder: blobs })
  const shop = await database.pool.query<{ id: number }>(
    `insert into shops (domain, name, demo) values ('bench.myshopify.com', 'Bench', true) returning id`,
  )
  const scope = forShop(database, shop.rows[0]!.id)
  const prepared: Prepared = { ours: {}, theirs: {} }
  for (const kind of KINDS) {
    const bytes = randomBytes(kind.size)
    const files: string[] = []
    for (let at = 0; at < kind.links; at++) {
      bytes.writeUInt32LE(at)
      const { hash } = await store.write(scope.shop, chunksOf(bytes))
      const name = `${kind.name}-${at}`
      await writeFile(path.join(folder, 'bare', name), bytes)
      files.push(await insertFile(scope, name, hash, kind.size))
    }
    const made = await createLinks(scope, createSecrets(secret), { file_ids: files, download_limit: null }, new Date())
    prepared.ours[kind.name] = made.map(({ key }) => `/download?key=${key}`)
    prepared.theirs[kind.name] = files.map((_, at) => `/${kind.name}-${at}`)
  }
  return prepared
}

async function* chunksOf(bytes: Buffer) {
  yield bytes
}

async function insertFile(scope: ReturnType<typeof forShop>, name: string, hash: string, size: number) {
  const [file] = await scope.query<{ id: string }>(
    `with blob as (
       insert into blobs (shop_id, hash, size_bytes) values (:shop, decode(:hash, 'hex'), :size)
     ), at as (
       insert into blob_locations (shop_id, hash, location) values (:shop, decode(:hash, 'hex'), 'primary')
     ), file as (
       insert into files (shop_id, filename, name_key, extension, size_bytes, content_type, channel)
       values (:shop, :name, :name, '', :size, 'application/octet-stream', 'api') returning id
     ), version as (
       insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select :shop, id, 1, decode(:hash, 'hex'), 'primary', :size, 'application/octet-stream' from file
     )
     select id from file`,
    { name, hash, size },
  )
  return file!.id
}

async function measure(context: Context, database: Database, url: string, prepared: Prepared): Promise<Row[]> {
  const settings = { url, secret, folder: path.join(context.folder, 'blobs') }
  const sizes = Object.fromEntries(KINDS.map(({ name, size }) => [name, size]))
  const load = await startPart(new URL('./download/load.ts', import.meta.url), {})
  const profile = process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : []
  const ours = await startPart(new URL('./download/ours.ts', import.meta.url), settings, profile)
  const bare = { folder: path.join(context.folder, 'bare'), sizes }
  const theirs = await startPart(new URL('./download/bare.ts', import.meta.url), bare)
  const rows: Row[] = []
  let served = 0
  for (const kind of KINDS) {
    const ask = (port: number, paths: readonly string[], requests: number) =>
      load.ask<Measured>({ port, paths, connections: CONNECTIONS, requests } satisfies Load)
    const rate = ({ served, bytes, seconds }: Measured) => (kind.unit === 'MB/s' ? bytes / 1e6 : served) / seconds
    const figures = { ours: [] as number[], theirs: [] as number[] }
    for (let round = 0; round <= context.rounds; round++) {
      // The first round only warms up both.
      const requests = round === 0 ? Math.ceil(kind.requests / 4) : kind.requests
      const mine = await ask(ours.ready as number, prepared.ours[kind.name]!, requests)
      const other = await ask(theirs.ready as number, prepared.theirs[kind.name]!, requests)
      served += mine.served
      for (const { refused } of [mine, other])
        if (Object.keys(refused).length > 0) throw new Error(`Requests were refused: ${JSON.stringify(refused)}`)
      if (round === 0) continue
      figures.ours.push(rate(mine))
      figures.theirs.push(rate(other))
      context.say(
        `${kind.what}, round ${round}: ${rate(mine).toFixed(0)} against ${rate(other).toFixed(0)} ${kind.unit}`,
      )
    }
    rows.push(compare(`${kind.what}, ${CONNECTIONS} connections`, kind.unit, figures.ours, figures.theirs, kind))
  }
  await requireCounted(database, served)
  const peaks = await Promise.all([ours, theirs].map(({ pid }) => peakMegabytes(pid)))
  rows.push(compare('peak memory', 'MB', [peaks[0]!], [peaks[1]!]))
  await Promise.all([load, ours, theirs].map((part) => part.stop()))
  return rows
}

async function requireCounted(database: Database, served: number): Promise<void> {
  const { rows } = await database.pool.query<{ downloads: number }>(
    'select sum(downloads)::bigint as downloads from links',
  )
  if (rows[0]!.downloads !== served) throw new Error(`${served} requests were served, ${rows[0]!.downloads} counted`)
}

export const download: Bench = {
  name: 'download',
  run: async (context) => {
    const log = createLogger('warn')
    const server = await startEmbedded(context.folder, log)
    const database = openDatabase(server.url, 4, log)
    try {
      await migrate(database)
      context.say('writing the files')
      const prepared = await prepare(database, context.folder)
      return await measure(context, database, server.url, prepared)
    } finally {
      await database.close()
      await server.stop()
    }
  },
}
