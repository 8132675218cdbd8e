// Turns each difference into what the sync does about it, and counts that.
import type { CloudConnection } from './connections.ts'
import { decideOneWay, decideTwoWay, type Decision } from './decide.ts'
import type { Difference } from './differences.ts'
import { filenameOf, markedName, pathFor } from './names.ts'
import { pathFilter } from './patterns.ts'
import { providerOf } from './providers/providers.ts'
import type { ChangeKind, ChangeRow } from './sync-changes.ts'
import type { SyncCounts } from './sync-rows.ts'

export type Planner = ReturnType<typeof createPlanner>

export function createPlanner({ options, provider: id }: CloudConnection) {
  const provider = providerOf(id)
  const twoWay = options.direction === 'two_way'
  const decideOn = twoWay ? decideTwoWay : decideOneWay
  const counts: SyncCounts = {
    ...{ added: 0, changed: 0, renamed: 0, removed: 0, uploaded: 0, conflicts: 0, ignored: 0 },
    rejected: 0,
  }
  const guard = { deleted: 0, replaced: 0, sent: 0 }
  const nameOf = (path: string) => filenameOf(path, options.names)
  const of = (row: Difference, kind: ChangeKind, more: Partial<ChangeRow> = {}): ChangeRow => ({
    ...{ kind, path: row.path, from_path: null, size_bytes: row.size_bytes, hash: row.hash },
    ...{ modified_at: row.modified_at, file_id: row.ours_id, version: row.ours_version },
    filename: row.ours_filename ?? nameOf(row.path),
    ...more,
  })
  const removal = (row: Difference): ChangeRow[] => {
    const { deletions } = options
    // Of no connection it would be sent there again.
    if (twoWay && (deletions === 'keep' || (deletions === 'unmap' && !row.ours_mapped))) return []
    if (deletions === 'keep') return [of(row, 'forget')]
    guard.deleted++
    counts.removed++
    return [of(row, 'remove')]
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
    const { base_path: from_path, base_version: version, base_filename } = row
    const renamed = nameOf(from_path!) !== nameOf(row.path)
    return of(row, row.ours_id === null ? 'move' : 'rename', {
      // What was changed here too is still to go there.
      ...{ from_path, version, ...(renamed ? {} : { filename: base_filename }) },
    })
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
        return removal(row)
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
      if (row.duplicate && !row.ignored) return row.rejected ? [] : [of(row, 'duplicate')]
      if (row.there && row.base_undone && row.ours_id === null && !row.changed) return []
      // What else happened to it is seen by the next sync.
      if (row.there && row.base_path !== null && row.base_path !== row.path) return [moved(row)]
      if (row.rejected) return []
      const triple = standingsOf(row, twoWay)
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
