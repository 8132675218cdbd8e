// The diff of a sync, in the database: the listing against what was applied last, and for two-way
// connections against the files here. Each difference is decided alone; the decisions are rows.
import type { ShopScope } from '../../db/for-shop.ts'
import { withHashJoins } from '../../db/hash-joins.ts'
import { nameKey } from '../../files/rules.ts'
import type { CloudConnection } from './connections.ts'
import { decideOneWay, decideTwoWay, type Decision, type DeletionCounts } from './decide.ts'
import { filenameOf, markedName, pathFor } from './names.ts'
import { pathFilter } from './patterns.ts'
import { providerOf } from './providers/providers.ts'
import type { SyncCounts } from './sync-rows.ts'

const PAGE = 2000

/**
 * `duplicate`: its name is there several times. `rename`: it moved there. `match`: both sides have
 * that name and nothing was applied yet. `move`: a rename of what is not here any more.
 */
export type ChangeKind = Exclude<Decision, null> | 'duplicate' | 'rename' | 'match' | 'move'

export interface ChangeRow {
  kind: ChangeKind
  path: string
  from_path: string | null
  size_bytes: number | null
  hash: string | null
  modified_at: string | null
  file_id: string | null
  version: number | null
  /** Of the file here; of a new one: what it is to be called. */
  filename: string | null
}

interface Difference {
  path: string
  there: boolean
  size_bytes: number | null
  hash: string | null
  modified_at: string | null
  ignored: boolean | null
  duplicate: boolean | null
  changed: boolean | null
  base_path: string | null
  base_version: number | null
  base_filename: string | null
  ours_id: string | null
  ours_version: number | null
  ours_filename: string | null
}

export interface Plan {
  counts: SyncCounts
  guard: DeletionCounts
}

const CHANGED = `(l.size_bytes <> c.size_bytes or case
  when l.hash is not null and c.hash is not null then l.hash <> c.hash
  else l.modified_at is distinct from c.modified_at end)`

const differences = (twoWay: boolean) => `
  select coalesce(l.path, c.path) as path, l.path is not null as there, l.size_bytes, l.hash,
    l.modified_at::text as modified_at, l.ignored, l.duplicate, ${CHANGED} as changed,
    c.path as base_path, c.version as base_version, c.filename as base_filename,
    f.id as ours_id, f.version as ours_version, f.filename as ours_filename
  from (select * from cloud_listings where shop_id = :shop and connection_id = :connection) l
  full join (select * from cloud_files where shop_id = :shop and connection_id = :connection) c
    on c.path = coalesce(l.renamed_from, l.path)
  -- Offset: each is looked up by its id, without statistics too.
  left join lateral (
    select id, version, filename from files where shop_id = :shop and id = c.file_id and deleted_at is null offset 0
  ) f on true
  where l.path is null or l.duplicate or c.path is null and not l.ignored or c.path <> l.path
    or not l.ignored and ${CHANGED}
    ${twoWay ? 'or f.id is null or f.version <> c.version or f.filename <> c.filename' : ''}`

/** SQL: letters beyond ASCII too. */
const inAnyCase = (text: string) => `lower(${text} collate pg_c_utf8)`

/** Where names are equal in any case, a path that differs in nothing else is the same object. */
async function findOtherCase(tx: ShopScope, connection: string): Promise<void> {
  await tx.query(
    `update cloud_listings l set renamed_from = c.path from cloud_files c
     where l.shop_id = :shop and l.connection_id = :connection and c.shop_id = :shop and c.connection_id = :connection
       and ${inAnyCase('c.path')} = ${inAnyCase('l.path')} and c.path <> l.path and not l.ignored and not l.duplicate`,
    { connection },
  )
}

/** Objects that vanished and objects that are new, with one hash and size, are one that moved. */
async function findRenames(tx: ShopScope, connection: string): Promise<void> {
  const inOrder = (of: string) =>
    `row_number() over (partition by ${of}.hash, ${of}.size_bytes
       order by regexp_replace(${of}.path, '^.*/', ''), ${of}.path) as n`
  await tx.query(
    `with gone as (
       select c.path, c.hash, c.size_bytes, ${inOrder('c')} from cloud_files c
       where c.shop_id = :shop and c.connection_id = :connection and c.hash is not null and not exists (
         select from cloud_listings l where l.shop_id = :shop and l.connection_id = :connection and l.path = c.path)
       and not exists (
         select from cloud_listings l where l.shop_id = :shop and l.connection_id = :connection and l.renamed_from = c.path)
     ), fresh as (
       select l.path, l.hash, l.size_bytes, ${inOrder('l')} from cloud_listings l
       where l.shop_id = :shop and l.connection_id = :connection and l.hash is not null
         and not l.ignored and not l.duplicate and l.renamed_from is null and not exists (
         select from cloud_files c where c.shop_id = :shop and c.connection_id = :connection and c.path = l.path)
     )
     update cloud_listings l set renamed_from = gone.path
     from gone join fresh on fresh.hash = gone.hash and fresh.size_bytes = gone.size_bytes and fresh.n = gone.n
     where l.shop_id = :shop and l.connection_id = :connection and l.path = fresh.path`,
    { connection },
  )
}

