// npm run backup and npm run restore: a running server is backed up, and another one starts with an
// empty database and an empty data folder.
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { expectWorking, makeBelongings } from './belongings.ts'
import { runCommand } from './commands.ts'
import { startLocalServer } from './local-server.ts'
import { makeDataDir, removeDataDir, type RunningServer } from './server.ts'

let server: RunningServer
let origin: Origin
let bucket: FakeBucket
let folder: string
beforeAll(async () => {
  ;[server, origin, bucket, folder] = await Promise.all([
    startLocalServer(),
    startOrigin(),
    startBucket(),
    makeDataDir('stevedore-backup-'),
  ])
})
afterAll(async () => {
  await server.stop()
  await origin.close()
  await bucket.close()
  await Promise.all([server.dataDir, folder].map(removeDataDir))
})

const backUp = (...args: string[]) =>
  runCommand('backup', [folder, ...args], {
    DATABASE_URL: server.databaseUrl,
    DATA_DIR: server.dataDir,
  })

/** An empty database and data folder. */
async function emptyPlace() {
  const [database, dataDir] = await Promise.all([createTestDatabase(), makeDataDir()])
  onTestFinished(async () => {
    await database.drop()
    await removeDataDir(dataDir)
  })
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  await pool.query('drop schema public cascade; drop schema graphile_worker cascade')
  await pool.query('create schema public')
  await pool.end()
  return { DATABASE_URL: database.url, DATA_DIR: dataDir }
}

/** Every row of the tables, as text. */
async function dumpOf(url: string, tables: readonly string[]): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  try {
    const all: string[] = []
    for (const table of tables) {
      const { rows } = await pool.query<{ row: string }>(
        `select t::text as row from ${table} t order by 1`,
      )
      all.push(...rows.map(({ row }) => `${table} ${row}`))
    }
    return all
  } finally {
    await pool.end()
  }
}

const TABLES = ['shops', 'files', 'versions', 'blobs', 'links', 'connections', 'drop_accounts']

test('a backup of a running server is restored: links, sealed values and accounts work', async () => {
  const first = await makeBelongings(server, { origin, bucket })
  expect(await backUp()).toMatchObject({ code: 0 })
  // A second backup into the same folder copies only what is new.
  const second = await makeBelongings(server, { origin, bucket })
  const again = await backUp()
  expect(again.code).toBe(0)
  expect(again.printed).toMatch(/^\d+ rows and 2 blobs are in .*, 1 of them copied now\.\n/)
  const databases = (await readdir(folder)).filter((name) => name.startsWith('database-'))
  expect(databases).toHaveLength(1)

  const place = await emptyPlace()
  const restored = await runCommand('restore', [folder], place)
  expect(restored).toMatchObject({ code: 0 })
  expect(await dumpOf(place.DATABASE_URL, TABLES)).toEqual(await dumpOf(server.databaseUrl, TABLES))

  const other = await startLocalServer(place)
  onTestFinished(() => other.stop().then(() => {}))
  for (const made of [first, second]) await expectWorking(other, made)
  // Rows and jobs are added as before.
  await expectWorking(other, await makeBelongings(other, { origin, bucket }))
  expect(await runCommand('restore', [folder], place)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('The database is not empty.') as string,
  })
})

test('another secret, an incomplete backup and missing bytes are named', async () => {
  const place = await emptyPlace()
  const wrong = { ...place, APP_SECRET: 'a secret of another server, which is long' }
  const refused = await runCommand('restore', [folder], wrong)
  expect(refused.code).toBe(1)
  expect(refused.errors).toContain(
    'The backup was made with another secret: set the same APP_SECRET, or copy it to DATA_DIR/secret.\n',
  )
  const blobs = path.join(folder, 'blobs', 'primary')
  const [lost] = (await readdir(blobs, { recursive: true })).filter((name) =>
    /^\d+\/[0-9a-f]{64}$/.test(name),
  )
  const bytes = await readFile(path.join(blobs, lost!))
  await rm(path.join(blobs, lost!))
  const incomplete = await runCommand('restore', [folder], place)
  expect(incomplete.code).toBe(1)
  expect(incomplete.errors).toContain(`missing: primary ${lost}\n`)
  await writeFile(path.join(blobs, lost!), bytes)

  const manifest = path.join(folder, 'manifest.json')
  const text = await readFile(manifest, 'utf8')
  await rm(manifest)
  const none = await runCommand('restore', [folder], await emptyPlace())
  expect(none.code).toBe(1)
  expect(none.errors).toContain(`${folder} has no complete backup: manifest.json is missing.\n`)
  await writeFile(manifest, text)
})

test('a backup without bytes says so, and a damaged blob fails alone', async () => {
  const [blob] = (await readdir(path.join(server.dataDir, 'files'), { recursive: true })).filter(
    (name) => /^\d+\/[0-9a-f]{64}$/.test(name),
  )
  const file = path.join(server.dataDir, 'files', blob!)
  const { size } = await stat(file)
  const whole = await readFile(file)
  await rm(path.join(folder, 'blobs'), { recursive: true })
  await writeFile(file, Buffer.alloc(size, 'x'))
  const damaged = await backUp()
  expect(damaged.code).toBe(1)
  expect(damaged.errors).toContain(`missing or damaged: primary ${blob}\n`)
  await writeFile(file, whole)
  expect(await backUp('--database-only')).toMatchObject({ code: 0 })
  const restored = await runCommand('restore', [folder], await emptyPlace())
  expect(restored.code).toBe(1)
  expect(restored.errors).toContain('The backup has no bytes: copy those of the storage locations.')
})
