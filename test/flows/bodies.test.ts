// Requests with bodies of the maximum size, all of it in one field: no endpoint may work on them
// for longer than reading them takes.
import http from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_FIELDS, MAX_VALUES } from '../../server/http/body.ts'
import { openTestApp, type TestApp } from '../app.ts'
import { randomOf, sized, soakTest } from '../scale.ts'
import {
  crowdedBodies,
  largeBodies,
  largeOptions,
  type Document,
  type LargeBody,
  type Schema,
} from '../bodies.ts'

const BYTES = 5 * 1024 ** 2
const LIMITS = { bytes: BYTES, values: MAX_VALUES - 50, fields: MAX_FIELDS - 50 }
/**
 * Upper bound of the CPU time of a whole request, client and server, in units of JSON.parse's time
 * for a usual body of the same size.
 */
const MAX_UNITS = 15
const TRIES = 20
const MAX_REPLY = 100_000
/** Every n-th body is sent, beginning with one that the seed chooses. */
const EACH = sized(150, 1)
const FIRST = randomOf('bodies')(0, EACH)

let app: TestApp
let document: Document
let plugins: { id: string; options: Schema }[]
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
beforeAll(async () => {
  app = await openTestApp()
  document = (await app.owner.call('GET', '/api/openapi.json')).body as Document
  plugins = (await app.owner.call('GET', '/api/plugins')).body.data
})
afterAll(async () => {
  agent.destroy()
  await app.close()
})

function send(
  { method, path }: LargeBody,
  body: Buffer,
): Promise<{ status: number; bytes: number }> {
  const headers = { authorization: `Bearer ${app.owner.key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const options = {
      method: method.toUpperCase(),
      agent,
      headers: { ...headers, 'content-length': body.length },
    }
    const request = http.request(app.url + path, options, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve({ status: response.statusCode!, bytes })).on('error', reject)
    })
    request.on('error', reject).end(body)
  })
}

async function cpuOf<T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const begun = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(begun)
  return { ms: (user + system) / 1000, result }
}

const usual = `[${Array<string>(BYTES / 40)
  .fill(`"${'a'.repeat(37)}"`)
  .join()}]`
const unit = async () => (await cpuOf(() => JSON.parse(usual) as unknown)).ms

/**
 * The minimum of several tries, compared with a unit measured next to each: other load on the
 * machine can only add to either.
 */
async function measure(
  large: LargeBody,
): Promise<{ status: number; bytes: number; units: number }> {
  const body = Buffer.from(large.body)
  let least = Infinity
  let answer = { status: 0, bytes: 0 }
  for (let tries = 0; tries < TRIES && least > MAX_UNITS; tries++) {
    const { ms, result } = await cpuOf(() => send(large, body))
    answer = result
    least = Math.min(least, ms / (await unit()))
  }
  return { ...answer, units: least }
}

async function excessive(bodies: Iterable<LargeBody>): Promise<string[]> {
  const wrong: string[] = []
  let at = FIRST
  for (const large of bodies) {
    if (at++ % EACH > 0) continue
    const { status, bytes, units } = await measure(large)
    if (status >= 500 || bytes > MAX_REPLY || units > MAX_UNITS)
      wrong.push(`${large.name}: ${status}, ${bytes} bytes, ${units.toFixed(1)} units`)
    if (wrong.length > 5) break
  }
  return wrong
}

test('more values than any request has', async () => {
  const request = { name: 'rename', method: 'post', path: '/api/files/rename-preview' }
  expect(await excessive(crowdedBodies(LIMITS, request))).toEqual([])
})

soakTest('each string, list and record of each endpoint', async () => {
  expect(await excessive(largeBodies(document, LIMITS))).toEqual([])
})

soakTest('each string, list and record of each plugin’s options', async () => {
  function* bodies() {
    for (const { id, options } of plugins) {
      const steps = `[{"plugin":"${id}","options":`
      const around = (value: string) => `{"name":"a","kind":"bulk","steps":${steps}${value}}]}`
      const check = { name: `check ${id}`, method: 'post', path: '/api/workflows/check' }
      yield* largeOptions(options, around, LIMITS, check)
    }
  }
  expect(await excessive(bodies())).toEqual([])
})

test('names for files', { timeout: 600_000 }, async () => {
  const { options } = plugins.find(({ id }) => id === 'rename-files')!
  function* bodies() {
    for (const mode of ['pattern', 'replace'])
      for (const regex of [false, true]) {
        const begun = `{"select":{"filter":{}},"options":{"mode":"${mode}","regex":${regex},"find":"a"`
        const around = (value: string) =>
          value.length > 3 ? `${begun},${value.slice(1)}}` : `${begun}}}`
        const preview = {
          name: `preview ${mode}`,
          method: 'post',
          path: '/api/files/rename-preview',
        }
        yield* largeOptions({ ...options, type: 'object' }, around, LIMITS, preview)
      }
  }
  expect(await excessive(bodies())).toEqual([])
})
