// Connections with one file each. Their server is killed while each sync is held in another phase:
// every file is imported once with its own bytes, and the next sync has nothing to do.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePublicId } from '../../server/core/ids.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { contentOf, hashOf } from '../fakes/content.ts'
import { soakTest } from '../scale.ts'
import { jobUntilEnd, listAll } from './imports.ts'
import { removeDataDir, startServer, type ServerProcess } from './server.ts'

/** Rows that a phase needs: the test locks them, so the phase waits there. */
interface Phase {
  /** The request at which they are locked, or which itself is not answered. */
  at: 'LIST' | 'GET'
  /** Null: the request waits. */
  lock: string | null
}
/**
 * Ordered so that none waits for one that is held, because a listing updates all connections first.
 */
const PHASES: Record<string, Phase> = {
  fetch: { at: 'GET', lock: null },
  commit: {
    at: 'GET',
    lock: 'select from items where operation_id = $1 and $2::uuid is not null for update',
  },
  count: {
    at: 'GET',
    lock: 'select from operations where id = $1 and $2::uuid is not null for update',
  },
  finish: {
    at: 'GET',
    lock: `select from chains where operation_id = $1 and chain = -1 and $2::uuid is not null
      for update`,
  },
  list: { at: 'LIST', lock: null },
  plan: {
    at: 'LIST',
    lock: 'select from connections where $1::uuid is not null and id = $2 for update',
  },
}
const LATER: typeof PHASES = {
  items: {
    at: 'LIST',
    lock: `select from chains where operation_id = $1 and chain >= 0 and $2::uuid is not null
      for update`,
  },
  settle: {
    at: 'GET',
    lock: 'select from connections where $1::uuid is not null and id = $2 for update',
  },
}

let server: ServerProcess
let bucket: FakeBucket
beforeAll(async () => {
  bucket = await startBucket()
  server = await startServer()
})
afterAll(async () => {
  await server.stop()
  await bucket.close()
  await removeDataDir(server.dataDir)
})

const bytesOf = (name: string) => contentOf(5000 + name.length, name)
const post = async (route: string, body: object): Promise<string> => {
  const response = await server.call('POST', route, body)
  const { id } = (await response.json()) as { id?: string }
  if (!id) throw new Error(`${route} was answered ${response.status}`)
  return id
}

/** Starts one sync and holds it in a phase. */
async function hold(name: string, { at, lock }: Phase) {
  bucket.put(`${name}/${name}.bin`, bytesOf(name))
  const given = { ...bucket.connection(name), notify: false, auto_map: false }
  const connection = await post('/api/connections', given)
  const client = new pg.Client({ connectionString: server.databaseUrl })
  await client.connect()
  const {
    rows: [me],
  } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const [reached, released] = [Promise.withResolvers<string>(), Promise.withResolvers<null>()]
  reaching.set(`${at} ${name}`, async () => {
    reaching.delete(`${at} ${name}`)
    const operation = await reached.promise
    const ids = [parsePublicId('import', operation), parsePublicId('connection', connection)]
    if (lock === null) return released.promise
    await client.query('begin')
    await client.query(lock, ids)
    return null
  })
  const asked = bucket.requests.length
  const operation = await post(`/api/connections/${connection}/sync`, {})
  reached.resolve(operation)
  const word = at === 'LIST' ? `LIST ${name}/` : `GET ${name}/${name}.bin`
  const isHeld = async () => {
    if (!bucket.requests.slice(asked).includes(word)) return false
    if (lock === null) return true
    const waits = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
    return (await observer.query(waits, [me!.pid])).rowCount! > 0
  }
  await expect.poll(isHeld, { message: name, interval: 20 }).toBe(true)
  return {
    name,
    connection,
    operation,
    release: async () => {
      released.resolve(null)
      await client.end()
    },
  }
}

const reaching = new Map<string, () => Promise<null>>()
let observer: pg.Client

async function killed(phases: typeof PHASES): Promise<void> {
  bucket.intercept = ({ method, key }) => {
    if (method !== 'GET') return null
    const list = [...reaching.keys()].find((one) => one.startsWith('LIST') && key === '')
    return reaching.get(key === '' ? (list ?? '') : `GET ${key.split('/')[0]}`)?.() ?? null
  }
  observer = new pg.Client({ connectionString: server.databaseUrl })
  await observer.connect()
  const held = []
  for (const [name, phase] of Object.entries(phases)) held.push(await hold(name, phase))
  await server.kill()
  for (const one of held) await one.release()
  await observer.end()
  const { dataDir, databaseUrl } = server
  server = await startServer({ dataDir, env: { DATABASE_URL: databaseUrl } })
  for (const { name, connection, operation } of held) {
    const ended = await jobUntilEnd(server, operation)
    expect([name, ended]).toMatchObject([name, { status: 'success', total: 1, done: 1 }])
    const again = await post(`/api/connections/${connection}/sync`, {})
    const nothing = await jobUntilEnd(server, again)
    expect([name, nothing]).toMatchObject([name, { status: 'success', total: 0 }])
    const files = await listAll(server, `/api/files?search=${name}.bin&limit=250`)
    expect([name, files.length]).toEqual([name, 1])
    const content = await server.call('GET', `/api/files/${files[0]!.id}/content`)
    const bytes = Buffer.from(await content.arrayBuffer())
    expect([name, hashOf(bytes)]).toEqual([name, hashOf(bytesOf(name))])
  }
}

test('a kill while it lists, plans, fetches, commits or ends', () => killed(PHASES))
soakTest('a kill while its items are added, and while they are recorded', () => killed(LATER))
