// The files to download: the product finds them by link, the reference by name; the bytes are the
// same.
import { mkdir, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Database } from '../../../server/core/db/database.ts'
import { forShop, type ShopScope } from '../../../server/core/db/for-shop.ts'
import { createLinks } from '../../../server/features/links/model/creation.ts'
import { createSecrets } from '../../../server/core/secrets.ts'
import { createDiskStore } from '../../../server/core/store/disk.ts'

export interface Kind {
  name: string
  size: number
  links: number
}

export interface Stage {
  secret: string
  scope: ShopScope
  /** Folders of the product's blobs, by hash, and of the reference's files, by name. */
  blobs: string
  bare: string
  /** By kind: the files, and the paths to request. */
  files: Record<string, string[]>
  ours: Record<string, string[]>
  theirs: Record<string, string[]>
}

export async function setStage(
  database: Database,
  folder: string,
  kinds: readonly Kind[],
): Promise<Stage> {
  const shop = await database.pool.query<{ id: number }>(
    `insert into shops (domain, name, demo) values ('bench.myshopify.com', 'Bench', true)
       returning id`,
  )
  const stage: Stage = {
    secret: randomBytes(32).toString('hex'),
    scope: forShop(database, shop.rows[0]!.id),
    blobs: path.join(folder, 'blobs'),
    bare: path.join(folder, 'bare'),
    files: {},
    ours: {},
    theirs: {},
  }
  await mkdir(stage.bare, { recursive: true })
  for (const kind of kinds) {
    stage.files[kind.name] = await writeFiles(stage, kind)
    stage.ours[kind.name] = await linkPaths(stage, stage.files[kind.name]!, null)
    stage.theirs[kind.name] = stage.files[kind.name]!.map((_, at) => `/${kind.name}-${at}`)
  }
  return stage
}

/** Creates one link with this limit for each file. */
export async function linkPaths(
  { scope, secret }: Stage,
  file_ids: readonly string[],
  download_limit: number | null,
) {
  const links = await createLinks(
    scope,
    createSecrets(secret),
    { file_ids, download_limit },
    new Date(),
  )
  return links.map(({ key }) => `/download?key=${key}`)
}

async function writeFiles({ scope, blobs, bare }: Stage, kind: Kind): Promise<string[]> {
  const store = createDiskStore({ folder: blobs })
  const bytes = randomBytes(kind.size)
  const files: string[] = []
  for (let at = 0; at < kind.links; at++) {
    bytes.writeUInt32LE(at)
    const { hash } = await store.write(scope.shop, chunksOf(bytes))
    const name = `${kind.name}-${at}`
    await writeFile(path.join(bare, name), bytes)
    files.push(await insertFile(scope, name, hash, kind.size))
  }
  return files
}

async function* chunksOf(bytes: Buffer) {
  yield bytes
}

async function insertFile(scope: ShopScope, name: string, hash: string, size: number) {
  const [file] = await scope.query<{ id: string }>(
    `with blob as (
       insert into blobs (shop_id, hash, size_bytes) values (:shop, decode(:hash, 'hex'), :size)
     ), at as (
       insert into blob_locations (shop_id, hash, location)
         values (:shop, decode(:hash, 'hex'), 'primary')
     ), file as (
       insert into files (shop_id, filename, name_key, extension, size_bytes, content_type, channel)
       values (:shop, :name, :name, '', :size, 'application/octet-stream', 'api') returning id
     ), version as (
       insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select :shop, id, 1, decode(:hash, 'hex'), 'primary', :size, 'application/octet-stream'
         from file
     )
     select id from file`,
    { name, hash, size },
  )
  return file!.id
}
