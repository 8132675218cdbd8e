import { PortError } from '../../../plugins/contract/index.ts'
import type { Parcels } from '../../../plugins/take-parcel/port.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'

export function createParcelPort({ scope }: { scope: ShopScope }): Parcels {
  const open = async (id: string): Promise<Uint8Array> => {
    const [row] = await scope.query<{ content: Buffer }>(
      'select content from parcels where shop_id = :shop and id = :id',
      { id },
    )
    if (!row) throw new PortError('file_not_found', ERRORS.file_not_found.message, false)
    return row.content
  }
  return { open, sizeOf: async (id) => (await open(id)).byteLength }
}
