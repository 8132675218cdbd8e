// What the tables and their indexes take on disk, for each of their rows.
import type { Database } from '../../../server/core/db/database.ts'
import type { Row } from '../bench.ts'

const TABLES = [
  'files',
  'versions',
  'mappings',
  'links',
  'downloads',
  'items',
  'blob_locations',
  'file_downloads',
  'file_days',
  'file_counts',
  'outbox',
]

/** One row a table: bytes of a row with its indexes, and those of the indexes alone. */
export async function sizeRows({ pool }: Pick<Database, 'pool'>): Promise<Row[]> {
  const { rows } = await pool.query<{ name: string; rows: number; heap: number; indexes: number }>(
    // A divided table is its parts.
    `select c.relname as name, greatest(sum(p.reltuples), 1)::float8 as rows,
       sum(pg_table_size(p.oid))::float8 as heap, sum(pg_indexes_size(p.oid))::float8 as indexes
     from pg_class c cross join lateral (select coalesce(t.relid, c.oid) as part from (select) one
       left join pg_partition_tree(c.oid) t on t.isleaf) parts
     join pg_class p on p.oid = parts.part
     where c.oid = any($1::regclass[]) group by 1 order by array_position($1::text[], c.relname::text)`,
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
