// The lease: whoever's claim is not the newest writes nothing.
import type { ShopScope } from '../../db/for-shop.ts'

/** Another worker has taken this over, or the operation was ended from elsewhere: stop, write nothing. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease was taken over')
    this.name = 'LeaseLost'
  }
}

/** Keeps the chain from being taken over before the transaction ends. Throws `LeaseLost` when it already was. */
export async function holdLease(tx: ShopScope, operation: string, chain: number, lease: number): Promise<void> {
  const rows = await tx.query(
    `select 1 from chains where shop_id = :shop and operation_id = :operation and chain = :chain and lease = :lease
     for update`,
    { operation, chain, lease },
  )
  if (rows.length === 0) throw new LeaseLost()
}
