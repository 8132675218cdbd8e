// Migrations only expand the schema: the version before runs on it until its processes are replaced
// (CONTRIBUTING.md, "Add a migration"). Applies them one after another and compares the schema.
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../server/core/db/database.ts'
import { migrate, migrationsOf } from '../server/core/db/migrate.ts'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { createTestDatabase, silent } from './database.ts'
import type { Database } from '../server/core/db/database.ts'

/**
 * What a migration may contract, as `0050_name: orders.old_column`, and the release that was the
 * last to use it.
 */
const ALLOWED: Readonly<Record<string, string>> = {}

/** The schema of the first release, by area: later migrations change it. */
const FIRST = '0007'
const ALL = readdirSync(path.resolve(import.meta.dirname, '../migrations'))
  .filter((name) => /^\d{4}_/.test(name))
  .map((name) => name.replace(/\.ts$/, ''))
  .sort()

/** Each column as `table.column`, and each function as `function()`, with what callers rely on. */
type Schema = ReadonlyMap<string, { type: string; required: boolean }>

async function readSchema({ pool }: Pick<Database, 'pool'>): Promise<Schema> {
  const { rows } = await pool.query<{ name: string; type: string; required: boolean }>(
    `select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
       a.attnotnull and a.attidentity = '' and not a.atthasdef as required
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
       and a.attnum > 0 and not a.attisdropped
     union all
     select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
       pg_get_function_result(p.oid), false
     from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  )
  return new Map(rows.map(({ name, ...rest }) => [name, rest]))
}

const tableOf = (name: string) => name.split('.')[0]

/** What the version before relies on and does not find any more. */
function contractions(before: Schema, after: Schema): string[] {
  const tables = new Set([...before.keys()].map(tableOf))
  const lost = [...before].flatMap(([name, { type, required }]) => {
    const now = after.get(name)
    if (!now) return [name]
    if (now.type !== type) return [`${name} (${type} becomes ${now.type})`]
    return now.required && !required ? [`${name} (becomes required)`] : []
  })
  // A row that the version before inserts lacks the new column.
  const required = [...after].filter(
    ([name, column]) => column.required && !before.has(name) && tables.has(tableOf(name)),
  )
  return [...lost, ...required.map(([name]) => `${name} (new, and required)`)]
}

test('no migration drops, renames or narrows what the version before uses', async () => {
  const { url, drop } = await createTestDatabase('template1')
  const database = openDatabase(url, 4, silent)
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  const later = ALL.filter((name) => name.slice(0, FIRST.length) > FIRST)
  const first = ALL.slice(0, ALL.length - later.length)
  await migrate(database, { migrations: await migrationsOf(first) })
  let before = await readSchema(database)
  const found: string[] = []
  for (const [at, name] of later.entries()) {
    const applied = [...first, ...later.slice(0, at + 1)]
    await migrate(database, { migrations: await migrationsOf(applied) })
    const after = await readSchema(database)
    found.push(...contractions(before, after).map((what) => `${name}: ${what}`))
    before = after
  }
  // In the list: the release after which nothing used it.
  expect(found.filter((each) => ALLOWED[each] === undefined)).toEqual([])
  // An entry that applies to nothing is left over.
  expect(Object.keys(ALLOWED).filter((each) => !found.includes(each))).toEqual([])
})

test('the comparison finds each kind of contraction', () => {
  const schema = (columns: Record<string, [type: string, required: boolean]>): Schema =>
    new Map(Object.entries(columns).map(([name, [type, required]]) => [name, { type, required }]))
  const before = schema({
    'files.name': ['text', false],
    'files.size': ['integer', true],
    'links.key': ['bytea', true],
    'read_review()': ['trigger', false],
  })
  const after = schema({
    'files.title': ['text', true],
    'files.name': ['text', true],
    'files.size': ['bigint', true],
    'moves.id': ['uuid', true],
  })
  expect(contractions(before, after)).toEqual([
    'files.name (becomes required)',
    'files.size (integer becomes bigint)',
    'links.key',
    'read_review()',
    'files.title (new, and required)',
  ])
  expect(contractions(before, before)).toEqual([])
})
