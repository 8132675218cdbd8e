// Uploads that are complete become entries of the shop's own workflow for them, or of import-upload: one
// operation that grows with the files of a batch, or one for an upload that came by itself.
import type { Entry } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { draftOf } from '../../files/drafts.ts'
import { readShop } from '../../files/shop-settings.ts'
import { attachedWorkflow } from '../../workflows/find.ts'
import type { UploadRow } from './rows.ts'

interface Request {
  auto_map?: boolean
  notify?: boolean
}

type Import = UploadRow & { replaces?: string }

interface About {
  request: Request
  requestedBy: string
  idempotencyKey?: string | undefined
  /** More files of the same batch are to be added to it. */
  open?: boolean
}

/** Starts the operation over these uploads, inside the caller's transaction; gives its UUID. */
export async function startImport(
  engine: Engine,
  tx: ShopScope,
  uploads: readonly Import[],
  { request, requestedBy, idempotencyKey, open = false }: About,
): Promise<string> {
  const operation = await engine.start(tx, {
    workflow: (await attachedWorkflow(tx, 'upload', engine.plugins)) ?? engine.workflow('import-upload')!,
    channel: 'upload',
    source: { type: 'entries', entries: await entriesOf(tx, uploads) },
    request,
    requestedBy,
    open,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
  await notePlaces(tx, operation, uploads, 0)
  return operation
}

/** Adds these uploads to a batch's operation; false: it takes no more. */
export async function addToImport(
  engine: Engine,
  tx: ShopScope,
  operation: string,
  uploads: readonly Import[],
): Promise<boolean> {
  const newest = await tx.query<{ name_key: string; position: number }>(
    `select name_key, max(position) as position from uploads
     where shop_id = :shop and batch_id = :batch and operation_id = :operation
       and name_key = any(:names::text[])
     group by name_key`,
    { operation, batch: uploads[0]!.batch_id, names: uploads.flatMap(({ name_key }) => name_key ?? []) },
  )
  const before = new Map(newest.map(({ name_key, position }) => [name_key, position]))
  const entries = await entriesOf(tx, uploads)
  const first = await engine.add(
    tx,
    operation,
    entries.map((each, at) => ({ ...each, after: before.get(uploads[at]!.name_key ?? '') ?? null })),
  )
  if (first === null) return false
  await notePlaces(tx, operation, uploads, first)
  return true
}

async function entriesOf(tx: ShopScope, uploads: readonly Import[]) {
  const { settings } = await readShop(tx)
  return uploads.map(({ id, filename, on_conflict, tags, replaces }) => ({
    entry: {
      ...{ filename, source: { type: 'upload', id }, on_conflict },
      ...(replaces === undefined ? {} : { replaces }),
    } satisfies Entry,
    draft: draftOf({ filename, tags }, settings),
  }))
}

async function notePlaces(tx: ShopScope, operation: string, uploads: readonly Import[], first: number) {
  await tx.query(
    `update uploads set operation_id = :operation, position = :first + place.n - 1
     from unnest(:ids::uuid[]) with ordinality as place(id, n)
     where shop_id = :shop and uploads.id = place.id`,
    { operation, first, ids: uploads.map(({ id }) => id) },
  )
}
