// Compares writing an export with COPY of the same rows in the same order.
import path from 'node:path'
import { compare, SERVER_FLAGS, startPart, type Context, type Row } from '../bench.ts'
import { operate, type World } from '../engine.ts'

const MIN_OF_COPY = 0.5

/** The fastest plan for all files of a shop: each table is read once. */
const COPY = (shop: number) => `
  copy (
    select f.filename, f.size_bytes, (f.created_at at time zone 'UTC')::date as upload_date,
      m.products,
      array_to_string(f.tags, ';') as tags,
      coalesce(l.downloads, 0) + coalesce(a.downloads, 0) as downloads, f.expiry_days,
      f.download_limit
    from files f
    left join (select file_id, string_agg(distinct product_id, ';') as products from mappings
      where shop_id = ${shop}
      group by file_id) m on m.file_id = f.id
    left join (select file_id, sum(served) as downloads from links
      where shop_id = ${shop} group by file_id) l
      on l.file_id = f.id
    left join public_addresses a on a.shop_id = f.shop_id and a.file_id = f.id
    where f.shop_id = ${shop} and f.deleted_at is null order by f.id
  ) to stdout with (format csv, header)`

/**
 * Creates an operation on the first `count` files, with its selection frozen as the engine does it.
 */
async function freeze({ pool, shop }: World, count: number): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total, status)
     values ($1, 'bulk', 'export-files', 'bench', '{}', 'bench', $2, 'paused') returning id`,
    [shop, count],
  )
  const { id } = rows[0]!
  await pool.query(
    `insert into item_batches (shop_id, operation_id, position, file_ids)
     select $1, $2, min(position), array_agg(id order by position)
     from (select id, row_number() over (order by id) - 1 as position from files where shop_id = $1
       order by id limit $3) f
     group by position / 2000`,
    [shop, id, count],
  )
  return id
}

/** Gives every third file a link with one download. */
const fillLinks = ({ pool, shop }: World) =>
  pool.query(
    `insert into links (shop_id, file_id, key_hash, served)
     select shop_id, id, sha256(id::text::bytea), 2 from files where shop_id = $1
       and hashtext(id::text) % 3 = 0`,
    [shop],
  )

export async function exportRows(context: Context, world: World, files: number): Promise<Row[]> {
  await fillLinks(world)
  const operation = await freeze(world, files)
  await world.pool.query('vacuum analyze')
  const rows = await speed(context, world, operation, files)
  await world.pool.query(`delete from operations where channel = 'bench'`)
  return rows
}

const settingsOf = ({ pool, shop }: World, folder: string) => ({
  url: pool.options.connectionString,
  shop,
  folder,
})

async function speed(
  context: Context,
  world: World,
  operation: string,
  files: number,
): Promise<Row[]> {
  const folder = path.join(context.folder, 'exports')
  const part = await startPart(
    new URL('./ours.ts', import.meta.url),
    settingsOf(world, folder),
    SERVER_FLAGS,
  )
  const [ours, whole, theirs]: [number[], number[], number[]] = [[], [], []]
  const perSecond = (ms: number) => (files * 1000) / ms
  for (let round = 0; round <= context.rounds; round++) {
    context.say(
      `export of ${files.toLocaleString('en')} files, round ${round} of ${context.rounds}`,
    )
    const [copyMs] = await part.ask<[number, number]>({ sql: COPY(world.shop) })
    const [writeMs, bytes] = await part.ask<[number, number]>({ operation })
    if (bytes < files * 50) throw new Error(`The export has ${bytes} bytes`)
    const operationMs = await operate(
      world,
      { action: 'export-files', select: { filter: {} } },
      files,
    )
    // The first round is warm-up.
    if (round === 0) continue
    theirs.push(perSecond(copyMs))
    ours.push(perSecond(writeMs))
    whole.push(perSecond(operationMs))
  }
  await part.stop()
  return [
    compare('export written, against COPY TO', 'files/s', ours, theirs, { floor: MIN_OF_COPY }),
    compare('the whole operation, from request to end, against COPY TO', 'files/s', whole, theirs),
  ]
}
