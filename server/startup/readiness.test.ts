import { onTestFinished, expect, it } from 'vitest'
import { createTestDatabase, silent } from '../../test/database.ts'
import { openDatabase } from '../core/db/database.ts'
import { createReadiness } from './readiness.ts'

async function open() {
  const { url, drop } = await createTestDatabase()
  const database = openDatabase(url, 2, silent)
  onTestFinished(() => database.close().then(drop))
  return { database, readiness: createReadiness(database) }
}

it('a process is ready with a migrated database, until it stops', async () => {
  const { readiness } = await open()
  await readiness.check()
  readiness.drain()
  await expect(readiness.check()).rejects.toMatchObject({
    status: 503,
    message: 'This process is stopping',
  })
})

it('a process is not ready while migrations are pending', async () => {
  const { database, readiness } = await open()
  await database.pool.query(
    'delete from knex_migrations where id = (select max(id) from knex_migrations)',
  )
  await expect(readiness.check()).rejects.toMatchObject({
    status: 503,
    message: 'Migrations of the database are pending',
  })
})

it('a process is not ready without its database', async () => {
  const database = openDatabase('postgres://127.0.0.1:1/none', 1, silent)
  onTestFinished(() => database.close())
  await expect(createReadiness(database).check()).rejects.toMatchObject({
    status: 503,
    message: 'The database does not answer',
  })
})
