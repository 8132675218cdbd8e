// Starts the import of complete uploads: one operation that grows with the files of a batch, or one
// for a single upload.
import type { EntrySettings } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { firstOf, present } from '../../core/lazy.ts'
import type { Engine } from '../../engine/engine.ts'
import { MAX_TAGS, normalizeTags } from '../../files/rules.ts'
import {
  importEntries,
  startImport,
  type ImportFile,
  type ImportRequest,
  type NamedProducts,
} from '../imports/start.ts'
import { uploadChannel } from './channel.ts'
import type { UploadRow } from './rows.ts'

type Import = UploadRow & { replaces?: string }

/** What a batch says about all of its files. */
export interface FileChoices extends EntrySettings, NamedProducts {
  tags?: readonly string[] | undefined
  /** The name of a pack, which is created if there is none. */
  pack?: string | undefined
  packs?: string[] | undefined
}

/** Starts the operation over these uploads, inside the caller's transaction; returns its UUID. */
export async function importUploads(
  engine: Engine,
  tx: ShopScope,
  uploads: readonly Import[],
  request: Omit<ImportRequest, 'files'>,
  choices: FileChoices = {},
): Promise<string> {
  const operation = await startImport(engine, tx, uploadChannel, {
    ...request,
    files: uploads.map((upload) => fileOf(upload, choices)),
  })
  await recordPlaces(tx, operation, uploads, 0)
  return operation
}

/** Adds these uploads to a batch's operation; false: the operation is closed. */
export async function addToImport(
  engine: Engine,
  tx: ShopScope,
  operation: string,
  uploads: readonly Import[],
  choices: FileChoices,
): Promise<boolean> {
  const newest = await tx.query<{ name_key: string; position: number }>(
    `select name_key, max(position) as position from uploads
     where shop_id = :shop and batch_id = :batch and operation_id = :operation
       and name_key = any(:names::text[])
     group by name_key`,
    {
      operation,
      batch: firstOf(uploads).batch_id,
      names: uploads.flatMap(({ name_key }) => name_key ?? []),
    },
  )
  const before = new Map(newest.map(({ name_key, position }) => [name_key, position]))
  const entries = await importEntries(
    tx,
    uploads.map((upload) => fileOf(upload, choices)),
  )
  const first = await engine.add(
    tx,
    operation,
    uploads.map(({ name_key }, at) => ({
      ...present(entries[at], 'The entry of an upload'),
      after: before.get(name_key ?? '') ?? null,
    })),
  )
  if (first === null) return false
  await recordPlaces(tx, operation, uploads, first)
  return true
}

/** What its metadata says about a file applies before what its batch says about all files. */
const fileOf = (
  { id, filename, on_conflict, tags, replaces, metadata: { product_sku, pack } }: Import,
  { tags: common = [], pack: of, packs = of === undefined ? [] : [of], ...choices }: FileChoices,
): ImportFile => ({
  ...choices,
  ...(product_sku ? { product_sku } : {}),
  ...(pack ? { packs: [pack] } : packs.length > 0 ? { packs } : {}),
  filename,
  on_conflict,
  replaces,
  tags: normalizeTags([...tags, ...common]).slice(0, MAX_TAGS),
  source: { type: 'upload', id },
})

async function recordPlaces(
  tx: ShopScope,
  operation: string,
  uploads: readonly Import[],
  first: number,
) {
  await tx.query(
    `update uploads set operation_id = :operation, position = :first + place.n - 1
     from unnest(:ids::uuid[]) with ordinality as place(id, n)
     where shop_id = :shop and uploads.id = place.id`,
    { operation, first, ids: uploads.map(({ id }) => id) },
  )
}
