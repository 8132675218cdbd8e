// Answers whose text is generated while it is sent: exports and server-sent events.
import { Readable } from 'node:stream'
import type { Context } from 'koa'

/**
 * Sends the chunks as the body. If they fail, the connection is closed, so that the client does not
 * treat a part as the whole. If the client disconnects, the chunks are ended.
 */
export function sendChunks(ctx: Context, chunks: AsyncIterable<string>): void {
  const body = Readable.from(chunks)
  // The compression pipes this body into another one without passing on its errors: without this,
  // the response would never end.
  body.on('error', (error) => {
    if (ctx.body !== body) ctx.app.emit('error', error, ctx)
    ctx.res.destroy()
  })
  ctx.res.once('close', () => body.destroy())
  ctx.body = body
}
