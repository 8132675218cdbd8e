// Where the newest listing, what was applied last and the files here differ, in the database.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { withHashJoins } from '../../core/db/hash-joins.ts'
import type { CloudConnection } from './connections.ts'
import { providerOf } from './providers/providers.ts'

const PAGE = 2000

export interface Difference {
  path: string
  there: boolean
  size_bytes: number | null
  hash: string | null
  modified_at: string | null
  ignored: boolean | null
  duplicate: boolean | null
  changed: boolean | null
  /** Whether an earlier sync found that this version of the object cannot be imported. */
  rejected: boolean
  base_path: string | null
  base_version: number | null
  base_filename: string | null
  /** Whether an undo removed the file of the object. */
  base_undone: boolean | null
  ours_id: string | null
  ours_version: number | null
  ours_filename: string | null
  ours_mapped: boolean | null
}

const CHANGED = `(l.size_bytes <> c.size_bytes or case
  when l.hash is not null and c.hash is not null then l.hash <> c.hash
  else l.modified_at is distinct from c.modified_at end)`

const differences = (twoWay: boolean) => `
  select coalesce(l.path, c.path) as path, l.path is not null as there, l.size_bytes, l.hash,
    l.modified_at::text as modified_at, l.ignored, l.duplicate, ${CHANGED} as changed,
    c.path as base_path, c.version as base_version, c.filename as base_filename,
    c.undone as base_undone,
    f.id as ours_id, f.version as ours_version, f.filename as ours_filename,
    f.mapped as ours_mapped, exists (select from cloud_rejections r
      where r.shop_id = :shop and r.connection_id = :connection and r.path = l.path) as rejected
  from (select * from cloud_listings where shop_id = :shop and connection_id = :connection) l
  full join (select * from cloud_files where shop_id = :shop and connection_id = :connection) c
    on c.path = coalesce(l.renamed_from, l.path)
  -- Offset: each is looked up by its id, without statistics too.
  left join lateral (
    select id, version, filename, mapping_state = 'mapped' as mapped from files
      where shop_id = :shop and id = c.file_id and deleted_at is null offset 0
  ) f on true
  where l.path is null or l.duplicate and not l.ignored or c.path is null and not l.ignored
    or c.path <> l.path
    or not l.ignored and ${CHANGED}
    ${twoWay ? 'or c.path is not null and (f.id is null or f.version <> c.version or f.filename <> c.filename)' : ''}`

/** SQL: a text in lower case, also letters beyond ASCII. */
export const inAnyCase = (text: string) => `lower(${text} collate pg_c_utf8)`

/**
 * Finds objects whose paths differ only in case, for providers that ignore case: each is the same
 * object.
 */
async function findOtherCase(tx: ShopScope, connection: string): Promise<void> {
  await tx.query(
    `update cloud_listings l set renamed_from = c.path from cloud_files c
     where l.shop_id = :shop and l.connection_id = :connection and c.shop_id = :shop
       and c.connection_id = :connection
       and ${inAnyCase('c.path')} = ${inAnyCase('l.path')} and c.path <> l.path and not l.ignored
         and not l.duplicate`,
    { connection },
  )
}

/** Finds objects that moved: one vanished and one is new, with the same hash and size. */
async function findRenames(tx: ShopScope, connection: string): Promise<void> {
  const inOrder = (of: string) =>
    `row_number() over (partition by ${of}.hash, ${of}.size_bytes
       order by regexp_replace(${of}.path, '^.*/', ''), ${of}.path) as n`
  await tx.query(
    `with gone as (
       select c.path, c.hash, c.size_bytes, ${inOrder('c')} from cloud_files c
       where c.shop_id = :shop and c.connection_id = :connection and c.hash is not null
         and not exists (
         select from cloud_listings l where l.shop_id = :shop and l.connection_id = :connection
           and l.path = c.path)
       and not exists (
         select from cloud_listings l where l.shop_id = :shop and l.connection_id = :connection
           and l.renamed_from = c.path)
     ), fresh as (
       select l.path, l.hash, l.size_bytes, ${inOrder('l')} from cloud_listings l
       where l.shop_id = :shop and l.connection_id = :connection and l.hash is not null
         and not l.ignored and not l.duplicate and l.renamed_from is null and not exists (
         select from cloud_files c where c.shop_id = :shop and c.connection_id = :connection
           and c.path = l.path)
     )
     update cloud_listings l set renamed_from = gone.path
     from gone join fresh on fresh.hash = gone.hash and fresh.size_bytes = gone.size_bytes
       and fresh.n = gone.n
     where l.shop_id = :shop and l.connection_id = :connection and l.path = fresh.path`,
    { connection },
  )
}

/** Marks in the listing what is an object of before under another path. */
export const findMoved = (tx: ShopScope, { id, provider }: CloudConnection): Promise<void> =>
  withHashJoins(tx, async () => {
    if (providerOf(provider).caseInsensitive) await findOtherCase(tx, id)
    await findRenames(tx, id)
  })

/** Yields all differences, a page at a time. */
export async function* differencesOf(
  tx: ShopScope,
  { id: connection, options }: CloudConnection,
): AsyncGenerator<Difference[]> {
  const query = differences(options.direction === 'two_way')
  await tx.query(`declare sync_differences cursor for ${query}`, { connection })
  while (true) {
    const rows = await tx.query<Difference>(
      `fetch ${PAGE} from sync_differences -- of the shop :shop`,
    )
    if (rows.length === 0) break
    yield rows
  }
  await tx.query('close sync_differences -- of the shop :shop')
}
