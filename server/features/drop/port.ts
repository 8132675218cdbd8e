// What plugins may do with files in drop folders: look at their size, and take them for an import.
import { PortError } from '../../../plugins/contract/index.ts'
import type { DropFolders } from '../../../plugins/take-drop/port.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueTask } from '../../core/queue/background.ts'
import { ERRORS } from '../../core/errors.ts'
import { foundIn, HEAD_BYTES, type DetectedContent } from '../../ports/found-type.ts'
import { isWhole } from '../../files/blob-checks.ts'
import { readOrRepair, type CheckBlob } from '../../ports/repair.ts'
import { storeFailure } from '../../ports/catalog.ts'
import { StoreError, type BlobStore } from '../../core/store/store.ts'
import { DROP_TASK } from './wake.ts'

interface Row {
  hash: string
  location: string
  size_bytes: number
}

/** A failed file can be taken again when its import is retried; an imported one cannot. */
const TAKEABLE = `shop_id = :shop and id = :id and claim = :claim and hash is not null
  and state in ('waiting', 'importing', 'failed')`
const COLUMNS = `encode(hash, 'hex') as hash, location, size_bytes`

export interface DropPortParts {
  scope: ShopScope
  stores: ReadonlyMap<string, BlobStore>
  check?: CheckBlob | undefined
}

export function createDropPort({ scope, stores, check }: DropPortParts): DropFolders {
  const { signal } = new AbortController()
  /** A file may wait for weeks: its damage must not become a file of the shop. */
  const compare = (store: BlobStore, { hash, location }: Row) => {
    const blob = { shop: scope.shop, hash, location }
    const whole = async () => ((await isWhole(store, blob, signal)) ? true : null)
    return readOrRepair(whole, blob, check, signal)
  }
  const found = async (row: Row): Promise<DetectedContent> => {
    const { hash, location, size_bytes } = row
    const store = stores.get(location)
    if (!store) throw new StoreError('unavailable')
    if (size_bytes === 0) return {}
    await compare(store, row)
    const range = { start: 0, end: Math.min(HEAD_BYTES, size_bytes) - 1 }
    const bytes = await Array.fromAsync<Buffer>(await store.read(scope.shop, hash, range))
    return foundIn(Buffer.concat(bytes), { store, shop: scope.shop }, row)
  }
  return {
    sizeOf: async (id, claim) => {
      const sql = `select ${COLUMNS} from drop_entries where ${TAKEABLE}`
      return required(await scope.query<Row>(sql, { id, claim })).size_bytes
    },
    take: async (id, claim) => {
      const row = await scope.transaction((tx) => takeEntry(tx, id, claim))
      try {
        return { ...row, content_type: null, ...(await found(row)) }
      } catch (error) {
        throw error instanceof StoreError ? storeFailure(error) : error
      }
    },
  }
}

/**
 * Marks a file as being imported. A file of a confirmed preview or of a retried import was not
 * being imported until now, so the task that moves files away is queued: it might only be due with
 * the next hourly import.
 */
async function takeEntry(tx: ShopScope, id: string, claim: string): Promise<Row> {
  const sql = `update drop_entries set state = 'importing', placed = null where ${TAKEABLE}
    returning ${COLUMNS}, old.state <> 'importing' as begins`
  const { begins, ...row } = required(await tx.query<Row & { begins: boolean }>(sql, { id, claim }))
  if (begins) await queueTask(tx, DROP_TASK, String(tx.shop))
  return row
}

function required<R extends Row>(rows: readonly R[]): R {
  const [row] = rows
  if (!row) throw new PortError('drop_file_gone', ERRORS.drop_file_gone.message, false)
  return row
}
