import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  databaseReason,
  isConnectTimeout,
  isDatabaseUnavailable,
  reasonOf,
} from './error-classes.ts'

/** Accepts connections, as a server that is too busy to answer them. */
let server: Server
const sockets = new Set<Socket>()
beforeAll(async () => {
  server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

const options = () => ({
  host: '127.0.0.1',
  port: (server.address() as AddressInfo).port,
  user: 'a',
  database: 'a',
  connectionTimeoutMillis: 20,
})

it.each([
  ['a client', async () => new pg.Client(options()).connect()],
  [
    'a pool',
    async () => {
      const pool = new pg.Pool(options())
      try {
        await pool.query('select 1')
      } finally {
        await pool.end()
      }
    },
  ],
])('%s whose connection is not made in time is an outage', async (_, connect) => {
  const error: unknown = await connect().then(
    () => null,
    (reason: unknown) => reason,
  )
  expect([isDatabaseUnavailable(error), isConnectTimeout(error)]).toEqual([true, true])
})

it('a refused connection is an outage, and no timeout', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  expect([isDatabaseUnavailable(refused), isConnectTimeout(refused)]).toEqual([true, false])
})

it('the reason of an error is given without its statement', () => {
  const lost = 'Connection terminated unexpectedly'
  expect(databaseReason(new Error(lost))).toBe(lost)
  expect(databaseReason(new Error(`select a - b,\n  c from t - ${lost}`))).toBe(lost)
})

it('the reason of a name with several addresses is not empty', () => {
  // As Node reports it.
  const both = new AggregateError([
    new Error('connect ECONNREFUSED ::1:5432'),
    new Error('connect ECONNREFUSED 127.0.0.1:5432'),
  ])
  expect(reasonOf(both)).toBe('connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432')
  expect(reasonOf(Object.assign(new Error(''), { code: 'ECONNRESET' }))).toBe('ECONNRESET')
})
