// What changed on the platform and waits to be read from there: one row and one job for each
// subject, however often it is reported.
import type { ShopScope } from '../../db/for-shop.ts'
import { queueTask, type TaskKind } from '../../engine/background.ts'
import type { ShopChange, ShopChangeKind } from './topics.ts'

/** Orders have their own task, so that nothing else delays them. */
export const RECONCILE_ORDER: TaskKind = { name: 'reconcile-order' }
export const APPLY_CHANGE: TaskKind = { name: 'apply-platform-change' }

const taskOf = (kind: ShopChangeKind) => (kind === 'order' ? RECONCILE_ORDER : APPLY_CHANGE)

/** A job's key names shop, kind and subject. */
const KEY = `shop_id || '/' || kind || '/' || subject`
const keyOf = (shop: number, { kind, subject }: ShopChange) => `${shop}/${kind}/${subject}`

export function changeOfKey(key: string): { kind: ShopChangeKind; subject: string } {
  const [, kind, ...subject] = key.split('/')
  return { kind: kind as ShopChangeKind, subject: subject.join('/') }
}

/**
 * SQL: the changes that must have a job. Those of an uninstalled shop wait until it returns, except
 * the platform's demands to delete and to hand out data.
 */
export const WANTED_ORDERS = `
  select c.shop_id, ${KEY} as key, c.due_at from platform_changes c
  join shops s on s.id = c.shop_id and s.uninstalled_at is null where c.kind = 'order'`
export const WANTED_CHANGES = `
  select c.shop_id, ${KEY} as key, c.due_at from platform_changes c join shops s on s.id = c.shop_id
  where c.kind in ('customer-data', 'customer-redact', 'shop-redact')
    or c.kind in ('product', 'profile') and s.uninstalled_at is null`

/** Records a change and queues its job, in the caller's transaction. */
export async function reportChange(tx: ShopScope, change: ShopChange): Promise<void> {
  await tx.query(
    `insert into platform_changes (shop_id, kind, subject, payload) values (:shop, :kind, :subject, :payload)
     on conflict (shop_id, kind, subject) do update
       set noted = excluded.noted, due_at = now(), payload = excluded.payload`,
    {
      kind: change.kind,
      subject: change.subject,
      payload: change.payload === undefined ? null : JSON.stringify(change.payload),
    },
  )
  await queueTask(tx, taskOf(change.kind), keyOf(tx.shop, change))
}

export interface Reported {
  noted: number
  payload: unknown
}

/** Null: it was dealt with already. */
export async function readChange(
  scope: ShopScope,
  { kind, subject }: Pick<ShopChange, 'kind' | 'subject'>,
): Promise<Reported | null> {
  const [row] = await scope.query<Reported>(
    `select noted, payload from platform_changes
     where shop_id = :shop and kind = :kind and subject = :subject`,
    { kind, subject },
  )
  return row ?? null
}

/** Deletes the change; false if it was reported again since it was read: then it runs once more. */
export async function settleChange(
  scope: ShopScope,
  { kind, subject }: Pick<ShopChange, 'kind' | 'subject'>,
  noted: number,
): Promise<boolean> {
  const rows = await scope.query(
    `with gone as (
       delete from platform_changes
       where shop_id = :shop and kind = :kind and subject = :subject and noted = :noted
     )
     select from platform_changes
     where shop_id = :shop and kind = :kind and subject = :subject and noted <> :noted`,
    { kind, subject, noted },
  )
  return rows.length === 0
}
