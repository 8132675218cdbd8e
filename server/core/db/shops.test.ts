import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database.ts'
import { ensureShop, findShop } from './for-shop.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())

test('a shop is created once, and keeps its name when it returns', async () => {
  const domain = 'harbour.myshopify.com'
  expect(await findShop(database, domain)).toBeNull()
  const made = await Promise.all(Array.from({ length: 5 }, () => ensureShop(database, { domain })))
  expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  expect(made[0]).toMatchObject({ domain, name: 'harbour', demo: false })
  expect(await ensureShop(database, { domain, name: 'Other', demo: true })).toEqual(made[0])
})

test('an uninstalled shop is not found until it installs again', async () => {
  const domain = 'left.myshopify.com'
  const { id } = await ensureShop(database, { domain, settings: { recipients: ['a@b.example'] } })
  await database.pool.query('update shops set uninstalled_at = now() where id = $1', [id])
  expect(await findShop(database, domain)).toBeNull()
  expect((await ensureShop(database, { domain })).id).toBe(id)
  const { rows } = await database.pool.query(
    'select settings, uninstalled_at from shops where id = $1',
    [id],
  )
  expect(rows[0]).toEqual({ settings: { recipients: ['a@b.example'] }, uninstalled_at: null })
})
