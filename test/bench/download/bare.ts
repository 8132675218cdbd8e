// The reference: a minimal Koa app that streams a file of a folder and counts nothing. It is given
// the size, so that it does not call stat.
import { createReadStream } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import Koa from 'koa'

const { folder, sizes } = JSON.parse(process.argv[2]!) as {
  folder: string
  sizes: Record<string, number>
}

const app = new Koa()
// A client may close after its last byte, before Koa sees the end of the response.
app.silent = true
app.use((ctx) => {
  const name = path.basename(ctx.path)
  ctx.type = 'application/octet-stream'
  ctx.length = sizes[name.split('-')[0]!]!
  ctx.body = createReadStream(path.join(folder, name))
})
const server = app.listen(0, '127.0.0.1', () =>
  process.send!((server.address() as AddressInfo).port),
)
process.on('disconnect', () => process.exit())
