// A shop's settings of its drop folders: which connections are accepted, and how files are
// imported.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { DropAddress } from '../../core/configuration/drop-settings.ts'
import { queueTask } from '../../core/queue/background.ts'
import { requireFeature } from '../../files/quotas.ts'
import type { OnConflict } from '../../../plugins/contract/index.ts'
import { DROP_TASK } from './wake.ts'

export const SCHEDULES = ['hourly', 'realtime', 'manual'] as const
export const MATCH_BY = ['sku_prefix', 'rules'] as const
export const FOLDER_NAMES = ['ignore', 'tag', 'pack'] as const

export interface DropSettings {
  enabled: boolean
  /** Whether plain FTP is refused. */
  tls_required: boolean
  auto_import: boolean
  schedule: (typeof SCHEDULES)[number]
  /**
   * How products are found. `sku_prefix`: {product_sku}_{filename}.ext; `rules`: by the shop's own
   * rules.
   */
  match_by: (typeof MATCH_BY)[number]
  notify: boolean
  /** Whether imported files are moved to /processed/; otherwise they are deleted. */
  move_to_processed: boolean
  /** How the name of a file's folder is used. */
  folder_names: (typeof FOLDER_NAMES)[number]
  on_conflict: OnConflict
}

const COLUMNS = [
  'enabled',
  'tls_required',
  'auto_import',
  'schedule',
  'match_by',
  'notify',
  'move_to_processed',
  'folder_names',
  'on_conflict',
] as const

/** Settings that are checked only when a session is opened, so a change of them ends sessions. */
const OF_SESSIONS = ['enabled', 'tls_required'] as const

/**
 * Creates the settings of a shop, which gets them with its first account. A shop whose plan has no
 * real time begins with the hourly schedule.
 */
export const ensureSettings = async (
  scope: ShopScope,
  schedule: DropAddress['schedule'],
): Promise<void> =>
  void (await scope.query(
    `insert into drop_settings (shop_id, schedule)
       select id, case when exists (select from shop_plans p
           where p.shop_id = :shop and not 'realtime' = any(p.features)) then 'hourly'
         else :schedule end
       from shops where id = :shop on conflict do nothing`,
    { schedule },
  ))

export async function readSettings(
  scope: ShopScope,
): Promise<DropSettings & { next_import_at: Date | null }> {
  const row = await scope.one<DropSettings & { next_import_at: Date | null }>(
    `select ${COLUMNS.join(', ')}, case when auto_import and schedule = 'hourly'
       then coalesce(next_import_at, ${NEXT_HOUR}) end as next_import_at
     from drop_settings where shop_id = :shop`,
  )
  return row
}

export const NEXT_HOUR = `date_trunc('hour', now()) + interval '1 hour'`

/** Changes the settings, and ends sessions that the new ones would refuse. */
export async function changeSettings(
  scope: ShopScope,
  change: Partial<DropSettings>,
): Promise<DropSettings & { next_import_at: Date | null }> {
  if (change.schedule === 'realtime') await requireFeature(scope, 'realtime')
  const given = COLUMNS.filter((column) => change[column as keyof DropSettings] !== undefined)
  if (given.length > 0)
    await scope.query(
      `update drop_settings set ${given.map((column) => `${column} = :${column}`).join(', ')},
         next_import_at = case when :rescheduled then null else next_import_at end
       where shop_id = :shop`,
      {
        ...change,
        rescheduled: change.schedule !== undefined || change.auto_import !== undefined,
      },
    )
  // Waiting files may be due now.
  if (change.schedule !== undefined || change.auto_import !== undefined)
    await queueTask(scope, DROP_TASK, String(scope.shop))
  if (OF_SESSIONS.some((column) => change[column] !== undefined))
    await scope.query(`select pg_notify('drop_control', 'shop ' || id) from shops where id = :shop`)
  return readSettings(scope)
}

/** What triggers say about the files of accounts and folders, by source. */
export type DropSources = Readonly<
  Record<string, { on_conflict: OnConflict | null; quiet_seconds: number | null }>
>

export type LockedSettings = DropSettings & {
  operation_id: string | null
  /** The source of the open import's files; null: no trigger names it. */
  open_source: string | null
  sources: DropSources
  now: Date
}

/**
 * Locks the settings, so that no other transaction takes files or adds to the open import.
 */
export async function lockSettings(tx: ShopScope): Promise<LockedSettings> {
  const row = await tx.one<LockedSettings>(
    `select *, now(), (select coalesce(jsonb_object_agg(t.source, t.options), '{}') from triggers t
         join workflows w on w.shop_id = t.shop_id and w.id = t.workflow_id and w.enabled
       where t.shop_id = :shop and t.enabled and t.source like 'account:%') as sources
     from drop_settings where shop_id = :shop for no key update`,
  )
  return row
}
