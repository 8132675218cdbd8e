// Deletes one row of a shop.
import { AppError } from '../errors.ts'
import type { ShopScope } from './for-shop.ts'

/** Throws `not_found` if the shop's rows of the table have no such id. */
export async function deleteRow(scope: ShopScope, table: string, id: string): Promise<void> {
  if ((await scope.from(table).where('id', id).delete()) === 0) throw new AppError('not_found')
}
