import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, silent } from '../../../test/database.ts'
import { openDatabase, type Database } from './database.ts'
import { openLocks, type Locks } from './locks.ts'

const never = new AbortController().signal
let server: Awaited<ReturnType<typeof createTestDatabase>>
let database: Database
let here: Locks
let there: Locks
beforeAll(async () => {
  server = await createTestDatabase()
  database = openDatabase(server.url, 2, silent)
  here = await openLocks(server.url, silent)
  there = await openLocks(server.url, silent)
})
afterAll(async () => {
  await here.close()
  await there.close()
  await database.close()
  await server.drop()
})

/** Releases the lock as soon as another process requests it. */
async function takePolitely(locks: Locks, name: string): Promise<{ released: Promise<void> }> {
  const asked = Promise.withResolvers<void>()
  const release = await locks.acquire(name, never, () => asked.resolve())
  return { released: asked.promise.then(release) }
}

it.each([
  ['the same process', () => here],
  ['another process', () => there],
])(
  'the holder of a lock is asked to release it by %s, and the caller gets it',
  async (_, second) => {
    const first = await takePolitely(here, 'a')
    const release = await second().acquire('a', never, () => {})
    await first.released
    await release()
  },
)
it('one holder at a time, in any process', async () => {
  let inside = 0
  let most = 0
  const enter = async (locks: Locks) => {
    const release = await locks.acquire('busy', never, () => {})
    most = Math.max(most, ++inside)
    await database.pool.query('select 1')
    inside -= 1
    await release()
  }
  await Promise.all(Array.from({ length: 40 }, (_, n) => enter(n % 2 === 0 ? here : there)))
  expect(most).toBe(1)
})
it('other names do not wait', async () => {
  const releases = await Promise.all(
    ['x', 'y', 'z'].map((name) => here.acquire(name, never, () => {})),
  )
  await Promise.all(releases.map((release) => release()))
})
it('an aborted wait ends, and leaves nothing behind', async () => {
  const release = await here.acquire('signal', never, () => {})
  const reason = new Error('gone')
  const controller = new AbortController()
  const waiting = there.acquire('signal', controller.signal, () => {})
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  await release()
  await (
    await there.acquire('signal', never, () => {})
  )()
})
it('a process that ends releases its lock', async () => {
  const third = await openLocks(server.url, silent)
  await third.acquire('ended', never, () => {})
  const waiting = here.acquire('ended', never, () => {})
  await third.close()
  await (
    await waiting
  )()
})
it('a holder that loses its connection is told that it lost the lock, and can take it again', async () => {
  const lost = Promise.withResolvers<void>()
  const release = await there.acquire('cut', never, () => lost.resolve())
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and query like '%pg_try_advisory_lock%' and pid <> pg_backend_pid()`,
  )
  await lost.promise
  const again = await here.acquire('cut', never, () => {})
  await release()
  await again()
  await (
    await there.acquire('cut', never, () => {})
  )()
})
