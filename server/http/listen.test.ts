import { once } from 'node:events'
import { createConnection, type AddressInfo, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { soakTest, someOf } from '../../test/scale.ts'
import { listen } from './listen.ts'

/** Resolves with all received bytes when the other side ends. */
const closed = (socket: Socket) =>
  new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('error', () => {}).on('close', () => resolve(text))
  })

soakTest('closes silent connections, but not slow ones', async () => {
  // Much longer than the delay between two timers on a busy machine.
  const stallMs = 900
  const server = await listen(
    (request, response) => {
      let bytes = 0
      request.on('error', () => {}).on('data', (chunk: Buffer) => (bytes += chunk.length))
      request.on('end', () => response.end(String(bytes)))
    },
    0,
    '127.0.0.1',
    stallMs,
  )
  expect([server.requestTimeout, server.headersTimeout]).toEqual([0, 60_000])
  const open = () => {
    const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 8\r\n\r\nab')
    return socket
  }
  const [idle, slow] = [open(), open()]
  // Twice as long as an idle connection may last, with bytes in between.
  const feeding = setInterval(() => slow.write('c'), stallMs / 3)
  const [dropped, answered] = await Promise.all([closed(idle), closed(slow)])
  clearInterval(feeding)
  expect(dropped).toBe('')
  expect(answered).toMatch(/^HTTP\/1.1 200 OK[^]*\r\n\r\n8$/)
  await new Promise((resolve) => server.close(resolve))
})

it.each(
  someOf(
    [
      ['FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 'malformed_request', 400],
      ['GET /a b HTTP/1.1\r\nHost: a\r\n\r\n', 'malformed_request', 400],
      [
        `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${'a'.repeat(40_000)}\r\n\r\n`,
        'headers_too_large',
        431,
      ],
    ] as const,
    (_, at) => at < 1,
  ),
)('answers %.20j with the standard error body, and closes', async (bytes, code, status) => {
  const server = await listen((_, response) => response.end('called'), 0, '127.0.0.1')
  onTestFinished(() => void server.close())
  // As a client that never closes its half of the connection.
  const { port } = server.address() as AddressInfo
  const socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const ended = once(server, 'connection').then(([one]) => once(one as Socket, 'close'))
  socket.write(bytes)
  let text = ''
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk.toString()))
  await ended
  const [head, body] = text.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\n[^]*application/json`))
  expect(JSON.parse(body!)).toMatchObject({ error: { code, status } })
})

it('answers a request with an unknown expectation', async () => {
  const server = await listen((_, response) => response.end('called'), 0, '127.0.0.1')
  onTestFinished(() => void server.close())
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n')
  expect(await closed(socket)).toMatch(/^HTTP\/1.1 200 [^]*called$/)
})

it('says which setting to change where it cannot listen', async () => {
  const app = () => {}
  const server = await listen(app, 0, '127.0.0.1')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await expect(listen(app, port, '127.0.0.1')).rejects.toThrow(
    `PORT: ${port} on 127.0.0.1 is taken: stop the program that uses it, or set another port`,
  )
  // An address for documentation, which no machine has.
  await expect(listen(app, 0, '192.0.2.1')).rejects.toThrow(
    'PORT: 0 on 192.0.2.1 can’t be used, because HOST is not an address of this machine',
  )
})
