// A pack that an operation created for its files is removed with the undo of that operation.
import type { ShopScope } from '../../../core/db/for-shop.ts'

/** SQL: the text contains the public ID of the pack `p`. */
const names = (text: string) => `strpos(${text}, 'pack_' || replace(p.id::text, '-', '')) > 0`

/**
 * Removes packs that the undone operation created, if they are as it left them without its files:
 * empty, with no products and no links, and named by no setting, schedule, workflow and saved view.
 */
export async function dropUndonePacks(
  tx: ShopScope,
  { undoes }: { undoes: string | null },
): Promise<void> {
  // Locked before they are judged: a file or a link that a transaction gives a pack now is seen by
  // the next statement. A retry moves the operation's start.
  const created = await tx.query<{ id: string }>(
    `select p.id from operations o join packs p on p.shop_id = o.shop_id
     where o.shop_id = :shop and o.id = :undoes
       and p.created_at between case when o.preview then coalesce(o.started_at, o.created_at)
         else o.created_at end and o.finished_at
       and p.updated_at = p.created_at
       and exists (select from items i where i.shop_id = o.shop_id and i.operation_id = o.id
         and i.after -> 'packs' -> 'added' @> jsonb_build_array(jsonb_build_object('id', p.id)))
     order by p.id for update of p`,
    { undoes },
  )
  if (created.length === 0) return
  await tx.query(
    `delete from packs p where p.shop_id = :shop and p.id = any(:ids::uuid[])
       and not exists (select from pack_files f where f.shop_id = p.shop_id and f.pack_id = p.id)
       and not exists (select from links l where l.shop_id = p.shop_id and l.pack_id = p.id)
       and not exists (select from pack_products x where x.shop_id = p.shop_id and x.pack_id = p.id)
       and not exists (select from triggers s where s.shop_id = p.shop_id
         and ${names('concat(s.filter, s.options)')})
       and not exists (select from workflows w where w.shop_id = p.shop_id
         and ${names('w.steps::text')})
       and not exists (select from saved_views v where v.shop_id = p.shop_id
         and ${names('concat(v.filter, v.query)')})
       and not exists (select from shops s where s.id = p.shop_id
         and ${names(`s.settings ->> 'pack_watermarks'`)})`,
    { ids: created.map(({ id }) => id) },
  )
}
