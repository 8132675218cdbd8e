// The reference behind nginx: a minimal Koa app that admits every request and counts nothing; nginx
// sends the file.
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import Koa from 'koa'

const { prefix } = JSON.parse(process.argv[2]!) as { prefix: string }

const app = new Koa()
app.silent = true
app.use((ctx) => {
  ctx.type = 'application/octet-stream'
  ctx.set('X-Accel-Redirect', `${prefix}/${path.basename(ctx.path)}`)
  ctx.body = ''
})
const server = app.listen(0, '127.0.0.1', () =>
  process.send!((server.address() as AddressInfo).port),
)
process.on('disconnect', () => process.exit())
