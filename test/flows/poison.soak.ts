// A file that crashes every process working on it fails alone, even if its batch is one
// transaction.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import { hasEnded } from '../../server/engine/lifecycle.ts'
import { createTestEngine, type TestEngine } from '../engine.ts'
import { sized } from '../scale.ts'
import { fillLibrary } from './library.ts'

const { plugins, workflows } = appConfig({})
let house: TestEngine
beforeAll(async () => {
  house = await createTestEngine(plugins, workflows)
  await fillLibrary(house, 1000)
})
afterAll(() => house.close())

const CASES: [string, boolean][] = [
  ['beside a chain that had come to its end', true],
  ['by the one chain', false],
]

test.each(CASES.slice(0, sized(1, 2)))(
  'a poison file fails after three attempts in which it was identified, and the other 999 are done, %s',
  async (_, another) => {
    await house.scope.query('update files set expiry_days = null where shop_id = :shop')
    const id = await house.startOn({
      id: 'test',
      title: 'Test',
      action: 'meet-poison',
      kind: 'bulk',
      parallel: 2,
      steps: [{ id: 'act', plugin: 'meet-poison' }],
    })
    if (another) {
      const beside =
        'insert into chains (shop_id, operation_id, chain, ended) values (:shop, :id, 1, true)'
      await house.scope.query(beside, { id })
    }
    const deaths: (string | null)[] = []
    const ended = async () => hasEnded((await house.engine.get(house.scope, id))!)
    while (!(await ended()) && deaths.length < 10) {
      const child = spawn(process.execPath, [path.join(import.meta.dirname, 'poison-worker.ts')], {
        env: {
          PATH: process.env.PATH ?? '',
          DATABASE_URL: house.parts.database.url,
          POISON: 'Manual 333.pdf',
        },
        stdio: 'inherit',
      })
      const gone = once(child, 'exit') as Promise<[number | null, string | null]>
      const over = house.engine.waitForEnd(house.scope, id, 60_000, new AbortController().signal)
      const [, signal] = (await Promise.race([
        gone,
        over.then(() => [null, 'SIGTERM'] as const),
      ])) as [null, string]
      if (signal === 'SIGTERM') {
        child.kill('SIGTERM')
        await gone
        break
      }
      deaths.push(signal)
      await markWorkerDead()
    }
    const { operation, items } = await house.untilEnd(id)
    // Once with the whole batch, once in a group of a hundred, and then twice alone.
    expect(deaths).toEqual(Array(4).fill('SIGKILL'))
    expect(operation).toMatchObject({ status: 'partial', total: 1000, done: 999, failed: 1 })
    expect(items.filter(({ status }) => status !== 'done')).toMatchObject([
      {
        filename: 'Manual 333.pdf',
        status: 'failed',
        attempt: 3,
        error: { code: 'worker_crashed' },
      },
    ])
    const [counted] = await house.scope.query<{ changed: number }>(
      'select count(*) as changed from files where shop_id = :shop and expiry_days = 77',
    )
    expect(counted).toEqual({ changed: 999 })
  },
)

/** Does what the crash sweep does with a dead worker, without its wait of ten seconds. */
async function markWorkerDead(): Promise<void> {
  const { pool } = house.parts.database
  const { rows } = await pool.query<{ pool_id: string }>('delete from workers returning pool_id')
  await pool.query('select graphile_worker.force_unlock_workers($1)', [
    rows.map(({ pool_id }) => pool_id),
  ])
}
