// Writes changes of files, many files per statement, but only to rows that are unchanged since they
// were read.
import type { ShopScope } from '../core/db/for-shop.ts'
import { sharedRows } from '../core/db/shared-rows.ts'
import type { Delta } from './change-ledger.ts'
import { COLUMN_TYPES, TRANSACTION_TIME, type Column } from './file-columns.ts'
import { firstOf } from '../core/present.ts'
import { KEEP_NAMES } from './trash.ts'

/**
 * Releases names that other files of the batch get, so that no two rows ever have the same name.
 * Returns the deltas that can be written, without files that another transaction changed first and
 * without files that wanted those files' names.
 */
export async function releaseNames(
  tx: ShopScope,
  deltas: readonly Delta[],
): Promise<readonly Delta[]> {
  const takers = new Map(
    deltas.flatMap((delta) => (delta.from === null ? [] : [[delta.from, delta]])),
  )
  if (takers.size === 0) return deltas
  const rows = await tx.query<{ id: string; row_version: string }>(
    `select id, xmin::text as row_version from files where shop_id = :shop
       and id = any(:ids::uuid[])
     order by id for update`,
    { ids: [...takers.keys()] },
  )
  const versions = new Map(rows.map(({ id, row_version }) => [id, row_version]))
  const lost = new Set<Delta>()
  for (const delta of deltas) {
    const { id } = delta.change.record
    if (!takers.has(id) || versions.get(id) === delta.row_version) continue
    for (
      let one: Delta | undefined = delta;
      one && !lost.has(one);
      one = takers.get(one.change.record.id)
    )
      lost.add(one)
  }
  const ready = deltas.filter((delta) => !lost.has(delta))
  const freed = await tx.query<{ id: string; row_version: string }>(
    // No filename contains this character.
    `update files set name_key = chr(1) || id where shop_id = :shop and id = any(:ids::uuid[])
     returning id, xmin::text as row_version`,
    { ids: ready.flatMap(({ from }) => from ?? []) },
  )
  const now = new Map(freed.map(({ id, row_version }) => [id, row_version]))
  for (const delta of ready)
    delta.row_version = now.get(delta.change.record.id) ?? delta.row_version
  return ready
}

/** Writes the rows that are unchanged since they were read, and returns their ids. */
export async function writeRows(tx: ShopScope, deltas: readonly Delta[]): Promise<Set<string>> {
  const written = await purge(
    tx,
    deltas.filter(({ change }) => change.draft.purged),
  )
  const kept = deltas.filter(({ change }) => !change.draft.purged)
  // One statement for all deltas that change the same columns.
  for (const group of Map.groupBy(kept, ({ columns }) =>
    Object.keys(columns).sort().join(),
  ).values())
    written.push(...(await writeGroup(tx, group)))
  return new Set(written.map(({ id }) => id))
}

// A change of a row that was written meanwhile is refused: docs/decisions/0012.
const SAME_ROW = 'files.shop_id = :shop and files.id = o.id and files.xmin = o.row_version'
const identity = ({ change: { record }, row_version }: Delta) => ({ id: record.id, row_version })

async function purge(tx: ShopScope, deltas: readonly Delta[]): Promise<{ id: string }[]> {
  if (deltas.length === 0) return []
  const { from, bindings } = sharedRows(deltas.map(identity), IDENTITY, ['id', 'row_version'])
  return tx.query(
    `with gone as (
       delete from files using ${from} where ${SAME_ROW}
       returning files.shop_id, files.id, files.filename
     ), kept as (${KEEP_NAMES})
     select id from gone`,
    bindings,
  )
}

const IDENTITY = { id: 'uuid', row_version: 'xid' }

async function writeGroup(tx: ShopScope, group: readonly Delta[]): Promise<{ id: string }[]> {
  const names = Object.keys(firstOf(group).columns) as Column[]
  const types = Object.fromEntries(
    names.map((name) => [name, TIMES.has(name) ? 'text' : COLUMN_TYPES[name]]),
  )
  const rows = group.map((delta) => ({ ...identity(delta), ...delta.columns }))
  const { from, value, bindings } = sharedRows(rows, { ...IDENTITY, ...types }, [
    'id',
    'row_version',
  ])
  const sets = names.map(
    (name) => `${name} = ${TIMES.has(name) ? timeOf(value(name as never)) : value(name as never)}`,
  )
  if (names.includes('version'))
    sets.push(`version_since = now(), size_bytes = (select v.size_bytes from versions v
      where v.shop_id = files.shop_id and v.file_id = files.id
        and v.number = ${value('version' as never)})`)
  const written = await tx.query<{ id: string }>(
    `update files set ${sets.join(', ')} from ${from} where ${SAME_ROW} returning files.id`,
    bindings,
  )
  if (names.includes('version')) await keepVersions(tx, written)
  return written
}

/** A version that was to expire is kept when it is the file's current one again. */
async function keepVersions(tx: ShopScope, files: readonly { id: string }[]): Promise<void> {
  await tx.query(
    `update versions v set expires_at = null from files f
     where f.shop_id = :shop and f.id = any(:ids::uuid[]) and v.shop_id = f.shop_id
       and v.file_id = f.id
       and v.number = f.version and v.expires_at is not null`,
    { ids: files.map(({ id }) => id) },
  )
}

const TIMES: ReadonlySet<Column> = new Set(['deleted_at', 'updated_at'])
const timeOf = (value: string) =>
  `case when ${value} = '${TRANSACTION_TIME}' then now() else (${value})::timestamptz end`
