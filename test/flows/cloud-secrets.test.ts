// Secrets of a connection during a sync: they are not in arguments of processes, rows, responses or
// logs, and rclone's environment has only those that it needs.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCloudApp, untilEndedOrPreview, type CloudApp } from '../cloud.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { startClouds, type FakeClouds } from '../fakes/clouds.ts'
import { agree } from '../fakes/clouds/tokens.ts'

const CANARY = /canary/
let app: CloudApp
let clouds: FakeClouds
let bucket: FakeBucket
beforeAll(async () => {
  clouds = await startClouds()
  bucket = await startBucket()
  const client = { id: 'client-id', secret: 'client-secret-canary' }
  app = await openCloudApp({
    emulators: clouds.emulators,
    clients: { GOOGLE: client },
  })
  process.env.OTHER_SECRET = 'other-canary'
})
afterAll(async () => {
  delete process.env.OTHER_SECRET
  await app.close()
  await bucket.close()
  await clouds.close()
})

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
  await expect.poll(copies, { timeout: 20_000 }).toHaveLength(1)
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
  clouds.put('secret/held.pdf', 'held')
  const id = await app.connect({ provider: 'google_drive', folder: 'secret' })
  const { body } = await app.owner.call('POST', `/api/connections/${id}/authorize`)
  await app.owner.call('POST', `/api/connections/${id}/authorized`, agree(body.url))
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
