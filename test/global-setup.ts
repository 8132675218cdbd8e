// Starts PostgreSQL for the whole run and creates the template from which each test file's database
// is cloned. The projects that need it share one server.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../server/core/db/database.ts'
import { startEmbedded } from '../server/core/db/embedded.ts'
import { migrate } from '../server/core/db/migrate.ts'
import { makeDataDir, removeDataDir } from './data-dir.ts'
import { silent, TEMPLATE } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** The seed of the random moments that tests choose. */
    seed: number
    /** Tests with two sizes run at full size. */
    soak: boolean
  }
}

interface Shared {
  url: Promise<string>
  users: number
  stop(): Promise<void>
}

// Every project loads its own copy of this module, so shared state is kept on the global object.
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
  // A query over a Unix socket takes a fifth less processor time than over TCP. Not in TMPDIR, which
  // PostgreSQL's user may be unable to enter, and whose path may exceed the limit for a socket's.
  const sockets = await mkdtemp('/tmp/stevedore-sockets-')
  await chmod(sockets, 0o777)
  const server = await startEmbedded(folder, silent, { sockets })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  // The databases do not outlive the run, so nothing is synced to disk: cloning and dropping a
  // database take a tenth of the time.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await client.query(`alter system set ${setting} = off`)
  // Each connection derives its key from the password, with 4,096 rounds by default.
  await client.query('set scram_iterations = 1')
  await client.query(`alter role stevedore password '${new URL(server.url).password}'`)
  await client.query('select pg_reload_conf()')
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  const shared = new URL(server.url)
  shared.searchParams.set('host', sockets)
  const url = new URL(shared)
  url.pathname = `/${TEMPLATE}`
  const template = openDatabase(url.href, 2, silent)
  await migrate(template)
  await template.close()
  return {
    url: shared.href,
    stop: async () => {
      await server.stop()
      await rm(sockets, { recursive: true })
      await removeDataDir(folder)
    },
  }
}
