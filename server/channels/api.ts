// The API channel: what a storefront tool posted becomes entries of the shop's own workflow for them, or of import-api.
import type { Entry } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { Engine } from '../engine/engine.ts'
import { draftOf } from '../files/drafts.ts'
import { readShop } from '../files/shop-settings.ts'
import { attachedWorkflow } from '../workflows/find.ts'

export interface ApiImport {
  files: readonly {
    filename: string
    url: string
    product_sku?: string | undefined
    expiry_days?: number | null | undefined
    download_limit?: number | null | undefined
    tags?: readonly string[] | undefined
    /** The file whose next version it is to be, a bare UUID. */
    replaces?: string | undefined
  }[]
  auto_map?: boolean | undefined
  notify?: boolean | undefined
  on_conflict: Entry['on_conflict']
  callback_url?: string | undefined
}

/** Starts the import and gives its operation's UUID. */
export async function importFromApi(
  engine: Engine,
  scope: ShopScope,
  body: ApiImport,
  caller: { name: string; idempotencyKey: string | undefined },
): Promise<string> {
  const { settings } = await readShop(scope)
  const entries = body.files.map((file) => ({
    entry: {
      filename: file.filename,
      source: { type: 'url' as const, url: file.url },
      on_conflict: body.on_conflict,
      ...(file.product_sku ? { product_sku: file.product_sku } : {}),
      ...(file.replaces ? { replaces: file.replaces } : {}),
    },
    draft: draftOf(
      {
        filename: file.filename,
        ...(file.tags ? { tags: file.tags } : {}),
        ...(file.expiry_days === undefined ? {} : { expiry_days: file.expiry_days }),
        ...(file.download_limit === undefined ? {} : { download_limit: file.download_limit }),
      },
      settings,
    ),
  }))
  return engine.start(scope, {
    workflow: (await attachedWorkflow(scope, 'api', engine.plugins)) ?? engine.workflow('import-api')!,
    channel: 'api',
    source: { type: 'entries', entries },
    request: {
      ...(body.auto_map === undefined ? {} : { auto_map: body.auto_map }),
      ...(body.notify === undefined ? {} : { notify: body.notify }),
      ...(body.callback_url === undefined ? {} : { callback_url: body.callback_url }),
    },
    requestedBy: caller.name,
    ...(caller.idempotencyKey === undefined ? {} : { idempotencyKey: caller.idempotencyKey }),
  })
}
