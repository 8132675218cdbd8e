// Writes all tables of the product to compressed files as of one moment, and reads them into an
// empty database. The schema itself comes from the migrations, so a dump has only rows, and the parts
// of tables that are divided by month.
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type pg from 'pg'
import type { Database } from './database.ts'
import { copyRowsIn, copyRowsOut } from './copy.ts'

export interface DumpedTable {
  schema: string
  name: string
  columns: string[]
  rows: number
  /** Absent: the table is not divided. */
  parts?: DumpedPart[] | null
}

interface DumpedPart {
  name: string
  /** The range of the part, as SQL: `FOR VALUES FROM … TO …`. */
  bound: string
  /** The storage settings of the part, as SQL. */
  settings: string | null
}

export interface DumpedSequence {
  schema: string
  name: string
  value: number
}

export interface Dump {
  /** Our migrations that the database had. */
  migrations: string[]
  /** The newest of the queue's own. */
  workerMigration: number
  tables: DumpedTable[]
  sequences: DumpedSequence[]
}

const SCHEMAS = `('public', 'graphile_worker')`
/** Written by the migrations themselves. */
const OWN = `('knex_migrations', 'knex_migrations_lock', 'migrations')`

const TABLES = `
  select n.nspname as schema, c.relname as name,
    array_agg(a.attname::text order by a.attnum) as columns,
    (select json_agg(json_build_object('name', p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid),
       'settings', array_to_string(p.reloptions, ', ')) order by p.relname)
     from pg_inherits i join pg_class p on p.oid = i.inhrelid
     where i.inhparent = c.oid and c.relkind = 'p') as parts
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = ''
  where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p') and not c.relispartition and c.relname not in ${OWN}
  group by c.oid, 1, 2 order by 1, 2`
const SEQUENCES = `
  select schemaname as schema, sequencename as name, last_value as value from pg_sequences
  where schemaname in ${SCHEMAS} and last_value is not null
    and sequencename not like 'knex_migrations%'`
const FOREIGN_KEYS = `
  select conrelid::regclass::text as table, quote_ident(conname) as name,
    pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace::regnamespace::text in ${SCHEMAS}
    and conparentid = 0`

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const tableOf = ({ schema, name }: Pick<DumpedTable, 'schema' | 'name'>) =>
  `${quoted(schema)}.${quoted(name)}`
const withColumns = (table: DumpedTable) =>
  `${tableOf(table)} (${table.columns.map(quoted).join(', ')})`
const fileOf = (folder: string, { schema, name }: DumpedTable) =>
  path.join(folder, `${schema}.${name}.copy.gz`)

/** Every row is read in one transaction, so all tables are of one moment. */
export async function dumpDatabase(
  { direct }: Pick<Database, 'direct'>,
  folder: string,
  progress: (table: string) => void,
): Promise<Dump> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return withClient(direct, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    const { rows } = await client.query<Omit<DumpedTable, 'rows'>>(TABLES)
    const migrations = await client.query<{ name: string }>(
      'select name from knex_migrations order by id',
    )
    const worker = await client.query<{ id: number }>(
      'select max(id) as id from graphile_worker.migrations',
    )
    const tables: DumpedTable[] = []
    for (const table of rows) {
      progress(`${table.schema}.${table.name}`)
      tables.push(await dumpTable(client, folder, { ...table, rows: 0 }))
    }
    // Sequences have no snapshot: they are read last, so none is behind the rows.
    const sequences = await client.query<DumpedSequence>(SEQUENCES)
    await client.query('commit')
    return {
      migrations: migrations.rows.map(({ name }) => name),
      workerMigration: worker.rows[0]?.id ?? 0,
      tables,
      sequences: sequences.rows,
    }
  })
}

async function dumpTable(
  client: pg.ClientBase,
  folder: string,
  table: DumpedTable,
): Promise<DumpedTable> {
  // All rows of a divided table are in its parts.
  const source = table.parts
    ? `(select ${table.columns.map(quoted).join(', ')} from ${tableOf(table)})`
    : withColumns(table)
  const { stream, rows } = copyRowsOut(client, source)
  const file = fileOf(folder, table)
  await pipeline(stream, createGzip({ level: 3 }), createWriteStream(file, { mode: 0o600 }))
  await syncFile(file)
  return { ...table, rows: rows() }
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * In one transaction: the database has all rows afterwards, or none. All foreign keys are checked.
 * Throws if a table has another number of rows than the dump.
 */
export async function loadDump(
  { direct }: Pick<Database, 'direct'>,
  folder: string,
  dump: Dump,
  progress: (table: string) => void,
): Promise<void> {
  await withClient(direct, async (client) => {
    await client.query('begin')
    const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(
      FOREIGN_KEYS,
    )
    for (const { table, name } of keys)
      await client.query(`alter table ${table} drop constraint ${name}`)
    // Their effects are in the dump already.
    const { rows: present } = await client.query<DumpedTable>(TABLES)
    const names = dump.tables.map(tableOf)
    for (const name of names) await client.query(`alter table ${name} disable trigger user`)
    await client.query(`truncate ${names.join(', ')}`)
    for (const table of dump.tables) {
      progress(`${table.schema}.${table.name}`)
      await remakeParts(client, table, present)
      await loadTable(client, folder, table)
    }
    for (const name of names) await client.query(`alter table ${name} enable trigger user`)
    for (const { table, name, definition } of keys)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`)
    for (const sequence of dump.sequences)
      await client.query('select setval($1::regclass, $2)', [tableOf(sequence), sequence.value])
    await client.query('commit')
    await client.query('analyze')
  })
}

/** Divides the empty table as the dumped one, whose months this database may not have. */
async function remakeParts(
  client: pg.ClientBase,
  table: DumpedTable,
  present: readonly DumpedTable[],
): Promise<void> {
  if (!table.parts) return
  const own = present.find(({ schema, name }) => schema === table.schema && name === table.name)
  const partOf = (name: string) => tableOf({ schema: table.schema, name })
  for (const { name } of own?.parts ?? []) await client.query(`drop table ${partOf(name)}`)
  for (const { name, bound, settings } of table.parts)
    await client.query(
      `create table ${partOf(name)} partition of ${tableOf(table)} ${bound}
         ${settings ? `with (${settings})` : ''}`,
    )
}

async function loadTable(client: pg.ClientBase, folder: string, table: DumpedTable): Promise<void> {
  let rows = 0
  await pipeline(
    createReadStream(fileOf(folder, table)),
    createGunzip(),
    async (source: AsyncIterable<Buffer>) => {
      rows = await copyRowsIn(client, withColumns(table), source)
    },
  )
  if (rows !== table.rows)
    throw new Error(`The dump of ${table.name} has ${rows} rows instead of ${table.rows}.`)
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>) {
  const client = await pool.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    // Closed: it may be in the middle of a transaction, or of a table.
    client.release(true)
    throw error
  }
}
