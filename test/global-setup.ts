// Starts PostgreSQL for the whole run and makes the template that every test file's database is
// cloned from. Each project that needs it asks; they share one server.
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../server/db/database.ts'
import { startEmbedded } from '../server/db/embedded.ts'
import { migrate } from '../server/db/migrate.ts'
import { makeDataDir, removeDataDir } from './data-dir.ts'
import { silent, TEMPLATE } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** Of the random numbers that a test chooses its moments by. */
    seed: number
    /** The full size of tests that have two. */
    soak: boolean
  }
}

interface Shared {
  url: Promise<string>
  users: number
  stop(): Promise<void>
}

// Every project loads this module for itself: what they share is kept where all of them find it.
const KEY = Symbol.for('stevedore.test-postgres')
const shelf = globalThis as { [KEY]?: Shared }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (shelf[KEY] ??= share())
  shared.users++
  project.provide('postgresUrl', await shared.url)
  return async () => {
    if (--shared.users > 0) return
    delete shelf[KEY]
    await shared.stop()
  }
}

function share(): Shared {
  const starting = start()
  const stop = async () => (await starting).stop()
  return { users: 0, url: starting.then(({ url }) => url), stop }
}

async function start(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await makeDataDir('stevedore-test-')
  const server = await startEmbedded(folder, silent)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  // Nothing of these databases outlives the run, so nothing waits for the disk: cloning and
  // dropping a database take a tenth of the time.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await client.query(`alter system set ${setting} = off`)
  await client.query('select pg_reload_conf()')
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  const url = new URL(server.url)
  url.pathname = `/${TEMPLATE}`
  const template = openDatabase(url.href, 2, silent)
  await migrate(template)
  await template.close()
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      await removeDataDir(folder)
    },
  }
}
