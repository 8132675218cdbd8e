// Reads operations, each with its document and the kind of the operation that it undoes.
import { searchWords } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { hasAllWords } from '../core/db/word-match.ts'
import { ARTIFACT } from '../files/artifacts.ts'
import type { OperationRow, OperationStatus } from './types.ts'

export interface OperationFilter {
  status?: OperationStatus
  kind?: 'import' | 'bulk'
  action?: string
  channel?: string
  requested_by?: string
  /** Only operations started at or after this. */
  from?: string
  /** Only operations started before this. */
  to?: string
  /** The schedule that started them, a bare UUID. */
  schedule?: string
  /** Only operations whose workflow's title, action or channel have these words. */
  search?: string
  /** Only operations in which files failed for this code. */
  error?: string
  /** Only operations before the one with this UUID. */
  before?: string
  limit: number
}

const UNDOES_KIND = `(
  select u.kind from operations u where u.shop_id = operations.shop_id
    and u.id = operations.undoes)`

const COLUMNS = `operations.*, ${ARTIFACT} as artifact, ${UNDOES_KIND} as undoes_kind`

/** The operation with this UUID, or null. */
export const readOperation = (scope: ShopScope, id: string): Promise<OperationRow | null> =>
  scope.first<OperationRow>(
    `select ${COLUMNS} from operations where shop_id = :shop and id = :id`,
    { id },
  )

/**
 * The operations that the filter selects, newest first. Absent conditions are left out of the SQL,
 * so that the planner sees the real ones.
 */
export function listOperations(scope: ShopScope, filter: OperationFilter): Promise<OperationRow[]> {
  const { limit, search = '', ...given } = filter
  const found = hasAllWords(TITLES, searchWords(search))
  const conditions = Object.keys(CONDITIONS).filter(
    (name) => given[name as keyof typeof CONDITIONS] !== undefined,
  )
  return scope.query<OperationRow>(
    `select ${COLUMNS} from operations where shop_id = :shop
       ${conditions.map((name) => `and ${CONDITIONS[name as keyof typeof CONDITIONS]}`).join(' ')}
       and ${found.sql}
     order by id desc limit :limit`,
    { ...given, limit, ...found.bindings },
  )
}

const TITLES = `search_text((workflow ->> 'title') || ' ' || action || ' ' || channel)`

const CONDITIONS = {
  status: 'status = :status',
  kind: 'kind = :kind',
  action: 'action = :action',
  channel: 'channel = :channel',
  requested_by: 'requested_by = :requested_by',
  from: 'created_at >= :from::timestamptz',
  to: 'created_at < :to::timestamptz',
  schedule: 'schedule_id = :schedule::uuid',
  error: `(jsonb_exists(failure_causes, :error) or stopped ->> 'code' = :error)`,
  before: 'id < :before::uuid',
} satisfies Partial<Record<keyof OperationFilter, string>>
