// Each string of each documented request is in turn a name that every object inherits
// (`constructor`, `__proto__`), and so is the name of a further field: nothing of it is an error of
// the server, and afterwards every list and every export answers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXAMPLES } from '../../server/features.ts'
import type { Example } from '../../server/http/example.ts'
import type { Answer, Client } from '../app.ts'
import { hasIds, openExamples, type ExampleHouse } from '../examples.ts'
import { randomOf, sized, someOf } from '../scale.ts'
import { WAIT_MS } from '../wait.ts'

const NAMES = Object.getOwnPropertyNames(Object.prototype)
/** Each string gets this many of the names, beginning with one that the seed chooses. */
const PER_STRING = sized(1, NAMES.length)
const random = randomOf('inherited names')
/** Every n-th request; of those about records, which have to be created first, fewer. */
const [EACH, EACH_OF_RECORDS] = sized([16, 96], [1, 1])
const FIRST = random(0, EACH)
const FIRST_OF_RECORDS = random(0, EACH_OF_RECORDS)

let house: ExampleHouse
beforeAll(async () => void (house = await openExamples()))
afterAll(() => house.close())

type Replaced = (name: string) => unknown

/** The value with one of its strings, or a further field of one of its objects, replaced. */
function variantsOf(value: unknown): Replaced[] {
  if (typeof value === 'string') return [(name) => name]
  if (Array.isArray(value))
    return value.flatMap((one, at) =>
      variantsOf(one).map((replaced) => (name: string) => value.with(at, replaced(name))),
    )
  if (typeof value !== 'object' || value === null) return []
  const fields = Object.entries(value)
  // Spread and computed names define fields; an assignment to `__proto__` would not.
  return [
    (name) => ({ ...value, [name]: name }),
    ...fields.flatMap(([field, inner]) =>
      variantsOf(inner).map((replaced) => (name: string) => ({
        ...value,
        [field]: replaced(name),
      })),
    ),
  ]
}

function requestsOf(example: Example): Example[] {
  const variants = [
    ...variantsOf(example.body ?? null).map((body) => (name: string) => ({ body: body(name) })),
    ...(['query', 'params'] as const).flatMap((place) =>
      variantsOf(example[place] ?? null).map((values) => (name: string) => ({
        [place]: values(name),
      })),
    ),
  ]
  return variants.flatMap((change) =>
    Array.from({ length: PER_STRING }, (_, at) => at + random(0, NAMES.length)).map((at) => ({
      ...example,
      ...change(NAMES[at % NAMES.length]!),
    })),
  )
}

/** An import otherwise answers when it has ended, which takes seconds for an address of no server. */
const WITHOUT_WAITING = { prefer: 'wait=0' }

/** Sends all variants of the example; returns those that were an error of the server. */
async function sendAll(owner: Client, name: string, example: Example): Promise<string[]> {
  const wrong: string[] = []
  for (const request of requestsOf(example)) {
    const headers = { ...request.headers, ...WITHOUT_WAITING }
    const { status } = await house.send(owner, name, { ...request, headers })
    if (isFault(status)) wrong.push(`${name} ${JSON.stringify(request)}: ${status}`)
  }
  return wrong
}

/** 503 says that a service is not available: here no cloud provider and no mail server. */
const isFault = (status: number) => status >= 500 && status !== 503 && status !== 507

/** Every list, record and export without an id in its address. */
async function readAll(owner: Client): Promise<string[]> {
  const wrong: string[] = []
  for (const { name, method, path } of house.documented) {
    if (method !== 'get' || path.includes('{')) continue
    const { query, ...example } = EXAMPLES[name]!
    const { status } = await house.send(
      owner,
      name,
      hasIds(query) ? example : { ...example, query },
    )
    if (isFault(status)) wrong.push(`${name}: ${status}`)
  }
  return wrong
}

const untilIdle = (owner: Client) =>
  expect
    .poll(
      async () => {
        const states = ['queued', 'running']
        const found = await Promise.all(
          states.map((status) => owner.call('GET', `/api/operations?status=${status}`)),
        )
        return found.map(({ status, body }: Answer) => [status, body.data?.length])
      },
      { timeout: WAIT_MS },
    )
    .toEqual([
      [200, 0],
      [200, 0],
    ])

const named = Object.entries(EXAMPLES).filter(([name]) => !name.endsWith('events'))

test('in every string of requests that name no record', { timeout: WAIT_MS }, async () => {
  const { owner } = await house.prepare('get /api/files')
  const wrong: string[] = []
  const withoutIds = named.filter(([, example]) => !hasIds(example))
  for (const [name, example] of someOf(withoutIds, (_, at) => at % EACH === FIRST))
    wrong.push(...(await sendAll(owner, name, example)))
  await untilIdle(owner)
  expect([...wrong, ...(await readAll(owner))]).toEqual([])
})

test('in every string of requests about a record', { timeout: 15 * WAIT_MS }, async () => {
  const wrong: string[] = []
  const withIds = named.filter(([, example]) => hasIds(example))
  for (const [name] of someOf(withIds, (_, at) => at % EACH_OF_RECORDS === FIRST_OF_RECORDS)) {
    const { owner, example } = await house.prepare(name)
    wrong.push(...(await sendAll(owner, name, example)))
    await untilIdle(owner)
    wrong.push(...(await readAll(owner)).map((one) => `after ${name}: ${one}`))
  }
  expect(wrong).toEqual([])
})
