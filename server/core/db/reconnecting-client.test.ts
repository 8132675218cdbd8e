import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, silent } from '../../../test/database.ts'
import { openDatabase, type Database } from './database.ts'
import * as classes from './lock-classes.ts'
import { openReconnecting } from './listener.ts'

let server: Awaited<ReturnType<typeof createTestDatabase>>
let database: Database
beforeAll(async () => {
  server = await createTestDatabase()
  database = openDatabase(server.url, 2, silent)
})
afterAll(async () => {
  await database.close()
  await server.drop()
})

const MARK = 'of the test of reconnecting clients'
const connections = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity where query like '%' || $1
       and pid <> pg_backend_pid()`,
    [MARK],
  )
  return rows[0]!.count
}
const cut = () =>
  database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where query like '%' || $1
       and pid <> pg_backend_pid()`,
    [MARK],
  )
/** `gates[n]` is called before the nth connection is ready. */
const open = (gates: readonly (() => Promise<unknown>)[], onReconnected = () => {}) => {
  let count = 0
  return openReconnecting(server.url, {
    log: silent,
    name: 'test',
    onNotification: () => {},
    onReconnected,
    prepare: async (client: pg.Client) => {
      await client.query(`select 1 -- ${MARK}`)
      await gates[count++]?.()
    },
  })
}
const nothing = () => Promise.resolve()

it('a connection that could not be prepared is closed, and another one is opened', async () => {
  const back = Promise.withResolvers<void>()
  const refuse = () => Promise.reject(new Error('refused'))
  const client = await open([nothing, refuse, refuse], back.resolve)
  await cut()
  await back.promise
  expect(client.current).not.toBeNull()
  await expect.poll(connections).toBe(1)
  await client.close()
  await expect.poll(connections).toBe(0)
})

it('a connection that opens while it is closed is closed too', async () => {
  const opening = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const wait = () => {
    opening.resolve()
    return gate.promise
  }
  const client = await open([nothing, wait])
  await cut()
  await opening.promise
  await client.close()
  gate.resolve()
  await expect.poll(connections).toBe(0)
  expect(client.current).toBeNull()
})

it('no two uses of advisory locks have one number', () => {
  const numbers = Object.values(classes)
  expect(new Set(numbers).size).toBe(numbers.length)
})
