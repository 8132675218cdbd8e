import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin, type Workflow } from '../../plugins/contract/index.ts'
import { defineConfig } from './config.ts'
import { ConfigError } from '../core/config-error.ts'
import { readEnvironment } from '../core/configuration/environment.ts'

const problemsOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('Nothing was refused')
}

describe('the environment', () => {
  test('has working defaults: demo mode on the loopback address', () => {
    const environment = readEnvironment({})
    expect(environment).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      platform: null,
      allowLoopback: true,
    })
    expect(environment.roles).toEqual(['web', 'worker', 'drop'])
  })

  test('names every invalid setting together, with the correct format', () => {
    const message = problemsOf(() =>
      readEnvironment({ PORT: 'many', ROLE: 'web,king', DATABASE_URL: 'mysql://x' }),
    )
    expect(message).toContain('PORT: set a port number')
    // Clients need a fixed port.
    expect(problemsOf(() => readEnvironment({ PORT: '0' }))).toContain(
      'PORT: set a port number from 1',
    )
    expect(message).toContain('ROLE: set one or more of web, worker')
    expect(message).toContain('DATABASE_URL: set postgres://')
  })

  test.each([
    ['DATABASE_CONNECTIONS', 'set a number from 10 to 1000'],
    ['DATABASE_WAIT_SECONDS', 'set a number of seconds from 0 to 3600'],
    ['DRAIN_SECONDS', 'set a number of seconds from 0 to 60'],
    ['OTEL_BSP_SCHEDULE_DELAY', 'set milliseconds'],
    ['OTEL_TRACES_SAMPLER_ARG', 'set a number from 0 to 1'],
  ])('says which numbers %s may have', (name, advice) => {
    for (const value of ['many', '5s', '-1', '99999999'])
      expect(problemsOf(() => readEnvironment({ [name]: value }))).toContain(`${name}: ${advice}`)
  })

  test('reads previous secrets, of which one alone may contain commas', () => {
    const previous = (APP_SECRET_PREVIOUS: string) =>
      readEnvironment({ APP_SECRET: 'c'.repeat(32), APP_SECRET_PREVIOUS }).previousSecrets
    const [first, second] = ['a'.repeat(32), 'b'.repeat(40)]
    expect(previous('')).toEqual([])
    expect(previous(`${first}, ${second}`)).toEqual([first, second])
    expect(previous(`short,${first}`)).toEqual([`short,${first}`])
    // The current one, in a script that keeps the list.
    expect(previous(`${first},${'c'.repeat(32)}`)).toEqual([first])
    expect(problemsOf(() => previous('too short'))).toContain('APP_SECRET_PREVIOUS: set one')
  })

  test('treats an empty setting as absent', () => {
    expect(readEnvironment({ PORT: '', DATABASE_URL: '' })).toMatchObject({
      port: 3000,
      databaseUrl: null,
    })
  })

  test('the virus scanner is a host with its port, or a socket of this machine', () => {
    const scannerOf = (CLAMD_HOST: string) => readEnvironment({ CLAMD_HOST }).scanner
    expect(readEnvironment({}).scanner).toBeNull()
    expect(scannerOf('clamav:3310')).toEqual({ host: 'clamav', port: 3310 })
    expect(scannerOf('[::1]:3310')).toEqual({ host: '::1', port: 3310 })
    expect(scannerOf('/run/clamav/clamd.ctl')).toEqual({ path: '/run/clamav/clamd.ctl' })
    for (const wrong of ['clamav', '3310', 'tcp://clamav:3310', 'run/clamd.ctl', 'clamav:99999'])
      expect(problemsOf(() => scannerOf(wrong))).toContain('CLAMD_HOST: set a host')
  })

  test('refuses demo mode in production and on other addresses', () => {
    expect(problemsOf(() => readEnvironment({ NODE_ENV: 'production' }))).toContain(
      'SHOPIFY_API_KEY',
    )
    expect(problemsOf(() => readEnvironment({ HOST: '0.0.0.0' }))).toContain(
      'HOST: demo mode only listens on 127.0.0.1',
    )
  })

  test('requires the secret with an external database, and the address with the platform', () => {
    expect(problemsOf(() => readEnvironment({ DATABASE_URL: 'postgres://a@b/c' }))).toContain(
      'APP_SECRET',
    )
    const credentials = { SHOPIFY_API_KEY: 'key', SHOPIFY_API_SECRET: 'secret' }
    const missing = problemsOf(() => readEnvironment(credentials))
    expect(missing).toContain('the embedded one is for the demo')
    expect(missing).toContain('APP_SECRET: set it')
    const database = { DATABASE_URL: 'postgres://a@b/c', APP_SECRET: 'x'.repeat(32) }
    const platform = { ...credentials, ...database }
    expect(problemsOf(() => readEnvironment(platform))).toContain('BASE_URL')
    const address = (BASE_URL: string) => () => readEnvironment({ ...platform, BASE_URL })
    expect(problemsOf(address('http://files.example.com'))).toContain(
      'BASE_URL: set an https address',
    )
    expect(problemsOf(address('HTTP://files.example.com'))).toContain(
      'BASE_URL: set an https address',
    )
    expect(address('https://files.example.com')().baseUrl).toBe('https://files.example.com')
    expect(readEnvironment({ BASE_URL: 'http://127.0.0.1:3000' }).baseUrl).toBe(
      'http://127.0.0.1:3000',
    )
    expect(problemsOf(() => readEnvironment({ SHOPIFY_API_KEY: 'key' }))).toContain('set both')
  })
})

