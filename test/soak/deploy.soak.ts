// docs/deploy/compose.yaml on this system: its processes with its settings, its nginx.conf in a real
// nginx, one PostgreSQL, one bucket and one folder for all. Then one of each is killed. Only names of
// hosts, folders and ports of containers are replaced; and the platform is the demo's.
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { Agent, fetch as fetchWith } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { makeDataDir, removeDataDir } from '../data-dir.ts'
import { createTestDatabase } from '../database.ts'
import { createCertificate, deployedNginx } from '../deploy.ts'
import { contentOf, hashOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { BUCKET, CREDENTIALS, startS3, type FakeS3 } from '../fakes/s3.ts'
import { startWorkerProcess, type Worker } from '../flows/cluster.ts'
import { importUntilEnd, jobUntilEnd, listAll } from '../flows/imports.ts'
import {
  freePort,
  readDemo,
  ROOT,
  SECRET,
  startServer,
  type RunningServer,
  type ServerProcess,
} from '../flows/server.ts'
import { findNginx, runNginx, type Nginx } from '../nginx.ts'
import { openSftp } from '../sftp-client.ts'

type Env = Record<string, string>
const { services } = parse(readFileSync(path.join(ROOT, 'docs/deploy/compose.yaml'), 'utf8'), {
  merge: true,
}) as { services: Record<string, { environment: Env; deploy?: { replicas: number } }> }

let root: string
let origin: Origin
let bucket: FakeS3
let database: Awaited<ReturnType<typeof createTestDatabase>>
let pool: pg.Pool
let webs: ServerProcess[]
let workers: Worker[]
let drop: Worker
let nginx: Nginx
let agent: Agent
/** The installation through nginx. */
let site: RunningServer
const webPorts: number[] = []
let nginxPorts: [number, number]
let certificate: string
let sftpPort: number

/** The settings of a service, in the folder and at the ports of this test. */
async function settingsOf(service: string): Promise<Env> {
  const { environment } = services[service]!
  const endpoint = encodeURIComponent(`http://127.0.0.1:${bucket.port}`)
  const replaced = {
    DATABASE_URL: database.url,
    STORAGE_PRIMARY: environment.STORAGE_PRIMARY!.replace('disk:/data', `disk:${root}/data`),
    STORAGE_BACKUP: `s3://${BUCKET}?endpoint=${endpoint}&region=us-east-1&path_style=1`,
    S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    S3_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    MONITORING_PORT: environment.MONITORING_PORT === '' ? '' : String(await freePort()),
    // Clients come through the container's port in compose.
    FTP_PASSIVE_PORTS: '',
  }
  return {
    ...environment,
    ...replaced,
    APP_SECRET: SECRET,
    DATA_DIR: path.join(root, 'data'),
    ACCESS_LOG: '1',
    BASE_URL: `https://127.0.0.1:${nginxPorts[1]}`,
    DRAIN_SECONDS: '0',
    NODE_EXTRA_CA_CERTS: path.join(root, 'nginx/certificates/fullchain.pem'),
  }
}

async function startWeb(place: number): Promise<ServerProcess> {
  const env = { ...(await settingsOf('web')), PORT: String(webPorts[place]) }
  return startServer({ dataDir: path.join(root, 'data'), env })
}
const startWorker = async (name: string) =>
  startWorkerProcess(name, await settingsOf('worker'), ROOT)
const startDrop = async () => {
  const env = { ...(await settingsOf('drop')), SFTP_PORT: String(sftpPort), FTP_PORT: '0' }
  return startWorkerProcess('drop', env, ROOT, 'the drop server is ready')
}
const startProxy = () => {
  const folder = path.join(root, 'nginx')
  const about = { folder, webs: webPorts, ports: nginxPorts, blobs: path.join(root, 'data/files') }
  return runNginx({ nginx: findNginx()!, folder }, deployedNginx(about), nginxPorts[1])
}

beforeAll(async () => {
  ;[root, origin, bucket, database] = await Promise.all([
    makeDataDir('stevedore-deploy-'),
    startOrigin(),
    startS3(),
    createTestDatabase(),
  ])
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
  for (const name of ['data', 'nginx']) await mkdir(path.join(root, name))
  certificate = createCertificate(path.join(root, 'nginx'))
  agent = new Agent({ connect: { ca: certificate } })
  nginxPorts = [await freePort(), await freePort()]
  sftpPort = await freePort()
  for (let n = 0; n < services.web!.deploy!.replicas; n++) webPorts.push(await freePort())
  webs = []
  // One after another: both write the demo's file into the shared folder.
  for (const place of webPorts.keys()) webs.push(await startWeb(place))
  workers = await Promise.all(
    Array.from({ length: services.worker!.deploy!.replicas }, (_, n) => startWorker(`worker ${n}`)),
  )
  drop = await startDrop()
  nginx = await startProxy()
  const { api_key: apiKey } = await readDemo(path.join(root, 'data'))
  const url = `https://127.0.0.1:${nginxPorts[1]}`
  site = {
    ...webs[0]!,
    url,
    apiKey,
    output: () => [...webs, ...workers, drop].map(({ output }) => output()).join('\n'),
    call: (method, route, body, headers = {}) =>
      through(route, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  }
})
afterAll(async () => {
  await nginx?.stop()
  await Promise.all([...(webs ?? []), ...(workers ?? []), drop].map((each) => each?.stop()))
  await agent?.close()
  await pool?.end()
  await Promise.all([origin.close(), bucket.close()])
  await database.drop()
  await removeDataDir(root)
})

const through = (route: string, init: object = {}) =>
  fetchWith(route.startsWith('https:') ? route : site.url + route, {
    ...init,
    dispatcher: agent,
  }) as unknown as Promise<Response>

async function get(url: string): Promise<Buffer> {
  const answer = await through(url)
  expect(answer.status, url).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

const SIZE = 3_000_000
let sold = 0
/** Imports a file for a product, sells it, and downloads it. */
async function sellAndDownload(): Promise<void> {
  const name = `book-${sold++}.bin`
  const url = `${origin.url}/bytes/${SIZE}/${name}`
  const file = { filename: name, url, product_sku: 'EB-001' }
  expect(await importUntilEnd(site, { files: [file] })).toMatchObject({ imported: 1 })
  // The shop front of the web process that was started last.
  const shop = (await readDemo(path.join(root, 'data'))).storefront.url
  const bought = await fetch(`${shop}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `buyer-${sold}@example.com`,
      lines: [{ sku: 'EB-001', quantity: 1 }],
    }),
  })
  const order = (await bought.json()) as { order_id: string }
  const deliveries = async () => {
    const reply = await site.call(
      'GET',
      `/api/deliveries?order=${encodeURIComponent(order.order_id)}`,
    )
    return ((await reply.json()) as { data: { status: string; url: string }[] }).data
  }
  await expect.poll(async () => (await deliveries())[0]?.status).toBe('ready')
  const page = (await deliveries())[0]!.url
  expect(page).toContain(site.url)
  const text = (await get(page)).toString()
  expect(text).toContain(name)
  const made = await site.call('POST', '/api/links', {
    file_ids: [await idOf(name)],
    download_limit: 5,
  })
  const { data } = (await made.json()) as { data: { url: string }[] }
  const bytes = await get(data[0]!.url)
  expect(hashOf(bytes)).toBe(hashOf(contentOf(SIZE, name)))
}

const idOf = async (name: string) => {
  const found = (await listAll(site, '/api/files?limit=100')).find(
    ({ filename }) => filename === name,
  )
  return found!.id!
}

interface Line {
  message: string
  route: string
  bytes: number
  status: number
}
const downloadsOf = (server: ServerProcess) =>
  server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
    .filter(
      ({ message, route, status }) =>
        message === 'request' && route === '/download' && status === 200,
    )

test('imports, sells and delivers through nginx, which sends the bytes itself', async () => {
  for (let n = 0; n < 2; n++) await sellAndDownload()
  const lines = webs.flatMap(downloadsOf)
  expect(lines.length).toBeGreaterThan(0)
  // The web process answered with X-Accel-Redirect: headers alone.
  for (const { bytes } of lines) expect(bytes).toBeLessThan(SIZE / 10)
  // Requests reach both.
  for (const web of webs) expect(web.output()).toContain('"message":"request"')
  expect((await through('/metrics')).status).toBe(403)
  const plain = await fetch(`http://127.0.0.1:${nginxPorts[0]}/`, { redirect: 'manual' })
  expect(plain.status).toBe(301)
})

const account = { username: '', password: '', path: '' }
async function dropFile(name: string, bytes: Buffer): Promise<void> {
  const client = await openSftp(sftpPort, account.username, account.password)
  await client.put(`${account.path}${name}`, bytes)
  client.end()
  await expect
    .poll(async () => (await listAll(site, '/api/files?limit=100')).map((file) => file.filename))
    .toContain(name)
}

test('takes files by SFTP', async () => {
  const made = (await (await site.call('POST', '/api/drop-account', {})).json()) as {
    username: string
    password: string
    path?: string
  }
  const { rows } = await pool.query<{ id: number }>('select id from shops where demo order by id')
  Object.assign(account, { ...made, path: made.path ?? `/shop_${rows[0]!.id}/` })
  await site.call('PATCH', '/api/drop', { schedule: 'realtime' })
  await dropFile('dropped.bin', contentOf(700_000, 'dropped'))
})

test('one of each is killed during an import, and the work goes on', async () => {
  const files = Array.from({ length: 200 }, (_, n) => ({
    filename: `killed ${n}.bin`,
    url: `${origin.url}/bytes/${50_000 + n}/killed-${n}`,
  }))
  const started = await site.call(
    'POST',
    '/api/files/import',
    { files },
    { prefer: 'respond-async' },
  )
  const { job_id } = (await started.json()) as { job_id: string }
  const done = async () => {
    const { rows } = await pool.query<{ done: number }>('select max(done) as done from operations')
    return rows[0]!.done
  }
  await expect.poll(done, { interval: 20 }).toBeGreaterThan(5)
  await Promise.all([webs[1]!.kill(), workers[1]!.kill(), drop.kill()])
  await nginx.stop()
  nginx = await startProxy()
  // With one web process and one worker: nginx tries the other one.
  for (let n = 0; n < 10; n++)
    expect((await site.call('GET', '/api/files?limit=1')).status).toBe(200)
  drop = await startDrop()
  await dropFile('dropped after the kill.bin', contentOf(600_000, 'after'))
  expect(await jobUntilEnd(site, job_id)).toMatchObject({ status: 'success', done: 200, failed: 0 })
  ;[webs[1], workers[1]] = await Promise.all([startWeb(1), startWorker('worker 1 again')])
  await sellAndDownload()
})

test('every process stops within its grace period', async () => {
  const codes = await Promise.all([...webs, ...workers, drop].map((each) => each.stop()))
  expect(codes).toEqual(codes.map(() => 0))
})
