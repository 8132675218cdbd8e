// Reads the tables with rows of shops from the live schema, so that every deletion includes the
// tables of later migrations.
import type { Database } from '../../core/db/database.ts'

export interface ShopTable {
  name: string
  /**
   * Whether rows refer to other rows of the table, so that all rows of a shop must be deleted
   * together.
   */
  whole: boolean
}

interface Reference {
  from: string
  to: string
  /** Whether the referenced row cannot be deleted before the row that refers to it. */
  blocks: boolean
}

const TABLES = `
  select c.relname as name from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'shop_id' and not a.attisdropped
  where c.relkind in ('r', 'p') and not c.relispartition order by 1`

const REFERENCES = `
  select f.relname as "from", t.relname as "to", k.confdeltype in ('a', 'r') as blocks
  from pg_constraint k
  join pg_class f on f.oid = k.conrelid
  join pg_class t on t.oid = k.confrelid
  join pg_namespace n on n.oid = f.relnamespace and n.nspname = current_schema()
  where k.contype = 'f' order by 1, 2`

/** Reads the tables with rows of shops, in the order in which their rows can be deleted. */
export async function tablesOfShops({ pool }: Pick<Database, 'pool'>): Promise<ShopTable[]> {
  const { rows: tables } = await pool.query<{ name: string }>(TABLES)
  const { rows: references } = await pool.query<Reference>(REFERENCES)
  const names = tables.map(({ name }) => name)
  return inOrder(names, references).map((name) => ({
    name,
    whole: references.some(({ from, to, blocks }) => blocks && from === name && to === name),
  }))
}

/**
 * Orders the tables: rows are deleted before the rows that they refer to, except where the schema
 * requires the opposite.
 */
function inOrder(names: readonly string[], references: readonly Reference[]): string[] {
  const known = new Set(names)
  const blocks = (from: string, to: string) =>
    references.some((one) => one.blocks && one.from === from && one.to === to)
  const ordered: string[] = []
  const visited = new Set<string>()
  const visit = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    for (const { from, to } of references)
      if (to === name && known.has(from) && !blocks(name, from)) visit(from)
    ordered.push(name)
  }
  names.forEach(visit)
  return ordered
}