describe('the storage locations', () => {
  const storageOf = (variables: Record<string, string>) =>
    readEnvironment({ DATA_DIR: '/data', ...variables }).storage

  test('are folders in the data folder by default', () => {
    expect(storageOf({})).toEqual({
      primary: { kind: 'disk', folder: '/data/files' },
      backup: { kind: 'disk', folder: '/data/backup' },
    })
    const env = {
      STORAGE_PRIMARY: 's3://harbour?region=eu-central-1',
      S3_ACCESS_KEY_ID: 'k',
      S3_SECRET_ACCESS_KEY: 's',
    }
    expect(storageOf(env)).toMatchObject({
      primary: {
        bucket: 'harbour',
        region: 'eu-central-1',
        credentials: { accessKeyId: 'k', secretAccessKey: 's' },
      },
      backup: { folder: '/data/backup' },
    })
    expect(storageOf({ STORAGE_BACKUP: 's3://harbour', AWS_REGION: 'eu-west-3' })).toMatchObject({
      backup: { region: 'eu-west-3', credentials: null },
    })
  })

  test('are refused with the correct format, all together and without their keys', () => {
    const message = problemsOf(() =>
      storageOf({
        STORAGE_PRIMARY: 'files',
        STORAGE_BACKUP: 's3://k:hidden@harbour',
        S3_ACCESS_KEY_ID: 'k',
      }),
    )
    expect(message).toContain('STORAGE_PRIMARY: set disk:/absolute/path or s3://bucket')
    expect(message).toContain('STORAGE_BACKUP: leave the keys out of the address')
    expect(message).toContain('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY: set both')
    expect(message).not.toContain('hidden')
  })

  test('must be two different places', () => {
    expect(problemsOf(() => storageOf({ STORAGE_BACKUP: 'disk:/data/files' }))).toContain(
      'STORAGE_BACKUP: set another place than STORAGE_PRIMARY',
    )
  })
})

describe('delivery', () => {
  test('accepts the CDN’s address and nginx’s location without a trailing slash', () => {
    const environment = readEnvironment({
      CDN_BASE_URL: 'https://cdn.example.com/',
      X_ACCEL_LOCATION: '/blobs/',
    })
    expect(environment).toMatchObject({
      cdnBaseUrl: 'https://cdn.example.com',
      accelLocation: '/blobs',
    })
    expect(readEnvironment({})).toMatchObject({ cdnBaseUrl: null, accelLocation: null })
  })

  test('names invalid settings, and settings that exclude each other', () => {
    const message = problemsOf(() =>
      readEnvironment({ CDN_BASE_URL: 'cdn', X_ACCEL_LOCATION: 'blobs;' }),
    )
    expect(message).toContain('CDN_BASE_URL: set the CDN’s address')
    expect(message).toContain('X_ACCEL_LOCATION: set nginx’s internal location, like /blobs')
    const bucket = {
      STORAGE_PRIMARY: 's3://bucket?region=eu-central-1',
      X_ACCEL_LOCATION: '/blobs',
    }
    expect(problemsOf(() => readEnvironment(bucket))).toContain('X_ACCEL_LOCATION: leave it out')
  })
})

describe('the composition', () => {
  const plugin = definePlugin({
    id: 'count-pages',
    kind: 'act',
    title: 'Count pages',
    options: z.strictObject({ most: z.number().min(1) }),
    undo: 'none',
    async *plan() {},
  })
  const workflow = (change: Partial<Workflow> = {}): Workflow => ({
    id: 'one',
    title: 'One',
    action: 'one',
    kind: 'bulk',
    parallel: 1,
    steps: [{ id: 'count', plugin: 'count-pages', options: { most: 3 } }],
    ...change,
  })
  const compose = (workflows: Workflow[], plugins = [plugin]) =>
    defineConfig({
      environment: readEnvironment({}),
      plugins,
      workflows,
      storage: { primary: { kind: 'disk', folder: 'a' }, backup: { kind: 'disk', folder: 'b' } },
    })

  test('is accepted if everything named exists', () => {
    expect(compose([workflow()]).limits.entries_per_import).toBe(1000)
  })

  test.each([
    [
      'an unknown plugin',
      [workflow({ steps: [{ id: 'x', plugin: 'fly' }] })],
      'there is no plugin fly',
    ],
    [
      'a missing option',
      [workflow({ steps: [{ id: 'x', plugin: 'count-pages' }] })],
      'options.most',
    ],
    ['a doubled workflow', [workflow(), workflow()], 'workflow one is listed twice'],
    [
      'a doubled step',
      [workflow({ steps: [...workflow().steps, ...workflow().steps] })],
      'step count is listed twice',
    ],
    ['no steps', [workflow({ steps: [] })], 'has no steps'],
    ['no chain', [workflow({ parallel: 0 })], 'parallel is 1 or more'],
  ])('refuses %s', (_what, workflows, message) => {
    expect(problemsOf(() => compose(workflows))).toContain(message)
  })

  test('refuses a channel that imports files and has no workflow for them', () => {
    const channel = { id: 'post', title: 'Post', imports: { title: 'Post', plural: 'Post' } }
    const withChannel = (workflows: Workflow[]) => () =>
      defineConfig({ ...compose(workflows), channels: [channel] })
    expect(problemsOf(withChannel([]))).toContain(
      'channel post: add its workflow import-post, with kind import',
    )
    // oxfmt-ignore
    expect(withChannel([workflow({ id: 'import-post', kind: 'import', steps: workflow().steps })])().channels).toEqual([channel])
  })

  test('refuses a duplicate plugin', () => {
    expect(problemsOf(() => compose([], [plugin, plugin]))).toContain(
      'plugin count-pages is listed twice',
    )
  })
})
