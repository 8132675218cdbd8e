// Reads operations, each with its document and the kind of the operation that it undoes.
import { searchWords, sayPlain } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { hasAllWords } from '../core/db/word-match.ts'
import { ARTIFACT } from '../files/artifacts.ts'
import { ERRORS } from '../core/errors.ts'
import type { OperationRow, OperationStatus, ItemError } from './types.ts'

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
  /** The workflow that they run, by its id in requests. */
  workflow?: string
  /** Only those whose workflow continues later, or tries failed files again. */
  waiting?: true
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

/** Reads no row for the many operations that no other one led to. */
const LED_BY = `(
  with recursive led as (
    select 1 as n, o.* from operations o where o.shop_id = operations.shop_id
      and o.id = (operations.cause ->> 'operation')::uuid
    union all select n + 1, o.* from led join operations o on o.shop_id = led.shop_id
      and o.id = (led.cause ->> 'operation')::uuid)
  select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'title', workflow ->> 'title',
    'cause', cause, 'schedule_id', schedule_id, 'requested_by', requested_by) order by n desc) from led)`

const COLUMNS = `operations.*, ${ARTIFACT} as artifact, ${UNDOES_KIND} as undoes_kind,
  ${LED_BY} as led_by,
  (select p.kind from operations p where p.shop_id = operations.shop_id
    and p.id = operations.continues) as continues_kind,
  array(select n.id from operations n where n.shop_id = operations.shop_id
    and n.continues = operations.id order by n.id) as continued_by`

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
  workflow: `workflow ->> 'id' = :workflow`,
  waiting: `(continue_at is not null or (again_at is not null and not (again ->> 'run')::boolean))`,
  error: `(jsonb_exists(failure_causes, :error) or stopped ->> 'code' = :error)`,
  before: 'id < :before::uuid',
} satisfies Partial<Record<keyof OperationFilter, string>>

// Why an item was not started: a person cancelled the operation, or another failure ended it.

const because = (
  code: 'operation_cancelled' | 'operation_stopped',
  message: string = ERRORS[code].message,
): ItemError => ({
  code,
  message,
  retryable: true,
})

export const CANCELLED = because('operation_cancelled')
export const STOPPED = because('operation_stopped')
export const DISCARDED = because(
  'operation_cancelled',
  sayPlain('The preview was discarded: nothing was changed'),
)

export const FAILED_PREVIEW = because(
  'operation_stopped',
  sayPlain('The preview failed: nothing was changed'),
)

export const whyCancelled = ({ stopped }: Pick<OperationRow, 'stopped'>): ItemError =>
  stopped ? STOPPED : CANCELLED
