// What the schema says about a table that a migration divides by month, for tests of the migration.
import type pg from 'pg'

/** The parts that have rows. */
export async function partsIn(
  client: Pick<pg.ClientBase, 'query'> | pg.Pool,
  table: string,
): Promise<string[]> {
  const { rows } = await client.query<{ part: string }>(
    `select distinct tableoid::regclass::text as part from ${table} order by 1`,
  )
  return rows.map(({ part }) => part)
}

/** The indexes, columns, constraints and settings of a table. */
export async function schemaOf(pool: pg.Pool, table: string): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(
    `select indexdef as text from pg_indexes where tablename = '${table}'
     union all select column_name || ' ' || data_type || ' ' || is_nullable || coalesce(column_default, '')
       from information_schema.columns where table_name = '${table}'
     union all select conname || pg_get_constraintdef(oid) from pg_constraint
       where conrelid = '${table}'::regclass
     union all select array_to_string(reloptions, ',') from pg_class where oid = '${table}'::regclass
     order by 1`,
  )
  return rows.map(({ text }) => text)
}