/** Writes what the sync is to do, in place of an earlier plan; nothing else is changed. */
export async function planSync(
  tx: ShopScope,
  sync: string,
  connection: CloudConnection,
): Promise<Plan> {
  await tx.query('delete from sync_changes where shop_id = :shop and sync_id = :sync', { sync })
  await withHashJoins(tx, async () => {
    if (providerOf(connection.provider).caseInsensitive) await findOtherCase(tx, connection.id)
    await findRenames(tx, connection.id)
  })
  const planner = createPlanner(connection)
  const twoWay = connection.options.direction === 'two_way'
  let number = 0
  const write = async (changes: readonly ChangeRow[]) => {
    await writeChanges(tx, sync, number, changes)
    number += changes.length
  }
  await tx.query(`declare sync_differences cursor for ${differences(twoWay)}`, {
    connection: connection.id,
  })
  while (true) {
    const rows = await tx.query<Difference>(
      `fetch ${PAGE} from sync_differences -- of the shop :shop`,
    )
    if (rows.length === 0) break
    await write(await withTakenNames(tx, connection, planner, rows.flatMap(planner.decide)))
  }
  await tx.query('close sync_differences -- of the shop :shop')
  if (twoWay) await planUploads(tx, sync, connection, planner, write)
  const counts = { ...planner.counts, ignored: await countIgnored(tx, connection.id) }
  return { counts, guard: await guardOf(tx, connection, planner) }
}

type Planner = ReturnType<typeof createPlanner>

function createPlanner({ options, provider: id }: CloudConnection) {
  const provider = providerOf(id)
  const decideOn = options.direction === 'two_way' ? decideTwoWay : decideOneWay
  const counts: SyncCounts = {
    ...{ added: 0, changed: 0, renamed: 0, removed: 0, uploaded: 0, conflicts: 0, ignored: 0 },
  }
  const guard = { deleted: 0, replaced: 0, sent: 0 }
  const nameOf = (path: string) => filenameOf(path, options.names)
  const of = (row: Difference, kind: ChangeKind, more: Partial<ChangeRow> = {}): ChangeRow => ({
    ...{ kind, path: row.path, from_path: null, size_bytes: row.size_bytes, hash: row.hash },
    ...{ modified_at: row.modified_at, file_id: row.ours_id, version: row.ours_version },
    filename: row.ours_filename ?? nameOf(row.path),
    ...more,
  })
  const removal = (row: Difference): ChangeRow => {
    if (options.deletions === 'keep') return of(row, 'forget')
    guard.deleted++
    counts.removed++
    return of(row, 'remove')
  }
  const sending = (row: Difference): ChangeRow => {
    counts.uploaded++
    guard.sent++
    const renamed = row.ours_filename !== row.base_filename
    const path = renamed ? pathFor(row.ours_filename!, row.path, options.names) : row.path
    return of(row, 'send', { path, from_path: row.base_path })
  }
  const conflict = (row: Difference): ChangeRow[] => {
    const { title } = provider
    counts.conflicts++
    const theirs = of(row, 'conflict', {
      ...{ file_id: null, version: null },
      filename: markedName(nameOf(row.path), title),
    })
    const path = pathFor(markedName(row.ours_filename!, 'Stevedore'), row.path, options.names)
    const nothing = { size_bytes: null, hash: null, modified_at: null }
    return [theirs, of(row, 'send', { path, ...nothing })]
  }
  const moved = (row: Difference): ChangeRow => {
    counts.renamed++
    return of(row, row.ours_id === null ? 'move' : 'rename', { from_path: row.base_path })
  }
  const carried = (row: Difference, decision: Decision): ChangeRow[] => {
    switch (decision) {
      case null:
        return []
      case 'add':
        counts.added++
        return [of(row, 'add', { file_id: null, version: null, filename: nameOf(row.path) })]
      case 'change':
        counts.changed++
        // A new name of ours is still to go there.
        return [of(row, 'change', { filename: row.base_filename })]
      case 'remove':
        return [removal(row)]
      case 'send':
        return [sending(row)]
      case 'remove_there':
        counts.removed++
        guard.deleted++
        return [of(row, 'remove_there')]
      case 'conflict':
        return conflict(row)
      case 'forget':
        return [of(row, 'forget')]
    }
  }
  return {
    counts,
    guard,
    nameOf,
    filter: pathFilter(options.include, options.exclude),
    decide: (row: Difference): ChangeRow[] => {
      if (row.duplicate) return [of(row, 'duplicate')]
      // What else happened to it is seen by the next sync.
      if (row.there && row.base_path !== null && row.base_path !== row.path) return [moved(row)]
      const triple = standingsOf(row, options.direction === 'two_way')
      // Both were touched, but ours has only another name: theirs comes first.
      if (triple.theirs === 'changed' && row.ours_version === row.base_version && row.ours_id)
        return carried(row, 'change')
      return carried(row, decideOn(triple))
    },
  }
}

