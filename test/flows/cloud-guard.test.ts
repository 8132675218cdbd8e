// What a sync exposes. An S3 endpoint at a public name is reached only through the server's proxy,
// and redirects are not followed. Secrets are not in arguments of processes, rows, responses or
// logs, and rclone's environment has only those that it needs.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { createServer, connect, type AddressInfo, type Server } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { untilEndedOrPreview, useClouds } from '../cloud.ts'
import { soakTest } from '../scale.ts'

const CANARY = /canary/
const ENDPOINT = 'https://s3.harbour.test'

const { app, bucket, clouds } = await useClouds()
let front: Server
/** Another service on this machine. */
let inside: Server
let visits = 0
beforeAll(async () => {
  const { port } = new URL(bucket.url)
  front = createSecureServer(clouds.certificate, (socket) => {
    const behind = connect(Number(port), '127.0.0.1')
    for (const one of [socket, behind]) one.on('error', () => one.destroy())
    socket.pipe(behind).pipe(socket)
  })
  inside = createServer((socket) => {
    visits++
    socket.destroy()
  })
  for (const server of [front, inside])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  clouds.lead('s3.harbour.test', (front.address() as AddressInfo).port)
  process.env.OTHER_SECRET = 'other-canary'
})
afterAll(async () => {
  delete process.env.OTHER_SECRET
  for (const server of [front, inside]) await new Promise((resolve) => server.close(resolve))
})
beforeEach(() => {
  bucket.intercept = () => null
})

const addressOf = (host: string) => `http://${host}:${(inside.address() as AddressInfo).port}/`
const given = (prefix: string) => ({ ...bucket.connection(prefix), endpoint: ENDPOINT })

test('is synced over TLS in both directions, with names that need escaping in a path', async () => {
  const names = ['a b.txt', 'é+ä.txt', "it's (1).txt", 'sub/%41.txt', 'large.bin']
  for (const name of names)
    bucket.put(`plain/${name}`, name === 'large.bin' ? 'x'.repeat(3e6) : name)
  const id = await app.connect({
    ...given('plain'),
    direction: 'two_way',
    include: ['/*', '/sub/*'],
  })
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: names.length })
  expect((await app.files())['large.bin']).toMatchObject({ size_bytes: 3e6 })
  const { id: file } = (await app.files())['a b.txt']
  await app.owner.call('PATCH', `/api/files/${file}`, { filename: 'b c.txt' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
  expect([...bucket.objects.keys()]).toContain('plain/b c.txt')
})

soakTest(
  'an object that redirects to an address fails, and no connection is made there',
  async () => {
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', 's3.harbour.test']
    bucket.put('redirected/good.txt', 'good')
    for (const n of hosts.keys()) bucket.put(`redirected/evil ${n}.txt`, `evil ${n}`)
    bucket.intercept = ({ method, key }) => {
      const host = hosts[Number(/evil (\d)/.exec(key)?.[1])]
      return method === 'GET' && host !== undefined
        ? { status: 307, code: 'TemporaryRedirect', headers: { location: addressOf(host) } }
        : null
    }
    const id = await app.connect({ ...given('redirected'), auto_map: false })
    const sync = await app.sync(id)
    expect(sync).toMatchObject({ status: 'partial', done: 1, failed: hosts.length })
    const { data } = await app.get(`/api/operations/${sync.id}/items?status=failed`)
    expect(data).toMatchObject(hosts.map(() => ({ error: { code: 'cloud_redirected' } })))
    expect(visits).toBe(0)
  },
)

test('an endpoint that redirects its listing is refused, with advice', async () => {
  bucket.intercept = () => ({
    status: 302,
    code: 'Found',
    headers: { location: addressOf('127.0.0.1') },
  })
  const { status, body } = await app.owner.call('POST', '/api/connections', given('any'))
  expect([status, body.error]).toMatchObject([422, { code: 'cloud_redirected', param: 'endpoint' }])
  expect(body.error.message).toContain('write the address of the storage service itself')
  expect(visits).toBe(0)
})

