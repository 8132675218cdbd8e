// Starts PostgreSQL for the whole run and makes the template that every test file's database is cloned from.
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
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeDataDir('stevedore-test-')
  const server = await startEmbedded(folder, silent)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  const url = new URL(server.url)
  url.pathname = `/${TEMPLATE}`
  const template = openDatabase(url.href, 2, silent)
  await migrate(template)
  await template.close()
  project.provide('postgresUrl', server.url)
  return async () => {
    await server.stop()
    await removeDataDir(folder)
  }
}
