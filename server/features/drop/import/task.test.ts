import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../../../test/database.ts'
import { importDrop } from '../../../../workflows/import-drop.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import type { Engine } from '../../../engine/engine.ts'
import { AppError } from '../../../core/errors.ts'
import { changeSettings, ensureSettings, readSettings } from '../settings.ts'
import { dropTask } from './task.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  await ensureSettings(scope, 'hourly')
  await scope.query(
    `insert into drop_entries (shop_id, folder, name, kind, state, closed_cleanly, quiet_since)
     values (:shop, '', 'a.pdf', 'file', 'waiting', true, now() - interval '1 hour')`,
  )
})
afterAll(() => database.drop())
beforeEach(async () => {
  await scope.query(
    `update drop_settings set next_import_at = now() - interval '1 minute' where shop_id = :shop`,
  )
})

/** Runs the task with an engine that starts no import for this reason. */
function run(reason: Error): Promise<unknown> {
  const start = () => Promise.reject(reason)
  const engine = { plugins: [], workflows: [importDrop], start } as unknown as Engine
  const task = dropTask({ database, engine, stores: new Map(), log: silent })
  return task.run({ shop: scope.shop, signal: new AbortController().signal } as never) as never
}

const isDue = async () => {
  const [row] = await scope.query<{ due: boolean }>(
    'select next_import_at <= now() as due from drop_settings where shop_id = :shop',
  )
  return row!.due
}

test('an hourly import that is interrupted is still due, so that the repeated task runs it', async () => {
  await expect(run(new Error('the database restarts'))).rejects.toThrow('the database restarts')
  expect(await isDue()).toBe(true)
})

test('an hourly import that cannot run raises a notice, and is due an hour later', async () => {
  await run(new AppError('workflow_broken'))
  expect(await isDue()).toBe(false)
  expect(await scope.query('select title from notices where shop_id = :shop')).toEqual([
    { title: 'Files in the drop folder could not be imported' },
  ])
})

test('a new shop imports in real time, unless the installation or its plan says hourly', async () => {
  const begun = async (schedule: 'hourly' | 'realtime', features?: string[]) => {
    const domain = `${randomUUID()}.example.com`
    const shop = forShop(database, await createTestShop(database, domain))
    if (features)
      await shop.query(
        `insert into shop_plans (shop_id, plan, title, limits, features)
         values (:shop, 'small', 'Small', '{}', :features::text[])`,
        { features },
      )
    await ensureSettings(shop, schedule)
    return shop
  }
  expect((await readSettings(await begun('realtime'))).schedule).toBe('realtime')
  expect((await readSettings(await begun('hourly'))).schedule).toBe('hourly')
  expect((await readSettings(await begun('realtime', ['realtime']))).schedule).toBe('realtime')
  const small = await begun('realtime', ['workflows'])
  expect((await readSettings(small)).schedule).toBe('hourly')
  await expect(changeSettings(small, { schedule: 'realtime' })).rejects.toThrow(
    /The plan “Small” does not include realtime/,
  )
  expect((await changeSettings(small, { schedule: 'manual' })).schedule).toBe('manual')
})
