// Syncs as rows.
import type { StoredMessage } from '../../core/texts.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { present } from '../../core/lazy.ts'
import type { OperationStatus } from '../../engine/types.ts'
import type { PreviewReason } from './decide.ts'

export interface SyncCounts {
  added: number
  changed: number
  renamed: number
  removed: number
  uploaded: number
  conflicts: number
  ignored: number
  /** Objects that cannot be imported, as an earlier sync found. */
  rejected: number
  /** Files that stay because an object that may be theirs under another path could not be read. */
  awaited: number
}

export interface SyncRow {
  id: string
  connection_id: string
  operation_id: string | null
  phase: 'listing' | 'planned' | 'failed'
  dry_run: boolean
  preview_reason: PreviewReason | null
  listed: number
  listed_bytes: number
  counts: Partial<SyncCounts>
  error: (StoredMessage & { code: string }) | null
  started_at: Date
}

/** The UUID of the sync's operation. Only old syncs have none: retention deletes operations. */
export const operationOf = ({ operation_id }: Pick<SyncRow, 'operation_id'>): string =>
  present(operation_id, 'The operation of the sync')

/** A sync with the state of its operation. */
export interface SyncView extends SyncRow {
  status: OperationStatus | null
  finished_at: Date | null
  /** Whether it was a preview that a person, or a newer sync, has discarded. */
  discarded: boolean
  /** The number of processed items; 0 for a preview that was not confirmed. */
  done: number
  failed: number
  bytes: number
}

const VIEW = `select s.*, o.status, o.finished_at,
    coalesce(o.status = 'cancelled' and o.preview and o.round = 0, false) as discarded,
    case when o.preview and o.round = 0 then 0 else coalesce(o.done, 0) end as done,
    coalesce(o.failed, 0) as failed, coalesce(o.bytes, 0) as bytes
  from syncs s left join operations o on o.shop_id = s.shop_id and o.id = s.operation_id`

/** Lists the syncs of a connection, newest first. */
export const listSyncs = (
  scope: ShopScope,
  connection: string,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<SyncView[]> =>
  scope.query<SyncView>(
    `${VIEW} where s.shop_id = :shop and s.connection_id = :connection
        and (:before::uuid is null or s.id < :before::uuid) order by s.id desc
      limit :limit`,
    { connection, limit, before: before ?? null },
  )

/** Reads the newest sync of each connection. */
export async function newestSyncs(scope: ShopScope): Promise<Map<string, SyncView>> {
  const rows = await scope.query<SyncView>(
    `${VIEW} join (select connection_id, max(id::text)::uuid as id from syncs where shop_id = :shop
       group by connection_id) newest
       on newest.id = s.id
     where s.shop_id = :shop`,
  )
  return new Map(rows.map((row) => [row.connection_id, row]))
}

export const readSync = (scope: ShopScope, id: string): Promise<SyncRow | null> =>
  scope.first<SyncRow>('select * from syncs where shop_id = :shop and id = :id', {
    id,
  })

export async function newestSync(scope: ShopScope, connection: string): Promise<SyncView | null> {
  return (await listSyncs(scope, connection, { limit: 1 }))[0] ?? null
}

/** Is the sync running? A preview that waits for a person counts as ended. */
export const isRunning = ({ phase, status, finished_at }: SyncView): boolean =>
  phase === 'listing'
    ? status !== null && finished_at === null
    : status !== null && status !== 'previewed' && finished_at === null