/** Syncs, and returns the code of the failure. */
async function failureOf(connection: string): Promise<string> {
  expect(await app.sync(connection)).toMatchObject({ status: 'failed' })
  const { state, error } = await app.get(`/api/connections/${connection}`)
  expect(state).toBe('failing')
  return error.code
}

test('an answer that is no list of files fails, and nothing is taken for deleted', async () => {
  for (const name of ['one.txt', 'two.txt']) bucket.put(`listed/${name}`, name)
  const id = await app.connect(given('listed'))
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 2 })
  bucket.intercept = ({ method, key }) =>
    method === 'GET' && key === '' ? { status: 200, code: 'Welcome' } : null
  expect(await failureOf(id)).toBe('cloud_not_a_listing')
  expect(Object.keys(await app.files())).toEqual(expect.arrayContaining(['one.txt', 'two.txt']))
  bucket.intercept = () => null
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
})

test('a list that is longer than the limit fails', async () => {
  for (let n = 0; n < 12; n++) bucket.put(`long/${n}.txt`, `${n}`)
  const { maxFiles } = app.cloud
  app.cloud.maxFiles = 10
  onTestFinished(() => void (app.cloud.maxFiles = maxFiles))
  const id = await app.connect(given('long'))
  expect(await failureOf(id)).toBe('cloud_listing_too_large')
})

soakTest('a list whose pages repeat without an end fails soon', async () => {
  for (let n = 0; n < 1500; n++) bucket.put(`circle/${n}.txt`, `${n}`)
  const id = await app.connect(given('circle'))
  bucket.endless = true
  onTestFinished(() => void (bucket.endless = false))
  bucket.requests.length = 0
  expect(await failureOf(id)).toBe('cloud_listing_too_large')
  expect(bucket.requests.length).toBeLessThan(1000)
})

soakTest('an archived object is recorded once, with the advice to restore it', async () => {
  for (const name of ['cold.txt', 'warm.txt']) bucket.put(`archive/${name}`, name)
  bucket.intercept = ({ method, key }) =>
    method === 'GET' && key.endsWith('cold.txt')
      ? { status: 403, code: 'InvalidObjectState' }
      : null
  const id = await app.connect({ ...given('archive'), auto_map: false })
  const sync = await app.sync(id)
  expect(sync).toMatchObject({ status: 'partial', done: 1, failed: 1 })
  const { data } = await app.get(`/api/operations/${sync.id}/items?status=failed`)
  expect(data).toMatchObject([{ error: { code: 'cloud_archived' } }])
  expect(await app.sync(id)).toMatchObject({ total: 0, warnings: [{ code: 'cloud_rejected' }] })
})

soakTest(
  'keys that are refused in the middle of a sync say nothing about its objects',
  async () => {
    for (const name of ['first key.txt', 'second key.txt']) bucket.put(`keys/${name}`, name)
    let refuse = true
    bucket.intercept = ({ method, key }) =>
      refuse && method === 'GET' && key.startsWith('keys/')
        ? { status: 403, code: 'InvalidAccessKeyId' }
        : null
    const id = await app.connect({ ...given('keys'), auto_map: false })
    expect(await app.sync(id)).toMatchObject({ status: 'failed', failed: 2 })
    refuse = false
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 2, warnings: [] })
  },
)

/** The processes of running copies of this app. */
const copies = (): string[] =>
  execFileSync('ps', ['-eo', 'pid=,args='])
    .toString()
    .split('\n')
    .filter((line) => line.includes('files-from-raw') && line.includes(app.cloud.stagingFolder))
    .map((line) => line.trim().split(' ')[0]!)

