import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import compress from 'koa-compress'
import { expect, it, onTestFinished } from 'vitest'
import { sendChunks } from './stream-body.ts'

async function serve(chunks: () => AsyncIterable<string>) {
  const app = new Koa()
  const errors: string[] = []
  app.on('error', (error: Error) => errors.push(error.message))
  app.use(compress({ zstd: false, deflate: false }))
  app.use((ctx) => {
    ctx.type = 'text/csv; charset=utf-8'
    sendChunks(ctx, chunks())
  })
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const get = async (encoding: string) => {
    const sent = request({ port, headers: { 'accept-encoding': encoding } }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.on('error', () => {})
    return answer
  }
  return { get, errors }
}
/** Enough that compression passes some of it on. */
const LONG = Array.from({ length: 100_000 }, (_, n) => String((n * 7919) % 100_003)).join()

it.each(['gzip', 'identity'])(
  'a failure while it is sent ends the answer early (%s)',
  async (as) => {
    const begun = Promise.withResolvers<void>()
    const { get, errors } = await serve(async function* () {
      yield LONG
      await begun.promise
      throw new Error('the database restarts')
    })
    const answer = await get(as)
    answer.once('data', () => begun.resolve())
    await new Promise((resolve) => answer.resume().once('close', resolve))
    expect([answer.statusCode, answer.complete]).toEqual([200, false])
    expect(errors[0]).toBe('the database restarts')
  },
)

it.each(['gzip', 'identity'])(
  'a client that stops reading and leaves ends the chunks (%s)',
  async (as) => {
    const ended = Promise.withResolvers<void>()
    const { get } = await serve(async function* () {
      try {
        while (true) {
          await Promise.resolve()
          yield LONG
        }
      } finally {
        ended.resolve()
      }
    })
    const answer = await get(as)
    answer.pause().destroy()
    await ended.promise
  },
)
