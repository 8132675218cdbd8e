// What the tables and their indexes take on disk, for each of their rows.
import type { Database } from '../../../server/core/db/database.ts'
import type { Row } from '../bench.ts'

const TABLES = [
  ...['files', 'versions', 'mappings', 'links', 'downloads', 'items', 'blob_locations'],
  ...['file_downloads', 'file_days', 'file_counts', 'outbox'],
]

/** One row a table: bytes of a row with its indexes, and those of the indexes alone. */
export async function sizeRows({ pool }: Pick<Database, 'pool'>): Promise<Row[]> {
  const { rows } = await pool.query<{ name: string; rows: number; heap: number; indexes: number }>(
    `select relname as name, greatest(reltuples, 1)::float8 as rows,
       pg_table_size(oid)::float8 as heap, pg_indexes_size(oid)::float8 as indexes
     from pg_class where oid = any($1::regclass[]) order by array_position($1::text[], relname::text)`,
    [TABLES],
  )
  return rows.map(({ name, rows: count, heap, indexes }) => ({
    what: `bytes of a row of ${name}, and of its indexes alone`,
    ours: (heap + indexes) / count,
    theirs: indexes / count,
    unit: 'bytes',
    ratio: indexes / (heap + indexes),
  }))
}
