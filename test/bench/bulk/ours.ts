// The product's side, as a separate process: writes an export into a storage location, hashed and
// synced, and reads COPY's rows and discards them. Both come from the same PostgreSQL server.
import pg from 'pg'
import type { ExportColumn } from '../../../plugins/contract/index.ts'
import { exportFiles } from '../../../plugins/export-files/plugin.ts'
import { openDatabase } from '../../../server/core/db/database.ts'
import { forShop } from '../../../server/core/db/for-shop.ts'
import { createListings } from '../../../server/features/links/listings.ts'
import { createLogger } from '../../../server/core/log.ts'
import { createStage } from '../../../server/ports/catalog.ts'
import { createSecrets } from '../../../server/core/secrets.ts'
import { createDiskStore } from '../../../server/core/store/disk.ts'

const { url, shop, folder } = JSON.parse(process.argv[2]!) as {
  url: string
  shop: number
  folder: string
}
const database = openDatabase(url, 4, createLogger('error'))
const secrets = createSecrets('the secret of this bench, long enough')
const stage = createStage({ store: createDiskStore({ folder }), shop, location: 'primary' })
// The columns that COPY writes.
const { columns } = exportFiles.options.parse({}) as { columns: ExportColumn[] }
/** The measured columns have no digest. */
const NO_SUMS = { of: () => Promise.resolve(null) }
const client = new pg.Client({ connectionString: url })
await client.connect()

/** Returns milliseconds and the number of bytes written. */
async function write(operation: string): Promise<[ms: number, bytes: number]> {
  const { signal } = new AbortController()
  const started = performance.now()
  const listings = createListings({ secrets, baseUrl: 'http://127.0.0.1', sums: NO_SUMS })(
    forShop(database, shop),
    operation,
    () => {},
  )
  const { size_bytes } = await stage.write(
    listings.files('csv', columns, signal) as never,
    'text/csv',
    signal,
  )
  return [performance.now() - started, size_bytes]
}

async function copy(sql: string): Promise<[ms: number, bytes: number]> {
  const started = performance.now()
  await client.query(sql)
  return [performance.now() - started, 0]
}

process.on('message', ({ operation, sql }: { operation?: string; sql?: string }) => {
  void (operation === undefined ? copy(sql!) : write(operation)).then((answer) =>
    process.send!(answer),
  )
})
process.once('disconnect', () => {
  void Promise.all([client.end(), database.close()])
})
process.send!('ready')
