// `npm run bench bulk`: bulk actions on 100,000 files, with their ledger and undo data, compared
// with raw SQL that makes the same changes to the same tables; an export compared with COPY; image
// compression compared with plain sharp.
import path from 'node:path'
import { openDatabase } from '../../server/core/db/database.ts'
import { forShop } from '../../server/core/db/for-shop.ts'
import { createLogger } from '../../server/core/log.ts'
import { fillMirror } from '../mirror.ts'
import type { Bench, Context, Row } from './bench.ts'
import { exportRows } from './bulk/export.ts'
import { memoryRows, openWorld, raw, versus, type Comparison, type World } from './engine.ts'
import { imageRows } from './images.ts'

const FILES = 100_000
const MANY = FILES.toLocaleString('en')
const VARIANTS_PER_PRODUCT = 5

const all = { filter: {} }

const tags: Comparison = {
  what: `add a tag to ${MANY} files`,
  files: FILES,
  body: (round) => ({
    action: 'tag-files',
    select: all,
    options: { mode: 'add', tags: [`ours-${round}`] },
  }),
  raw: (world, round) =>
    raw(
      world,
      `update files set tags = tags || $2::text[], updated_at = now() where shop_id = $1
        and deleted_at is null`,
      [world.shop, [`raw-${round}`]],
      FILES,
    ),
  reset: ({ pool, shop }) =>
    pool.query('update files set tags = tags[1:2] where shop_id = $1', [shop]),
}

const settings: Comparison = {
  what: `update settings of ${MANY} files`,
  files: FILES,
  body: (round) => ({
    action: 'update-settings',
    select: all,
    options: { expiry_days: 100 + round, cdn: round % 2 === 0 },
  }),
  raw: (world, round) =>
    raw(
      world,
      `update files set expiry_days = $2, cdn = $3, updated_at = now() where shop_id = $1
        and deleted_at is null`,
      [world.shop, 200 + round, round % 2 === 0],
      FILES,
    ),
}

const rename: Comparison = {
  what: `rename ${MANY} files`,
  files: FILES,
  body: (round) => ({
    action: 'rename-files',
    select: all,
    options: { pattern: `ours ${round} {sequence}`, digits: 7 },
  }),
  raw: (world, round) =>
    raw(
      world,
      `update files f set filename = n.name, name_key = lower(n.name), updated_at = now()
       from (select id, $2 || lpad((row_number() over (order by id))::text, 7, '0') || '.' ||
         extension as name
         from files where shop_id = $1 and deleted_at is null) n
       where f.shop_id = $1 and f.id = n.id`,
      [world.shop, `Raw ${round} `],
      FILES,
    ),
}

/** Mapping by the SKU at the beginning of the file name. */
const map: Comparison = {
  what: `map ${MANY} files by the SKUs in their names`,
  files: FILES,
  body: () => ({ action: 'map-products', select: all, options: { match_by: ['filename'] } }),
  raw: (world) =>
    raw(
      world,
      `with hit as (
         select f.id, v.product_id, v.id as variant_id, v.sku, p.title
         from files f
         join variants v on v.shop_id = f.shop_id
           and v.sku_key = left(f.name_key, -length(f.extension) - 1)
         join products p on p.shop_id = v.shop_id and p.id = v.product_id
         where f.shop_id = $1 and f.deleted_at is null
       ), put as (
         insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method,
           score, reason)
         select $1, id, product_id, variant_id, title, sku, 'filename', 1,
           'Its name begins with the SKU ' || sku from hit
       )
       update files set mapping_state = 'mapped', updated_at = now() from hit
       where files.shop_id = $1 and files.id = hit.id`,
      [world.shop],
      FILES,
    ),
  reset: unmap,
}

async function unmap({ pool, shop }: World): Promise<void> {
  await pool.query('delete from mappings where shop_id = $1', [shop])
  await pool.query(`update files set mapping_state = 'never' where shop_id = $1`, [shop])
  await pool.query('vacuum analyze mappings')
}

/** Each file name without its extension is the SKU of a variant; five variants per product. */
async function fillCatalog({ pool, shop }: World): Promise<void> {
  const { rows } = await pool.query<{ sku: string }>(
    `select left(filename, -length(extension) - 1) as sku from files where shop_id = $1
      order by id`,
    [shop],
  )
  const products = Array.from({ length: rows.length / VARIANTS_PER_PRODUCT }, (_, n) => ({
    title: `Product ${n + 1}`,
    skus: rows
      .slice(n * VARIANTS_PER_PRODUCT, (n + 1) * VARIANTS_PER_PRODUCT)
      .map(({ sku }) => sku),
  }))
  const database = openDatabase(pool.options.connectionString!, 2, createLogger('error'))
  await fillMirror(forShop(database, shop), products)
  await database.close()
}

/**
 * The other measurements, on one large shop. The export is first, while some files have products
 * and links.
 */
async function shopRows(context: Context): Promise<Row[]> {
  const world = await openWorld(path.join(context.folder, 'bulk'), FILES)
  try {
    if (context.brief) return [await versus(context, world, tags)]
    const rows = await exportRows(context, world, FILES)
    for (const one of [tags, settings, rename]) rows.push(await versus(context, world, one))
    await unmap(world)
    await fillCatalog(world)
    return [...rows, await versus(context, world, map)]
  } finally {
    await world.close()
  }
}

export const bulk: Bench = {
  name: 'bulk',
  run: async (context) => {
    const rows = await shopRows(context)
    if (context.brief) return rows
    return [
      ...rows,
      ...(await memoryRows(context, 'an export', { action: 'export-files' })),
      ...(await imageRows(context)),
    ]
  },
}
