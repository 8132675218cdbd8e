// The product's side: delivery as the server composes it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDatabase } from '../../../server/core/db/database.ts'
import { openListener } from '../../../server/core/db/listener.ts'
import { createDelivery } from '../../../server/features/downloads/downloads.ts'
import { createLogger } from '../../../server/core/log.ts'
import { downloadMessages } from '../../../server/features/downloads/download-notices.ts'
import { createSecrets } from '../../../server/core/secrets.ts'
import { createDiskStore } from '../../../server/core/store/disk.ts'

const settings = JSON.parse(process.argv[2]!) as {
  url: string
  secret: string
  folder: string
  accel?: string
}
const log = createLogger('info')
const database = openDatabase(settings.url, 10, log)
const clock = () => new Date()
const listener = await openListener(settings.url, log)
const delivery = createDelivery({
  database,
  listener,
  stores: new Map([['primary', createDiskStore({ folder: settings.folder })]]),
  secrets: createSecrets(settings.secret),
  log,
  clock,
  trustProxy: settings.accel !== undefined,
  baseUrl: 'http://bench',
  accel: settings.accel === undefined ? null : { location: 'primary', prefix: settings.accel },
  messages: downloadMessages(database, clock),
})

const server = createServer((request, response) => void delivery.handle(request, response))
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.on('disconnect', () => void delivery.close().then(() => process.exit()))
