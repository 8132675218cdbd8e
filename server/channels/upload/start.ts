// Uploads that are complete become entries of the shop's own workflow for them, or of import-upload: one operation for
// all of a batch that are there, or one for an upload that came by itself.
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

/** Starts the operation over these uploads, inside the caller's transaction; gives its UUID. */
export async function startImport(
  engine: Engine,
  tx: ShopScope,
  uploads: readonly (UploadRow & { replaces?: string })[],
  about: { request: Request; requestedBy: string; idempotencyKey?: string | undefined },
): Promise<string> {
  const { settings } = await readShop(tx)
  const entries = uploads.map(({ id, filename, on_conflict, tags, replaces }) => ({
    entry: {
      ...{ filename, source: { type: 'upload', id }, on_conflict },
      ...(replaces === undefined ? {} : { replaces }),
    } satisfies Entry,
    draft: draftOf({ filename, tags }, settings),
  }))
  const operation = await engine.start(tx, {
    workflow: (await attachedWorkflow(tx, 'upload', engine.plugins)) ?? engine.workflow('import-upload')!,
    channel: 'upload',
    source: { type: 'entries', entries },
    request: about.request,
    requestedBy: about.requestedBy,
    ...(about.idempotencyKey === undefined ? {} : { idempotencyKey: about.idempotencyKey }),
  })
  await tx.query(
    `update uploads set operation_id = :operation, position = place.n - 1
     from unnest(:ids::uuid[]) with ordinality as place(id, n) where shop_id = :shop and uploads.id = place.id`,
    { operation, ids: uploads.map(({ id }) => id) },
  )
  return operation
}
