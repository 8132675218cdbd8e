// Statistics of tables that were never analyzed.
// Without them the planner expects one row of a shop: docs/decisions/0097.
import type pg from 'pg'
import { isLockRefused } from './error-classes.ts'

/**
 * Tells the planner, for each empty table without statistics, that all its rows may belong to one shop,
 * and that few of them have the same value in the rest of an index. By default it expects one row
 * for each `shop_id`: each index begins with this column, so it reads all rows of the shop by any of
 * them for each row of a join. Autovacuum analyzes a table a minute after its first rows at the
 * earliest, and replaces what is written here. A table that the user may not maintain is left alone.
 */
export async function writeFirstStatistics(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  await pool
    .query(
      `with unknown as (
       -- Of a full table, as after a restore, autovacuum or an operator writes true ones.
       select c.oid, n.nspname::text as schema, c.relname::text as name, c.relkind = 'p' as divided,
         a.attnum as shop
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'shop_id' and not a.attisdropped
       where n.nspname = current_schema() and c.relkind in ('r', 'p') and pg_relation_size(c.oid) = 0
         and has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'maintain')
         and not exists (select from pg_stats s where s.schemaname = n.nspname
           and s.tablename = c.relname and s.attname = a.attname offset 0)
     )
     select pg_restore_attribute_stats('schemaname', u.schema, 'relname', u.name,
       'attname', a.attname::text, 'inherited', u.divided,
       'null_frac', case when a.attnotnull then 0 else 0.5 end::real,
       'avg_width', 16, 'n_distinct', case a.attnum when u.shop then 1 else -1 end::real)
     from unknown u join pg_attribute a on a.attrelid = u.oid
     where a.attnum = u.shop or a.atttypid in ('text'::regtype, 'uuid'::regtype, 'bytea'::regtype)
       and exists (select from pg_index i where i.indrelid = u.oid and i.indkey[0] = u.shop
         and a.attnum = any(i.indkey))`,
    )
    // Another process changes one of the tables: what is missing is written at the next call.
    .catch((error: unknown) => {
      if (!isLockRefused(error)) throw error
    })
}
