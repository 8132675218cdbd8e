// Text columns that are joined have one collation: with two, PostgreSQL uses no index for the join.
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database.ts'

/** Names of columns that mean different things in different tables, and are not joined. */
const UNRELATED: ReadonlySet<string> = new Set([
  'handle', // of a product, of a trigger
  'name',
  'subject', // of a webhook, of a sign-in
])

test('columns of one name, and ids with the ids that they refer to', async () => {
  const database = await openTestDatabase()
  try {
    const { rows } = await database.pool.query<{ table: string; name: string; collation: string }>(
      `select c.relname as "table", a.attname as name, l.collname as collation
       from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
       join pg_namespace s on s.oid = c.relnamespace and s.nspname = 'public'
       join pg_collation l on l.oid = a.attcollation
       where a.attnum > 0 and not a.attisdropped and c.relname not like 'knex%'`,
    )
    const named = (name: string, table: string) =>
      name === 'id' ? `${table.replace(/s$/, '')}_id` : name
    const groups = Map.groupBy(rows, ({ name, table }) => named(name, table))
    const mixed = [...groups].filter(
      ([name, columns]) =>
        !UNRELATED.has(name) && new Set(columns.map(({ collation }) => collation)).size > 1,
    )
    expect(
      mixed.map(([name, columns]) => [
        name,
        ...columns.map(({ table, collation }) => `${table} ${collation}`),
      ]),
    ).toEqual([])
  } finally {
    await database.drop()
  }
})
