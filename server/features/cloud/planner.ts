// Turns each difference into what the sync does about it, and counts that.
import { present } from '../../core/lazy.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { CloudConnection } from './connections.ts'
import { decideOneWay, decideTwoWay, type Decision } from './decide.ts'
import { filenameOf, markedName, pathFor } from './names.ts'
import { pathFilter } from './patterns.ts'
import type { Provider } from './providers/provider.ts'
import { providerOf } from './providers/providers.ts'
import type { ChangeKind, ChangeRow } from './sync-changes.ts'
import type { SyncCounts } from './sync-rows.ts'

/** The plan of one sync. */
export class Planner {
  /** What the sync does, by kind. */
  readonly counts: SyncCounts = {
    added: 0,
    changed: 0,
    renamed: 0,
    removed: 0,
    uploaded: 0,
    conflicts: 0,
    ignored: 0,
    rejected: 0,
    awaited: 0,
  }
  /** What a person may have to confirm. */
  readonly guard = { deleted: 0, replaced: 0, sent: 0 }
  /** Whether the connection includes a path. */
  readonly filter: (path: string) => boolean
  readonly #options: CloudConnection['options']
  readonly #provider: Provider
  readonly #twoWay: boolean

  constructor({ options, provider }: CloudConnection) {
    this.filter = pathFilter(options.include, options.exclude)
    this.#options = options
    this.#provider = providerOf(provider)
    this.#twoWay = options.direction === 'two_way'
  }

  /** The changes that follow from a difference; empty: none, or the next sync finds them. */
  decide(row: Difference): ChangeRow[] {
    if (row.duplicate && !row.ignored) return row.rejected ? [] : [this.#change(row, 'duplicate')]
    if (row.there && row.base_undone && row.ours_id === null && !row.changed) return []
    // Other changes of a renamed file are found by the next sync.
    if (row.there && row.base_path !== null && row.base_path !== row.path)
      return [this.#renaming(row, row.base_path)]
    if (row.rejected) return []
    if (row.uncompared) return [this.#change(row, 'uncompared')]
    if (row.awaited) {
      this.counts.awaited++
      return []
    }
    const triple = standingsOf(row, this.#twoWay)
    // Both were touched, but ours has only another name: theirs comes first.
    if (triple.theirs === 'changed' && row.ours_version === row.base_version && row.ours_id)
      return this.#changesOf(row, 'change')
    return this.#changesOf(row, this.#twoWay ? decideTwoWay(triple) : decideOneWay(triple))
  }

  #changesOf(row: Difference, decision: Decision): ChangeRow[] {
    switch (decision) {
      case null:
        return []
      case 'add': {
        this.counts.added++
        const filename = this.#nameOf(row.path)
        return [this.#change(row, 'add', { file_id: null, version: null, filename })]
      }
      case 'change':
        this.counts.changed++
        // The next sync sends our new name.
        return [this.#change(row, 'change', { filename: row.base_filename })]
      case 'remove':
        return this.#removal(row)
      case 'send':
        return [this.#sending(row)]
      case 'remove_there':
        this.counts.removed++
        this.guard.deleted++
        return [this.#change(row, 'remove_there')]
      case 'conflict':
        return this.#conflict(row)
      case 'forget':
        return [this.#change(row, 'forget')]
    }
  }

  #change(row: Difference, kind: ChangeKind, more: Partial<ChangeRow> = {}): ChangeRow {
    return {
      kind,
      path: row.path,
      from_path: null,
      size_bytes: row.size_bytes,
      hash: row.hash,
      modified_at: row.modified_at,
      file_id: row.ours_id,
      version: row.ours_version,
      filename: row.ours_filename ?? this.#nameOf(row.path),
      ...more,
    }
  }

  #removal(row: Difference): ChangeRow[] {
    const { deletions } = this.#options
    // A file that is kept without a connection would be sent to the provider again.
    if (this.#twoWay && (deletions === 'keep' || (deletions === 'unmap' && !row.ours_mapped)))
      return []
    if (deletions === 'keep') return [this.#change(row, 'forget')]
    this.guard.deleted++
    this.counts.removed++
    return [this.#change(row, 'remove')]
  }

  #sending(row: Difference): ChangeRow {
    this.counts.uploaded++
    this.guard.sent++
    const renamed = row.ours_filename !== row.base_filename
    const path = renamed ? pathFor(ownName(row), row.path, this.#options.names) : row.path
    return this.#change(row, 'send', { path, from_path: row.base_path })
  }

  /** Keeps both sides, each with a name that says where it is from. */
  #conflict(row: Difference): ChangeRow[] {
    this.counts.conflicts++
    const theirs = this.#change(row, 'conflict', {
      file_id: null,
      version: null,
      filename: markedName(this.#nameOf(row.path), this.#provider.title),
    })
    const name = markedName(ownName(row), 'Stevedore')
    const nothing = { size_bytes: null, hash: null, modified_at: null }
    const path = pathFor(name, row.path, this.#options.names)
    return [theirs, this.#change(row, 'send', { path, ...nothing })]
  }

  /** The change for an object that has another path now. */
  #renaming(row: Difference, from_path: string): ChangeRow {
    this.counts.renamed++
    const { base_version: version, base_filename } = row
    const renamed = this.#nameOf(from_path) !== this.#nameOf(row.path)
    return this.#change(row, row.ours_id === null ? 'move' : 'rename', {
      // The next sync sends what was changed here too.
      from_path,
      version,
      ...(renamed ? {} : { filename: base_filename }),
    })
  }

  #nameOf(path: string): string {
    return filenameOf(path, this.#options.names)
  }
}

const ownName = ({ ours_filename }: Difference): string =>
  present(ours_filename, 'The name of a file of the shop')

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

// Where the newest listing, what was applied last and the files here differ, in the database.

const PAGE = 2000

interface Difference {
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
  /** Whether the object may be a vanished one, and its bytes could not be compared. */
  uncompared: boolean
  /** Whether the object vanished, and one that could not be compared may be it. */
  awaited: boolean
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
  with uncompared as materialized (
    select distinct size_bytes from cloud_listings
    where shop_id = :shop and connection_id = :connection and uncompared
      and renamed_from is null
  )
  select coalesce(l.path, c.path) as path, l.path is not null as there, l.size_bytes, l.hash,
    l.modified_at::text as modified_at, l.ignored, l.duplicate, ${CHANGED} as changed,
    c.path as base_path, c.version as base_version, c.filename as base_filename,
    c.undone as base_undone,
    f.id as ours_id, f.version as ours_version, f.filename as ours_filename,
    f.mapped as ours_mapped, exists (select from cloud_rejections r
      where r.shop_id = :shop and r.connection_id = :connection and r.path = l.path) as rejected,
    coalesce(l.uncompared and l.renamed_from is null, false) as uncompared,
    l.path is null and c.size_bytes in (select size_bytes from uncompared) as awaited
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
