import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { fillEveryTable, readTables } from '../../../test/every-table.ts'
import type { Database } from './database.ts'
import { dumpDatabase, loadDump, type Dump } from './dump.ts'
import { migrationsOf } from './migrate.ts'
import { makeMonths, readParts } from './month-parts.ts'
import { soakTest, someOf } from '../../../test/scale.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let folder: string
let dump: Dump
const quiet = () => {}
beforeAll(async () => {
  database = await openTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-dump-'))
  await fillEveryTable(database.pool, await createTestShop(database))
  await database.pool.query(
    `select graphile_worker.add_job('upkeep', $1::json, job_key := 'one')`,
    [JSON.stringify({ text: 'a tab\t, a quote " and a \\ in two\nlines' })],
  )
  dump = await dumpDatabase(database, folder, quiet)
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

async function emptyDatabase() {
  const other = await openTestDatabase()
  onTestFinished(() => other.drop())
  return other
}

const tables = async () => [
  'shops',
  'graphile_worker._private_jobs',
  ...(await readTables(database.pool)).map(({ name }) => name),
]

async function contentOf({ pool }: Database): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {}
  for (const table of await tables()) {
    const { rows } = await pool.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t order by 1`,
    )
    all[table] = rows.map(({ row }) => row)
  }
  return all
}

const constraintsOf = async ({ pool }: Database) =>
  (
    await pool.query(
      `select conrelid::regclass::text as on, conname, pg_get_constraintdef(oid) as definition, convalidated
       from pg_constraint order by 1, 2`,
    )
  ).rows
const triggersOf = async ({ pool }: Database) =>
  (
    await pool.query(
      `select tgrelid::regclass::text as on, tgname, tgenabled from pg_trigger
       where not tgisinternal order by 1, 2`,
    )
  ).rows

test('every row of every table is loaded; keys, triggers and sequences are as before', async () => {
  const other = await emptyDatabase()
  await loadDump(other, folder, dump, quiet)
  const content = await contentOf(database)
  expect(Object.values(content).every((rows) => rows.length > 0)).toBe(true)
  expect(await contentOf(other)).toEqual(content)
  expect(await constraintsOf(other)).toEqual(await constraintsOf(database))
  expect(await triggersOf(other)).toEqual(await triggersOf(database))
  // New rows get new numbers.
  await createTestShop(other, 'next.myshopify.com')
  await other.pool.query(`select graphile_worker.add_job('upkeep', job_key := 'two')`)
})

soakTest('large tables are dumped as they are', async () => {
  const { pool } = database
  const second = await mkdtemp(path.join(folder, 'large-'))
  await pool.query(
    `insert into platform_changes (shop_id, kind, subject, payload)
     select min(id), 'test', n::text, jsonb_build_object('text', repeat(md5(n::text), 1 + n % 40))
     from shops, generate_series(1, 20000) n group by n`,
  )
  onTestFinished(
    async () => void (await pool.query(`delete from platform_changes where kind = 'test'`)),
  )
  const large = await dumpDatabase(database, second, quiet)
  const other = await emptyDatabase()
  await loadDump(other, second, large, quiet)
  const sum = async ({ pool: any }: Database) =>
    (
      await any.query(
        `select count(*), md5(string_agg(t::text, '' order by t::text)) from platform_changes t`,
      )
    ).rows
  expect(await sum(other)).toEqual(await sum(database))
})

/** Which part has which rows. */
const divided = async ({ pool }: Database) =>
  (
    await pool.query(
      `select tableoid::regclass::text as part, count(*), min(id::text) from downloads group by 1 order by 1`,
    )
  ).rows

soakTest('a table that is divided by month gets the months of the dump', async () => {
  const { pool } = database
  const second = await mkdtemp(path.join(folder, 'divided-'))
  const months = (await readParts(pool, 'downloads')).map(({ from }) => from).filter(Boolean)
  await pool.query(
    `insert into downloads (shop_id, id, file_id, address, agent, at)
     select 1, id, id, '', '', now() from unnest($1::uuid[]) id`,
    [months],
  )
  onTestFinished(async () => void (await pool.query(`delete from downloads where id = file_id`)))
  const dumped = await dumpDatabase(database, second, quiet)
  const other = await emptyDatabase()
  // A database that is younger, or older.
  await makeMonths(other.pool, 'downloads', new Date('2100-01-01'))
  await loadDump(other, second, dumped, quiet)
  expect(await readParts(other.pool, 'downloads')).toEqual(await readParts(pool, 'downloads'))
  expect(await divided(other)).toEqual(await divided(database))
  const settings = async ({ pool: any }: Database) =>
    (
      await any.query(
        `select relname, reloptions from pg_class where relname ~ '^downloads' and relkind = 'r' order by 1`,
      )
    ).rows
  expect(await settings(other)).toEqual(await settings(database))
})

test('a file that is cut off or has other rows loads nothing', async () => {
  const file = path.join(folder, 'public.shops.copy.gz')
  const whole = await readFile(file)
  const other = await emptyDatabase()
  const before = await constraintsOf(other)
  const spoilers = [
    async () => truncate(file, (await stat(file)).size - 8),
    () => writeFile(file, gzipSync('')),
    () => writeFile(file, gzipSync('not a row\n')),
    () => rm(file),
  ]
  for (const spoil of someOf(spoilers, (_, at) => at === 0)) {
    await spoil()
    await expect(loadDump(other, folder, dump, quiet)).rejects.toThrow()
    await writeFile(file, whole)
    expect((await contentOf(other)).files).toEqual([])
    expect(await constraintsOf(other)).toEqual(before)
  }
  await loadDump(other, folder, dump, quiet)
})

test('a dump is of one moment: what is written meanwhile is in no table', async () => {
  const second = await mkdtemp(path.join(folder, 'second-'))
  let written: Promise<unknown> | undefined
  // The snapshot was taken before the first table.
  const during = await dumpDatabase(database, second, () => {
    written ??= database.pool.query(
      `insert into shops (domain, name) values ('late.example', 'Late')`,
    )
  })
  await written
  const rowsIn = ({ tables }: Dump) => tables.find(({ name }) => name === 'shops')?.rows
  expect(rowsIn(during)).toBe(rowsIn(dump))
})

test('a dump of a newer version is refused, and names what is missing', async () => {
  await expect(migrationsOf([...dump.migrations, '9999_later'])).rejects.toThrow(
    'A newer version is needed: this one has no migration 9999_later.',
  )
  const earlier = await migrationsOf(dump.migrations.slice(0, 3))
  expect(await earlier.getMigrations([])).toHaveLength(3)
})
