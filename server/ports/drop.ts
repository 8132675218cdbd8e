// What plugins may do with files in drop folders: look at their size, and take them for an import.
import { PortError, type DropFolders } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { ERRORS } from '../errors.ts'
import { StoreError, type BlobStore } from '../store/store.ts'
import { foundType, HEAD_BYTES } from './found-type.ts'
import { storeFailure } from './stage.ts'

interface Row {
  hash: string
  location: string
  size_bytes: number
}

/** A failed file can be taken again when its import is retried; an imported one cannot. */
const TAKEABLE = `shop_id = :shop and id = :id and claim = :claim and hash is not null
  and state in ('waiting', 'importing', 'failed')`
const COLUMNS = `encode(hash, 'hex') as hash, location, size_bytes`

export function createDropPort(
  scope: ShopScope,
  stores: ReadonlyMap<string, BlobStore>,
): DropFolders {
  const head = async ({ hash, location, size_bytes }: Row): Promise<Buffer> => {
    const store = stores.get(location)
    if (!store) throw new StoreError('unavailable')
    if (size_bytes === 0) return Buffer.alloc(0)
    const range = { start: 0, end: Math.min(HEAD_BYTES, size_bytes) - 1 }
    return Buffer.concat(await Array.fromAsync<Buffer>(await store.read(scope.shop, hash, range)))
  }
  return {
    sizeOf: async (id, claim) => {
      const sql = `select ${COLUMNS} from drop_entries where ${TAKEABLE}`
      return required(await scope.query<Row>(sql, { id, claim })).size_bytes
    },
    take: async (id, claim) => {
      const sql = `update drop_entries set state = 'importing'
        where ${TAKEABLE} returning ${COLUMNS}`
      const row = required(await scope.query<Row>(sql, { id, claim }))
      try {
        return { ...row, content_type: null, ...(await foundType(await head(row))) }
      } catch (error) {
        throw error instanceof StoreError ? storeFailure(error) : error
      }
    },
  }
}

function required(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new PortError('drop_file_gone', ERRORS.drop_file_gone.message, false)
  return row
}
