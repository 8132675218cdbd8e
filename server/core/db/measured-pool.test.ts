import { onTestFinished, expect, it } from 'vitest'
import { createTestDatabase, silent } from '../../../test/database.ts'
import { poolWaits } from '../totals.ts'
import { openDatabase } from './database.ts'

it('waits for a connection are counted, and connections that are free are not', async () => {
  const { url, drop } = await createTestDatabase()
  const database = openDatabase(url, 1, silent)
  onTestFinished(() => database.close().then(drop))
  const waits = (pool: string) => poolWaits.count.read().get(pool) ?? 0
  const before = { plain: waits('plain'), knex: waits('knex') }

  await database.pool.query('select 1')
  await database.knex.raw('select 1')
  expect([waits('plain'), waits('knex')]).toEqual([before.plain, before.knex])

  const held = await database.pool.connect()
  const waiting = [database.pool.query('select 1'), database.pool.connect()] as const
  held.release()
  await waiting[0]
  ;(await waiting[1]).release()
  expect(waits('plain')).toBe(before.plain + 2)
  expect(poolWaits.seconds.read().get('plain')).toBeGreaterThan(0)

  await Promise.all([database.knex.raw('select 1'), database.knex.raw('select 1')])
  expect(waits('knex')).toBe(before.knex + 1)
})
