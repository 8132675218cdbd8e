// A shop with a drop server and the worker that imports its files, in the test's process; with
// functions that send files and read the results.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { createAccount } from '../server/channels/drop/accounts.ts'
import { dropTask } from '../server/channels/drop/import/task.ts'
import { openDropServer } from '../server/channels/drop/server.ts'
import { startWorker } from '../server/engine/worker.ts'
import { createSecrets } from '../server/secrets.ts'
import { openTestApp, type TestApp } from './app.ts'
import { silent } from './database.ts'
import { runProgram } from './drop.ts'

export type DropImports = Awaited<ReturnType<typeof openDropImports>>

export async function openDropImports() {
  const app = await openTestApp()
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-drop-import-'))
  const { database, listener } = app.engine.parts
  const { stores } = app
  const server = await openDropServer({
    ...{ database, listener, log: silent, stores },
    staging: path.join(folder, 'staging'),
    limits: { file_bytes: 5e9, drop_waiting_bytes: 1e11 },
    secrets: createSecrets('the secret of the tests, long enough'),
    ...{ host: '127.0.0.1', sftpPort: 0, ftpPort: 0, publicHost: 'localhost', certificate: null },
    passive: { ports: null, address: null },
  })
  const task = dropTask({ database, engine: app.engine.engine, stores, log: silent })
  const worker = await startWorker(app.engine.parts, () => Promise.resolve(), [task])
  const { account, password } = await createAccount(app.owner.scope, { name: 'Warehouse' })
  const user = `${account.username}:${password}`
  const home = `/uploads/${app.engine.shop}`
  const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
  const get = async (route: string) => (await call('GET', route)).body

  /** Runs `curl` with common options and these. */
  const curl = (...args: string[]) => runProgram(['curl', '-sS', '-k', '-u', user, ...args])
  const sftpUrl = (place: string) => `sftp://127.0.0.1:${server.sftpPort}${place}`
  const fileNamed = async (name: string) => {
    const { data } = await get(`/api/files?search=${encodeURIComponent(name)}`)
    const found = data.find((file: { filename: string }) => file.filename === name)
    return found ? get(`/api/files/${found.id}`) : null
  }
  return {
    ...{ app, server, account, password, folder, home, call, get, curl, sftpUrl, fileNamed },
    set: async (settings: object) =>
      expect((await call('PATCH', '/api/drop', settings)).status).toBe(200),
    /** Sends a file with curl, over SFTP or FTP. */
    send: async (name: string, bytes: Buffer | string, scheme: 'sftp' | 'ftp' = 'sftp') => {
      const local = path.join(folder, 'sent')
      await writeFile(local, bytes)
      const port = scheme === 'sftp' ? server.sftpPort : server.ftpPort
      const url = `${scheme}://127.0.0.1:${port}${home}/${encodeURI(name)}`
      const done = await curl('--create-dirs', '--ftp-create-dirs', '-T', local, url)
      expect(done).toMatchObject({ code: 0 })
    },
    renamed: async (from: string, to: string) => {
      const quote = `rename ${home}/${from} ${home}/${to}`
      expect(await curl('-Q', quote, sftpUrl('/'), '-o', '/dev/null')).toMatchObject({ code: 0 })
    },
    paths: async (state?: string): Promise<string[]> =>
      (await get(`/api/drop/files${state ? `?state=${state}` : ''}`)).data.map(
        (file: { path: string }) => file.path,
      ),
    untilThere: async (name: string) => {
      await expect.poll(() => fileNamed(name), { timeout: 20_000 }).not.toBeNull()
      return fileNamed(name)
    },
    close: async () => {
      await worker.stop()
      await server.close()
      await app.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
