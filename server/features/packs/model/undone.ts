// A pack that an operation created for its files is removed with the undo of that operation.
import type { OperationEnd } from '../../../engine/parts.ts'

const PUBLIC_ID = `('pack_' || replace(p.id::text, '-', ''))`

/**
 * Removes packs that the undone operation created, if they are as it left them without its files:
 * empty, with no products and no links, and named by no setting and no schedule.
 */
export const dropUndonePacks: OperationEnd = async (tx, { undoes }, worked) => {
  if (undoes === null || !worked) return
  await tx.query(
    `delete from packs p using operations o
     where o.shop_id = :shop and o.id = :undoes and p.shop_id = o.shop_id
       and p.created_at between coalesce(o.started_at, o.created_at) and o.finished_at
       and p.updated_at = p.created_at
       and exists (select from items i where i.shop_id = o.shop_id and i.operation_id = o.id
         and i.after ->> 'pack_id' = p.id::text)
       and not exists (select from files f where f.shop_id = p.shop_id and f.pack_id = p.id)
       and not exists (select from links l where l.shop_id = p.shop_id and l.pack_id = p.id)
       and not exists (select from pack_products x where x.shop_id = p.shop_id and x.pack_id = p.id)
       and not exists (select from schedules s where s.shop_id = p.shop_id
         and s.filter ->> 'pack' = ${PUBLIC_ID})
       and not exists (select from shops s where s.id = p.shop_id
         and s.settings -> 'pack_watermarks' -> ${PUBLIC_ID} is not null)`,
    { undoes },
  )
}
