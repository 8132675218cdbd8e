// A shop with a drop server and the worker that imports its files, in the test's process; with
// functions that send files and read the results.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { dropTask } from '../server/features/drop/import/task.ts'
import { openDropServer } from '../server/features/drop/run-server.ts'
import { startWorker } from '../server/engine/worker.ts'
import { createSecrets } from '../server/core/secrets.ts'
import { openTestApp, type TestApp } from './app.ts'
import { silent } from './database.ts'
import { createCheapAccount, runProgram } from './drop.ts'
import { openSftp } from './sftp-client.ts'

export type DropImports = Awaited<ReturnType<typeof openDropImports>>

export async function openDropImports() {
  const app = await openTestApp()
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-drop-import-'))
  const { database, listener } = app.engine.parts
  const { stores } = app
  const server = await openDropServer({
    database,
    listener,
    log: silent,
    stores,
    staging: path.join(folder, 'staging'),
    limits: { file_bytes: 5e9, drop_waiting_bytes: 1e11 },
    secrets: createSecrets('the secret of the tests, long enough'),
    host: '127.0.0.1',
    sftpPort: 0,
    ftpPort: 0,
    publicHost: 'localhost',
    certificate: null,
    passive: { ports: null, address: null },
  })
  const task = dropTask({ database, engine: app.engine.engine, stores, log: silent })
  const start = () => startWorker(app.engine.parts, () => Promise.resolve(), [task])
  let worker = await start()
  const { account, password } = await createCheapAccount(app.owner.scope)
  const user = `${account.username}:${password}`
  const home = `/uploads/${app.engine.shop}`
  const client = await openSftp(server.sftpPort, account.username, password)
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
  const paths = async (state?: string): Promise<string[]> =>
    (await get(`/api/drop/files${state ? `?state=${state}` : ''}`)).data.map(
      (file: { path: string }) => file.path,
    )
  return {
    app,
    server,
    account,
    password,
    folder,
    home,
    call,
    get,
    curl,
    sftpUrl,
    fileNamed,
    set: async (settings: object) =>
      expect((await call('PATCH', '/api/drop', settings)).status).toBe(200),
    /** Sends a file over the house's SFTP connection. */
    send: async (name: string, bytes: Buffer | string) => {
      const folders = name.split('/').slice(0, -1)
      for (const at of folders.keys())
        await client.folder(`${home}/${folders.slice(0, at + 1).join('/')}`)
      await client.put(`${home}/${name}`, Buffer.from(bytes))
    },
    /** Sends a file with curl, over SFTP or FTP. */
    sendWithCurl: async (name: string, bytes: Buffer | string, scheme: 'sftp' | 'ftp') => {
      const local = path.join(folder, 'sent')
      await writeFile(local, bytes)
      const port = scheme === 'sftp' ? server.sftpPort : server.ftpPort
      const url = `${scheme}://127.0.0.1:${port}${home}/${encodeURI(name)}`
      const done = await curl('--create-dirs', '--ftp-create-dirs', '-T', local, url)
      expect(done).toMatchObject({ code: 0 })
    },
    renamed: (from: string, to: string) => client.rename(`${home}/${from}`, `${home}/${to}`),
    /** Makes the imports so far older than those that a client's next file of the name follows. */
    age: () =>
      app.owner.scope.query(
        `update drop_entries set filed_at = filed_at - interval '11 minutes'
         where shop_id = :shop`,
      ),
    /** Does this while no worker runs: operations wait in the queue. */
    withoutWorker: async (work: () => Promise<unknown>) => {
      await worker.stop()
      await work()
      worker = await start()
    },
    paths,
    untilPaths: (expected: readonly string[], state?: string) =>
      expect.poll(() => paths(state), { interval: 200 }).toEqual(expected),
    /** Reads the row, because each request of the API costs ten times the processor time. */
    untilThere: async (name: string) => {
      const there =
        'select from files where shop_id = :shop and filename = :name and deleted_at is null'
      const rows = () => app.owner.scope.query(there, { name })
      await expect.poll(rows, { interval: 25 }).toHaveLength(1)
      return fileNamed(name)
    },
    close: async () => {
      client.end()
      await worker.stop()
      await server.close()
      await app.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
