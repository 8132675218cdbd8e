// The product's side: receives the file as an upload does and checks it as a worker does, on a real
// database with a filled mirror.
import { createReadStream } from 'node:fs'
import { createSecrets } from '../../../server/core/secrets.ts'
import { checkUpload } from '../../../server/features/csv/check-run.ts'
import { createSkuCount } from '../../../server/features/csv/sku-count.ts'
import {
  ROW_MODES,
  receiveCsv,
  removeUpload,
  requireUpload,
} from '../../../server/features/csv/uploads.ts'
import { openDatabase } from '../../../server/core/db/database.ts'
import { forShop } from '../../../server/core/db/for-shop.ts'
import { createLogger } from '../../../server/core/log.ts'

const { databaseUrl, shop } = JSON.parse(process.argv[2]!) as { databaseUrl: string; shop: number }
const database = openDatabase(databaseUrl, 4, createLogger('error'))
const scope = forShop(database, shop)
/** SKUs that are not in the mirror do not exist in the storefront either. */
const live = { findBySku: () => Promise.resolve(new Map()) }

const noWorkbook = () => Promise.reject(new Error('This is no workbook'))

async function check(file: string) {
  const started = performance.now()
  const id = await receiveCsv(scope, createReadStream(file), 'bench.csv', noWorkbook)
  const received = performance.now() - started
  const upload = {
    ...(await requireUpload(scope, id)),
    check_options: { probe: false, on_conflict: 'error' as const, ...ROW_MODES },
  }
  const end = await checkUpload(scope, upload, {
    secrets: createSecrets('a bench without headers'),
    probe: () => Promise.reject(new Error('The bench sends no requests')),
    oddSkus: (of) => createSkuCount(of, live),
    limits: { file_bytes: 5e9, large_file_bytes: 5e8 },
    onProgress: () => {},
    signal: new AbortController().signal,
  })
  const ms = performance.now() - started
  await removeUpload(scope, id)
  return { ms, received, end }
}

process.on('message', ({ file }: { file: string }) => {
  void check(file).then((answer) => process.send!(answer))
})
process.on('disconnect', () => void database.close())
process.send!('ready')
