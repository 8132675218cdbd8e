// Starts the import of an export of another app: its files, or links for its buyers.
import { type Mapping, say, sayPlain, type Workflow } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { firstOf } from '../../core/lazy.ts'
import type { Engine } from '../../engine/engine.ts'
import { csvChannel } from '../csv/channel.ts'
import { startImport, type ImportFile } from '../imports/start.ts'
import { resolveAccess, type BuyerAccess } from './access.ts'
import type { ExportedAccess } from './buyer-rows.ts'
import type { ExportedFile } from './file-rows.ts'
import { noteMovedFiles, presentAddresses, type MovedFile } from './moved-files.ts'
import { markStarted, readMoveRows, requireUnstarted, type StoredMove } from './moves.ts'
import { productFinder, refsOf, type FindProduct } from './products.ts'

export interface MoveStart {
  /** Whether each buyer gets an email with the links. */
  email: boolean
  requestedBy: string
  idempotencyKey: string | undefined
  /** How the operation was started, for one about buyers. */
  channel: string
  now: Date
  /** Throws if the caller lacks one of these scopes. */
  permit(scopes: readonly 'links:write'[]): void
}

/** Returns the operation's UUID. Throws `not_found`, `conflict`, and `too_few` if nothing is left. */
export function startMove(
  engine: Engine,
  scope: ShopScope,
  id: string,
  start: MoveStart,
): Promise<string> {
  return scope.transaction(async (tx) => {
    const move = await requireUnstarted(tx, id)
    const operation =
      move.kind === 'files'
        ? await startFiles(engine, tx, move, start)
        : await startBuyers(engine, tx, move, start)
    await markStarted(tx, id, operation)
    return operation
  })
}

async function startFiles(
  engine: Engine,
  tx: ShopScope,
  move: StoredMove,
  { requestedBy, idempotencyKey }: MoveStart,
): Promise<string> {
  const exported = await readMoveRows<ExportedFile>(tx, move.id)
  const byUrl = Map.groupBy(exported, ({ url }) => url)
  const present = await presentAddresses(tx, [...byUrl.keys()])
  const fresh = [...byUrl.values()].filter((of) => !present.has(firstOf(of).url))
  if (fresh.length === 0)
    throw new AppError('too_few', {
      message: say('Your shop has all files of this export already'),
    })
  const find = await productFinder(
    tx,
    move.app,
    exported.flatMap(({ product }) => product ?? []),
  )
  const operation = await startImport(engine, tx, csvChannel, {
    files: fresh.map((of) => importOf(of, find)),
    label: move.filename,
    // The export names the products of its files.
    auto_map: false,
    requestedBy,
    idempotencyKey,
  })
  await noteMovedFiles(
    tx,
    operation,
    fresh.map((of, position) => movedOf(move.app, of, position)),
  )
  return operation
}

/** One file for all rows with its address. The first row decides about its settings. */
function importOf(of: readonly ExportedFile[], find: FindProduct): ImportFile {
  const { filename, product, url, expiry_days, download_limit } = firstOf(of)
  const products = of.flatMap((one) => (one.product ? (find(one.product)?.mapping ?? []) : []))
  const tags = [...new Set(of.flatMap((one) => one.tags ?? []))]
  return {
    filename,
    expiry_days,
    download_limit,
    source: { type: 'url', url },
    on_conflict: 'rename',
    ...(products.length > 0
      ? { products: withoutDuplicates(products) }
      : { product_sku: product?.sku }),
    ...(tags.length > 0 ? { tags } : {}),
  }
}

const withoutDuplicates = (mappings: readonly Mapping[]): Mapping[] => [
  ...new Map(mappings.map((one) => [`${one.product_id} ${one.variant_id ?? ''}`, one])).values(),
]

const movedOf = (app: string, of: readonly ExportedFile[], position: number): MovedFile => ({
  position,
  url: firstOf(of).url,
  refs: [
    ...new Set(
      of.flatMap(({ product, download }) => (product ? refsOf(app, product, download) : [])),
    ),
  ],
  expiry_days: firstOf(of).expiry_days ?? null,
})

/** The action of an import of buyers. */
export const GIVE_ACCESS = 'give-access'

const workflowOf = (move: string, email: boolean): Workflow => ({
  id: GIVE_ACCESS,
  title: sayPlain('Move buyers'),
  action: GIVE_ACCESS,
  kind: 'bulk',
  parallel: 1,
  steps: [{ id: 'give', plugin: GIVE_ACCESS, options: { move, email } }],
})

async function startBuyers(
  engine: Engine,
  tx: ShopScope,
  move: StoredMove,
  { email, requestedBy, idempotencyKey, channel, now, permit }: MoveStart,
): Promise<string> {
  permit(['links:write'])
  const rows = await readMoveRows<ExportedAccess>(tx, move.id)
  const { links } = await resolveAccess(tx, move.app, rows, now)
  if (links.length === 0)
    throw new AppError('too_few', { message: say('No buyer of this export lacks a link') })
  await storeAccess(tx, move.id, links)
  return engine.start(tx, {
    workflow: workflowOf(move.id, email),
    channel,
    label: move.filename,
    request: {},
    requestedBy,
    source: { type: 'files', ids: [...new Set(links.map(({ file_id }) => file_id))] },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}

async function storeAccess(
  tx: ShopScope,
  move: string,
  links: readonly BuyerAccess[],
): Promise<void> {
  const rows = links.map(({ file_id, email, limit, expires }) => ({
    file_id,
    email,
    own_limit: limit === 'own',
    own_expiry: expires === 'own',
    download_limit: limit === 'own' ? null : limit,
    expires_at: expires === 'own' ? null : expires,
  }))
  await tx.query(
    `insert into move_access (shop_id, move_id, file_id, email, own_limit, download_limit,
       own_expiry, expires_at)
     select :shop, :move, file_id, email, own_limit, download_limit, own_expiry, expires_at
     from jsonb_to_recordset(:rows::jsonb) as g(file_id uuid, email text, own_limit boolean,
       download_limit int, own_expiry boolean, expires_at timestamptz)`,
    { move, rows: JSON.stringify(rows) },
  )
}
