// Places of files in packs: how ledgers keep them, and the SQL that asks for them.

/** A file's place in a pack. */
export interface PackPlace {
  /** The pack's bare UUID. */
  id: string
  position: number
  /** The time with every digit, so that an undo can restore it exactly. */
  added_at: string
}

/** A pack that a file entered or left, as its ledger has it. */
export interface ChangedPack extends Partial<Omit<PackPlace, 'id'>> {
  /** A bare UUID. Absent: a preview names a pack that does not exist yet. */
  id?: string
  name: string
}

export interface ChangedPacks {
  added: ChangedPack[]
  removed: ChangedPack[]
}

/** SQL: is the file in the pack? Of rows of the shop. */
export const isInPack = (shop: string, pack: string, file: string): string =>
  `exists (select from pack_files in_pack where in_pack.shop_id = ${shop}
     and in_pack.pack_id = ${pack} and in_pack.file_id = ${file})`

/** SQL: the packs of a file in the order in which it entered them. */
export const ENTRY_ORDER = 'added_at, pack_id'

/**
 * SQL: no pack of its file has the product of the mapping `m`.
 * @param but the pack that does not count, if any
 */
export const isGivenByNone = (but?: string): string =>
  `not exists (select from pack_files o join pack_products x on x.shop_id = o.shop_id
     and x.pack_id = o.pack_id
   where o.shop_id = m.shop_id and o.file_id = m.file_id
     ${but === undefined ? '' : `and o.pack_id <> ${but}`}
     and x.product_id = m.product_id and x.variant_id = m.variant_id)`