function standingsOf(row: Difference, twoWay: boolean) {
  const base = row.base_path !== null
  const theirs = () => {
    if (!row.there) return 'absent' as const
    if (!base) return 'new' as const
    return row.changed && !row.ignored ? ('changed' as const) : ('same' as const)
  }
  const ours = () => {
    if (row.ours_id === null) return 'absent' as const
    const touched = row.ours_version !== row.base_version || row.ours_filename !== row.base_filename
    return twoWay && touched ? ('changed' as const) : ('same' as const)
  }
  return { base, theirs: theirs(), ours: ours() }
}

/**
 * New objects whose names are taken by files that no connection has. In a first sync they become
 * those files' next versions, which a person confirms; two-way, what differs is kept as two files.
 */
async function withTakenNames(
  tx: ShopScope,
  { established, options }: CloudConnection,
  { counts, guard }: Planner,
  changes: ChangeRow[],
): Promise<ChangeRow[]> {
  const twoWay = options.direction === 'two_way'
  const added = changes.filter(({ kind }) => kind === 'add')
  if (added.length === 0 || (established && !twoWay)) return changes
  const holders = await tx.query<{ id: string; name_key: string; version: number }>(
    `select id, name_key, version from files where shop_id = :shop and deleted_at is null
       and name_key = any(:keys::text[]) and not exists (
         select from cloud_files c where c.shop_id = :shop and c.file_id = files.id)`,
    { keys: added.map(({ filename }) => nameKey(filename!)) },
  )
  const free = new Map(holders.map((holder) => [holder.name_key, holder]))
  for (const change of added) {
    const key = nameKey(change.filename!)
    const holder = free.get(key)
    if (!holder) continue
    free.delete(key)
    change.file_id = holder.id
    change.version = holder.version
    if (twoWay) change.kind = 'match'
    else {
      guard.replaced++
      counts.added--
      counts.changed++
    }
  }
  return changes
}

/** Files of no connection go to a two-way one. */
async function planUploads(
  tx: ShopScope,
  sync: string,
  { id: connection, options, provider }: CloudConnection,
  { counts, guard, filter }: Planner,
  write: (changes: readonly ChangeRow[]) => Promise<void>,
): Promise<void> {
  const { caseInsensitive = false } = providerOf(provider)
  let after = '00000000-0000-0000-0000-000000000000'
  while (true) {
    const files = await tx.query<{
      id: string
      version: number
      filename: string
      taken: boolean
    }>(
      `select id, version, filename, exists (
           select from cloud_listings l where l.shop_id = :shop and l.connection_id = :connection
             and case when :caseInsensitive then ${inAnyCase('l.path')} = ${inAnyCase('files.filename')} else l.path = files.filename end
         ) as taken
       from files where shop_id = :shop and id > :after::uuid and deleted_at is null and size_bytes <= :most
         and not exists (select from cloud_files c where c.shop_id = :shop and c.file_id = files.id)
         and not exists (select from sync_changes s where s.shop_id = :shop and s.sync_id = :sync and s.file_id = files.id)
       order by id limit ${PAGE}`,
      { sync, connection, caseInsensitive, after, most: options.max_bytes },
    )
    if (files.length === 0) return
    after = files.at(-1)!.id
    const wanted = files.filter(({ filename }) => filter(filename))
    counts.uploaded += wanted.length
    guard.sent += wanted.length
    await write(
      wanted.map(({ id, version, filename, taken }) => ({
        ...{ kind: 'send', from_path: null, size_bytes: null, hash: null, modified_at: null },
        ...{ file_id: id, version, filename },
        path: taken ? markedName(filename, 'Stevedore') : filename,
      })),
    )
  }
}

async function countIgnored(tx: ShopScope, connection: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*) as count from cloud_listings
     where shop_id = :shop and connection_id = :connection and ignored`,
    { connection },
  )
  return row!.count
}

async function guardOf(
  tx: ShopScope,
  { id, established }: CloudConnection,
  { guard }: Planner,
): Promise<DeletionCounts> {
  const [row] = await tx.query<{ known: number }>(
    'select count(*) as known from cloud_files where shop_id = :shop and connection_id = :id',
    { id },
  )
  return { ...guard, known: row!.known, first: !established }
}

async function writeChanges(
  tx: ShopScope,
  sync: string,
  first: number,
  changes: readonly ChangeRow[],
): Promise<void> {
  if (changes.length === 0) return
  await tx.query(
    `insert into sync_changes (shop_id, sync_id, number, kind, path, from_path, size_bytes, hash, modified_at,
       file_id, version, filename)
     select :shop, :sync, :first + n::int - 1, kind, path, from_path, size_bytes, hash, modified_at, file_id, version, filename
     from rows from (jsonb_to_recordset(:changes::jsonb) as (kind text, path text, from_path text, size_bytes bigint,
       hash text, modified_at timestamptz, file_id uuid, version int, filename text))
       with ordinality as t(kind, path, from_path, size_bytes, hash, modified_at, file_id, version, filename, n)`,
    { sync, first, changes: JSON.stringify(changes) },
  )
}
