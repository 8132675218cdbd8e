// Finds the files that rows of a table name, by id and by name.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { findNameOwners } from '../../files/name-allocation.ts'
import { nameKey } from '../../files/rules.ts'
import { TRASH_EXPIRED } from '../../files/trash.ts'
import type { RowMatch } from './columns.ts'
import type { RowSubject, RowTargets } from './row-actions.ts'

export interface KnownFile {
  filename: string
  name_key: string
  /** Whether the file is in the trash. */
  deleted: boolean
}

export interface TargetLookups {
  /** The shop's files that have these names (in the form of `nameKey`), by name. */
  takenNames(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The newest files in the trash that have these names, by name. */
  trashedNames(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The shop's files with these ids. */
  knownFiles(ids: readonly string[]): Promise<ReadonlyMap<string, KnownFile>>
}

export interface FoundTargets extends RowTargets {
  known: ReadonlyMap<string, KnownFile>
}

export async function findTargets(
  { takenNames, trashedNames, knownFiles }: TargetLookups,
  match: RowMatch,
  rows: readonly RowSubject[],
): Promise<FoundTargets> {
  const keys = (of: readonly RowSubject[]) =>
    of.flatMap(({ filename }) => (filename === '' ? [] : [nameKey(filename)]))
  const owners = await takenNames(keys(rows))
  const removing = rows.filter(({ command }) => command === 'restore' || command === 'delete')
  const trashed =
    match === 'filename' && removing.length > 0 ? await trashedNames(keys(removing)) : new Map()
  const ids = rows.flatMap(({ id }) => id ?? [])
  return { match, owners, trashed, known: ids.length > 0 ? await knownFiles(ids) : new Map() }
}

export const targetLookups = (scope: ShopScope): TargetLookups => ({
  takenNames: (keys) => findNameOwners(scope, keys),
  trashedNames: async (keys) => {
    const rows = await scope.query<{ name_key: string; id: string }>(
      `select distinct on (name_key) name_key, id from files
       where shop_id = :shop and name_key = any(:keys::text[]) and deleted_at is not null
         and not ${TRASH_EXPIRED}
       order by name_key, deleted_at desc, id desc`,
      { keys },
    )
    return new Map(rows.map(({ name_key, id }) => [name_key, id]))
  },
  knownFiles: async (ids) => {
    const rows = await scope.query<KnownFile & { id: string }>(
      `select id, filename, name_key, deleted_at is not null as deleted from files
       where shop_id = :shop and id = any(:ids::uuid[])`,
      { ids },
    )
    return new Map(rows.map(({ id, ...file }) => [id, file]))
  },
})
