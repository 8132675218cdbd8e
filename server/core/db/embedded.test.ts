import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeDataDir, removeDataDir } from '../../../test/data-dir.ts'
import { silent } from '../../../test/database.ts'
import { clusterOf } from './embedded-place.ts'
import { findRunning, startEmbedded, type EmbeddedServer } from './embedded.ts'
import { soakTest } from '../../../test/scale.ts'

/** Only root starts PostgreSQL as another user, which cannot enter a closed folder. */
const ROOT = process.getuid?.() === 0

let folder: string
let dataDir: string
let server: EmbeddedServer | null = null
beforeEach(async () => {
  folder = await makeDataDir('stevedore-embedded-')
  dataDir = path.join(folder, 'data')
  await mkdir(dataDir)
})
afterEach(async () => {
  await stop()
  await removeDataDir(dataDir)
  await rm(folder, { recursive: true })
})

const home = () => path.join(dataDir, 'postgres')
const start = async () => (server = await startEmbedded(dataDir, silent))
async function stop(): Promise<void> {
  await server?.stop()
  server = null
}

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: (await findRunning(dataDir))! })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

test('in a folder that only root may enter, the database starts, is found again and is closed to others', async () => {
  await chmod(folder, 0o700)
  await start()
  await query('create table kept as select 1 as n')
  await stop()
  await start()
  expect(await query('select n from kept')).toEqual([{ n: 1 }])
  const cluster = await clusterOf(home())
  expect(cluster === path.join(home(), 'cluster')).toBe(!ROOT)
  expect((await stat(cluster)).mode & 0o777).toBe(0o700)
  const outside = await lstat(path.dirname(cluster))
  expect([outside.uid, outside.mode & 0o022]).toEqual([process.getuid!(), 0])
})

soakTest('a cluster in a folder that was closed later keeps its data', async () => {
  await start()
  await query('create table kept as select 2 as n')
  await stop()
  await chmod(folder, 0o700)
  await start()
  expect(await query('select n from kept')).toEqual([{ n: 2 }])
  await stop()
  // The folder is open again, but the data stay where they were moved.
  await chmod(folder, 0o711)
  await start()
  expect(await query('select n from kept')).toEqual([{ n: 2 }])
})

test('an external data folder that is missing, or another user’s, is never replaced by an empty one', async () => {
  await chmod(folder, 0o700)
  await start()
  await stop()
  const outside = path.dirname(await clusterOf(home()))
  expect(outside === home()).toBe(!ROOT)
  if (!ROOT) return
  await chmod(outside, 0o777)
  await expect(start()).rejects.toThrow(
    `is kept in ${outside}, which is missing or belongs to another user`,
  )
  await chmod(outside, 0o711)
  await rename(outside, `${outside}-away`)
  await expect(start()).rejects.toThrow('Restore it from your backup')
  await rename(`${outside}-away`, outside)
  await start()
})

soakTest('a second server on the same data folder is refused with advice', async () => {
  await start()
  await expect(startEmbedded(dataDir, silent)).rejects.toThrow(
    /Another Stevedore is running on this data folder/,
  )
})

soakTest('a data folder may be moved; its copy cannot use the same database', async () => {
  await chmod(folder, 0o700)
  await start()
  await query('create table kept as select 3 as n')
  await stop()
  const first = dataDir
  dataDir = path.join(folder, 'moved')
  await rename(first, dataDir)
  await start()
  expect(await query('select n from kept')).toEqual([{ n: 3 }])
  await stop()
  if (!ROOT) return
  await cp(dataDir, first, { recursive: true })
  await expect(startEmbedded(first, silent)).rejects.toThrow(
    `${first}/postgres is a copy of ${dataDir}/postgres`,
  )
})

soakTest(
  'PostgreSQL’s user needs no further rights, and only root can read its password',
  async () => {
    await chmod(folder, 0o700)
    await start()
    const pid = (
      await readFile(path.join(await clusterOf(home()), 'postmaster.pid'), 'utf8')
    ).split('\n')[0]!
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    expect(/^CapEff:\s*0+$/m.test(status)).toBe(true)
    expect((await stat(path.join(home(), 'password'))).mode & 0o777).toBe(0o600)
    expect(
      (await readdir(path.dirname(await clusterOf(home())))).includes('initial-password'),
    ).toBe(false)
  },
)
