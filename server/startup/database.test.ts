import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, silent } from '../../test/database.ts'
import { ConfigError } from '../core/config-error.ts'
import { readEnvironment } from '../core/configuration/environment.ts'
import { openForStart } from './database.ts'

/** The error of a start with this address. */
async function startError(url: string, more: Record<string, string> = {}): Promise<Error> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stevedore-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const environment = readEnvironment({
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    APP_SECRET: 'a secret of at least 32 characters',
    ...more,
  })
  return openForStart(environment, silent).then(
    () => expect.fail('the database was opened'),
    (error: Error) => error,
  )
}

test('an address that cannot be used is named as the wrong setting', async () => {
  const error = await startError('postgres://127.0.0.1:1/none')
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toContain('DATABASE_URL: ')
})

test('an address without the pooler that cannot be used is named as the wrong setting', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const direct = { DATABASE_DIRECT_URL: 'postgres://127.0.0.1:1/none' }
  const error = await startError(database.url, direct)
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toContain('DATABASE_DIRECT_URL: ')
})

test('a database that can only be read is named as such', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  const { rows } = await client.query<{ name: string }>(
    'select quote_ident(current_database()) as name',
  )
  await client.query(`alter database ${rows[0]!.name} set default_transaction_read_only = on`)
  const error = await startError(database.url)
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toContain('DATABASE_URL: The database can only be read')
})

test('a user who may not create tables is told who may', async () => {
  const database = await createTestDatabase('template1')
  onTestFinished(() => database.drop())
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  const role = `weak_${process.pid}`
  await client.query(`create role ${role} login password 'weak'`)
  onTestFinished(async () => void (await client.query(`drop role ${role}`)))
  const url = new URL(database.url)
  Object.assign(url, { username: role, password: 'weak' })
  expect((await startError(url.href)).message).toMatch(
    /permission denied for schema public: the user .* Make it the owner: alter database/,
  )
})

test('a data folder that cannot be created is named as the wrong setting', async () => {
  const environment = readEnvironment({ DATA_DIR: '/proc/stevedore/data' })
  const start = openForStart(environment, silent)
  await expect(start).rejects.toThrow("DATA_DIR: the folder can't be used (ENOENT")
  await expect(start).rejects.toBeInstanceOf(ConfigError)
})

test('a migration that fails is named, and the address is not blamed', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(
    `drop schema public cascade; create schema public; create table shops (of_another_program
      integer)`,
  )
  const error = await startError(database.url)
  expect(error).not.toBeInstanceOf(ConfigError)
  expect(error.message).toMatch(
    /^The database could not be migrated: migrations\/\d{4}_[a-z-]+\.ts: .*"shops" already exists/s,
  )
})
