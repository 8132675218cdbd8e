// Ours: delivery in a Koa as the server has it, first of all middleware.
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { openDatabase } from '../../../server/db/database.ts'
import { createDelivery } from '../../../server/delivery/delivery.ts'
import { isDownload } from '../../../server/delivery/request.ts'
import { createLogger } from '../../../server/log.ts'
import { createSecrets } from '../../../server/secrets.ts'
import { createDiskStore } from '../../../server/store/disk.ts'

const settings = JSON.parse(process.argv[2]!) as { url: string; secret: string; folder: string }
const log = createLogger('info')
const database = openDatabase(settings.url, 10, log)
const delivery = createDelivery({
  pool: database.pool,
  stores: new Map([['primary', createDiskStore({ folder: settings.folder })]]),
  secrets: createSecrets(settings.secret),
  log,
  clock: () => new Date(),
  trustProxy: false,
})

const app = new Koa()
app.use(async (ctx, next) => {
  if (!isDownload(ctx.req.url)) return next()
  ctx.respond = false
  await delivery.handle(ctx.req, ctx.res)
})
const server = app.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