/** Starts a sync and returns the environment of its rclone, which is held until it is ended. */
async function held(connection: string): Promise<{ operation: string; environment: string[] }> {
  const { body } = await app.owner.call('POST', `/api/connections/${connection}/sync`, {})
  await expect.poll(copies).toHaveLength(1)
  const [pid] = copies()
  for (const process of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    expect(commandOf(process)).not.toMatch(CANARY)
  // Readable by its user only.
  expect(statSync(`/proc/${pid}/environ`).mode & 0o777).toBe(0o400)
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return { operation: body.id, environment }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const namesOf = (environment: readonly string[]) =>
  environment.map((line) => line.slice(0, line.indexOf('=')))
/** Variables that the shell in between adds. */
const ALLOWED =
  /^(PWD|OLDPWD|SHLVL|_|GOMEMLIMIT|HTTPS?_PROXY|RCLONE_CONFIG|RCLONE_CA_CERT|RCLONE_CONFIG_SRC_\w+)$/

test('rclone gets neither a refresh token nor the secret of the operator’s app', async () => {
  clouds.put('secret/held drive.txt', 'held')
  const id = await app.connect({ provider: 'google_drive', folder: 'secret' })
  await app.authorize(id)
  const gate = Promise.withResolvers<undefined>()
  clouds.hold = ({ path }) => (/\/files\/(?!root)[^/]+$/.test(path) ? gate.promise : undefined)
  const { operation, environment } = await held(id)
  expect(environment.filter((line) => CANARY.test(line))).toEqual([])
  expect(namesOf(environment).filter((name) => !ALLOWED.test(name))).toEqual([])
  clouds.hold = () => undefined
  gate.resolve(undefined)
  expect(await untilEndedOrPreview(app, operation)).toMatchObject({ status: 'success', done: 1 })
})

test('keys of a bucket are only in rclone’s environment, which other users cannot read', async () => {
  bucket.put('secret/held.txt', 'held')
  const id = await app.connect(bucket.connection('secret'))
  const gate = Promise.withResolvers<null>()
  bucket.intercept = ({ key }) => (key === 'secret/held.txt' ? gate.promise : null)
  const { operation, environment } = await held(id)
  expect(namesOf(environment.filter((line) => CANARY.test(line)))).toEqual([
    'RCLONE_CONFIG_SRC_SECRET_ACCESS_KEY',
  ])
  expect(namesOf(environment).filter((name) => !ALLOWED.test(name))).toEqual([])
  bucket.intercept = () => null
  gate.resolve(null)
  expect(await untilEndedOrPreview(app, operation)).toMatchObject({ status: 'success', done: 1 })
})

test('rows, jobs, history and responses contain none', async () => {
  await app.connect(bucket.connection('secret'))
  await app.authorize(await app.connect({ provider: 'google_drive', folder: 'secret' }))
  const { pool } = app.engine.parts.database
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name
     from information_schema.tables where table_schema in ('public', 'graphile_worker')`,
  )
  expect(rows.length).toBeGreaterThan(50)
  for (const { name } of rows) {
    const found = await pool.query(`select from ${name} t where t::text like '%canary%' limit 1`)
    expect([name, found.rowCount]).toEqual([name, 0])
  }
  const answers = ['/api/connections', '/api/operations', '/api/notices', '/api/cloud']
  for (const route of answers) expect(JSON.stringify(await app.get(route))).not.toMatch(CANARY)
})

test('no transaction is open while a provider is asked', async () => {
  const open = async () =>
    (
      await app.engine.parts.database.pool.query<{ query: string }>(
        `select query from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'`,
      )
    ).rows
  let asked = 0
  bucket.intercept = async () => {
    asked++
    await expect.poll(open).toEqual([])
    return null
  }
  const made = await app.owner.call('POST', '/api/connections', bucket.connection('asked'))
  expect(made.status).toBe(201)
  const seen = await app.owner.call('GET', `/api/connections/${made.body.id}`)
  const change = await app.owner.call(
    'PATCH',
    `/api/connections/${made.body.id}`,
    { prefix: 'asked/again' },
    { 'if-match': seen.headers.get('etag')! },
  )
  expect(change.body).toMatchObject({ settings: { prefix: 'asked/again' } })
  expect(asked).toBeGreaterThan(1)
  await app.owner.call('DELETE', `/api/connections/${made.body.id}`)
})
