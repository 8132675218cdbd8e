// Inserts a row into every table with a shop_id, derived from the live schema, so that tables of
// later migrations are included automatically. A table that cannot be filled is reported by name
// and needs an entry in VALUES.
import { createHash } from 'node:crypto'
import type pg from 'pg'

interface Column {
  name: string
  type: string
  required: boolean
}

interface ForeignKey {
  columns: string[]
  target: string
  targets: string[]
  deferred: boolean
}

interface Table {
  name: string
  columns: Column[]
  keys: ForeignKey[]
  /** The first value that a check constraint allows, by column. */
  allowed: Map<string, string>
}

/** Returns a value for a column; undefined: the default value. */
export type Plant = (table: string, column: string, type: string) => unknown

type Row = Record<string, unknown>

/** Columns that a usual row has, although not every row must. */
const OTHERS_FILLED: readonly string[] = ['api_keys.hash']

/** Values that the schema alone does not determine, such as checks over several columns. */
const VALUES: Readonly<Record<string, Row>> = {
  api_keys: { granted_to: null, granted_shop: null },
  buyer_pages: { logo: null, logo_type: null },
  drop_entries: { kind: 'file', state: 'waiting', parent_id: null },
  files: { available_from: '2027-03-01', ask_for: 'email' },
  licence_keys: { revoked_by: null },
  links: { pack_id: null, pack_name: null, parent_id: null, delivery_id: null },
  mapping_rules: { sku_template: 'GUIDE-1', product_id: null, product_title: null },
  operations: { undoes: null, undone_by: null, schedule_id: null },
  triggers: {
    kind: 'times',
    cron: '0 3 * * *',
    action: null,
    built_in: null,
    source: null,
    event: null,
  },
  versions: { number: 1 },
}

const COLUMNS = `
  select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull and not a.atthasdef and a.attidentity = '' as required
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and a.attnum > 0
    and not a.attisdropped and a.attgenerated = ''
    and exists (select from pg_attribute s where s.attrelid = c.oid and s.attname = 'shop_id')
  order by c.relname, a.attnum`
const KEYS = `
  select f.relname as "table", t.relname as target, k.condeferred as deferred,
    (select json_agg(attname order by n) from unnest(k.conkey) with ordinality u (num, n)
       join pg_attribute on attrelid = k.conrelid and attnum = u.num) as columns,
    (select json_agg(attname order by n) from unnest(k.confkey) with ordinality u (num, n)
       join pg_attribute on attrelid = k.confrelid and attnum = u.num) as targets
  from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f'`
const CHECKS = `
  select c.relname as "table", pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class c on c.oid = k.conrelid where k.contype = 'c'`

/** All tables with a shop_id, with their columns. */
export async function readTables(pool: pg.Pool): Promise<Table[]> {
  const [columns, keys, checks] = await Promise.all([
    pool.query<Column & { table: string }>(COLUMNS),
    pool.query<ForeignKey & { table: string }>(KEYS),
    pool.query<{ table: string; definition: string }>(CHECKS),
  ])
  const names = [...new Set(columns.rows.map(({ table }) => table))]
  return names.map((name) => ({
    name,
    columns: columns.rows.filter(({ table }) => table === name),
    keys: keys.rows.filter(({ table }) => table === name),
    allowed: new Map(
      checks.rows.flatMap(({ table, definition }) => {
        const match = /\(?(\w+) = ANY \(ARRAY\['([^']*)'/.exec(definition)
        return table === name && match ? [[match[1]!, match[2]!] as const] : []
      }),
    ),
  }))
}

/**
 * Inserts one row of the shop into each table, in one transaction. Returns the rows by table.
 * Throws an error that names the tables that could not be filled.
 */
export async function fillEveryTable(
  pool: pg.Pool,
  shop: number,
  plant: Plant = () => undefined,
): Promise<Map<string, Row>> {
  const tables = await readTables(pool)
  const filled = new Map<string, Row>()
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (let left = tables; left.length > 0;) {
      const ready = left.filter(({ name, keys }) => isReady(name, keys, left))
      if (ready.length === 0) throw notFilled(left, 'they refer to each other')
      for (const table of ready)
        filled.set(table.name, await fill(client, table, shop, filled, plant))
      left = left.filter(({ name }) => !filled.has(name))
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
  return filled
}

const isReady = (name: string, keys: readonly ForeignKey[], left: readonly Table[]) =>
  keys.every(
    ({ target, deferred }) =>
      deferred || target === name || !left.some((other) => other.name === target),
  )

const notFilled = (tables: readonly Pick<Table, 'name'>[], why: string) =>
  new Error(`test/every-table.ts cannot fill ${tables.map(({ name }) => name).join(', ')}: ${why}`)

async function fill(
  client: pg.PoolClient,
  table: Table,
  shop: number,
  filled: ReadonlyMap<string, Row>,
  plant: Plant,
): Promise<Row> {
  const row = rowOf(table, shop, filled, plant)
  const names = Object.keys(row)
  try {
    const { rows } = await client.query<Row>(
      `insert into ${table.name} (${names.map((name) => `"${name}"`).join(', ')})
       values (${names.map((_, at) => `$${at + 1}`).join(', ')}) on conflict do nothing returning *`,
      Object.values(row),
    )
    if (rows[0]) return rows[0]
    // A trigger has filled it.
    const there = await client.query<Row>(`select * from ${table.name} where shop_id = $1`, [shop])
    if (there.rows[0]) return there.rows[0]
    throw new Error('it has this row already, of another shop')
  } catch (error) {
    throw notFilled([table], String(error))
  }
}

function rowOf(table: Table, shop: number, filled: ReadonlyMap<string, Row>, plant: Plant): Row {
  const row: Row = {}
  for (const { name, type, required } of table.columns) {
    if (name === 'shop_id') continue
    const planted = plant(table.name, name, type)
    if (planted !== undefined) row[name] = planted
    else if (table.allowed.has(name)) row[name] = table.allowed.get(name)
    else if (required || OTHERS_FILLED.includes(`${table.name}.${name}`))
      row[name] = valueOf(type, `${table.name}.${name}.${shop}`)
  }
  for (const { columns, target, targets, deferred } of table.keys) {
    const referenced = target === table.name || deferred ? undefined : filled.get(target)
    columns.forEach((name, at) => {
      if (name !== 'shop_id' && referenced) row[name] = referenced[targets[at]!]
    })
  }
  return { ...row, ...known(table), shop_id: shop }
}

/** Only columns that the table has. */
const known = ({ name, columns }: Table): Row =>
  Object.fromEntries(
    Object.entries(VALUES[name] ?? {}).filter(([column]) =>
      columns.some((one) => one.name === column),
    ),
  )

function valueOf(type: string, seed: string): unknown {
  if (type.endsWith('[]')) return []
  if (type === 'jsonb') return '{}'
  if (type === 'bytea') return createHash('sha256').update(seed).digest()
  if (type === 'uuid') return uuidOf(seed)
  if (type === 'boolean') return false
  if (type.startsWith('timestamp') || type === 'date') return new Date()
  return type === 'text' ? seed : 1
}

const uuidOf = (seed: string) =>
  createHash('sha256')
    .update(seed)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-7$3-8$4-$5')
