// No request holds the event loop for long: the largest values in every field of every endpoint, and
// what a shop with 100,000 files can ask for. Processor time of the thread is measured, which other
// programs on the machine do not change.
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'
import { insertManyFiles } from '../factories.ts'
import { longestTurn } from '../longest-turn.ts'

const MOST_MS = 100
const MB = 1024 ** 2
/** A little less than a body may have. */
const SIZE = 5 * MB - 10_000
const FILES = 100_000
const ID = '01890a5d-ac96-774b-bcce-b302099a8057'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  const { pool } = app.engine.parts.database
  await insertManyFiles(pool, { shop: app.owner.scope.shop, count: FILES })
})
afterAll(() => app.close())

interface Request {
  method: string
  path: string
  body?: string | Uint8Array
  type?: string
}

/**
 * The longest turn of the request, the shortest of four: the first ones compile code, and one may meet the
 * garbage collector.
 */
async function turnOf({ method, path, body = '', type = 'application/json' }: Request) {
  const turns: number[] = []
  let status = 0
  for (let at = 0; at < 4; at++) {
    const { result, ms } = await longestTurn(() => send(method, path, body, type))
    status = result
    turns.push(ms)
    if (ms < MOST_MS) break
  }
  return { status, ms: Math.min(...turns) }
}

/** Each on its own connection: one that is refused early may be closed. Returns the status. */
function send(
  method: string,
  path: string,
  body: string | Uint8Array,
  type: string,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = {
    authorization: `Bearer ${app.owner.key}`,
    'content-type': type,
    // An import answers when it has ended, and no worker runs it.
    prefer: 'respond-async',
    'content-length': Buffer.byteLength(body),
  }
  const sent = request(app.url + path, { method, agent: false, headers }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0))
  })
  // A refused body is not read to its end: the answer came before.
  sent.on('error', reject)
  sent.end(body)
  return promise
}

/** Requests whose turns are too long, or which the server cannot answer. */
async function tooLong(requests: Iterable<Request & { name: string }>): Promise<string[]> {
  const found: string[] = []
  for (const one of requests) {
    const { status, ms } = await turnOf(one)
    const isBad = ms >= MOST_MS || (status >= 500 && status !== 503)
    if (isBad) found.push(`${one.name}: ${Math.round(ms)} ms, ${status}`)
  }
  return found
}

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** Values near the limits of a body: its bytes, its values, its fields and its depth. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  'one text': () => 'x'.repeat(SIZE),
  'letters with accents': () => 'e\u0301'.repeat(SIZE / 3),
  spaces: () => ' '.repeat(SIZE),
  'many texts': () => many(99_000, (at) => `text ${at}`),
  'the same id': () => many(99_000, () => ID),
  'long texts': () => many(1000, (at) => `${at}${'y'.repeat(4900)}`),
  'many fields': () => Object.fromEntries(many(39_000, (at) => [`field ${at}`, at])),
  'many objects': () =>
    many(19_000, (at) => ({ filename: `f${at}.pdf`, url: 'https://a.example/x' })),
  deep: () => JSON.parse(`${'['.repeat(45)}${'1,'.repeat(90_000)}1${']'.repeat(45)}`),
}

interface Schema {
  $ref?: string
  properties?: Record<string, unknown>
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      { requestBody?: { content?: Record<string, { schema: Schema; example?: object }> } }
    >
  >
  components: { schemas: Record<string, Schema> }
}

/** Each field of each JSON body, beside an example of the other fields. */
async function* fields(): AsyncGenerator<{
  method: string
  path: string
  field: string
  example: object
}> {
  const response = await fetch(`${app.url}/api/openapi.json`)
  const { paths, components } = (await response.json()) as OpenApi
  const namesOf = ({ $ref, properties, anyOf = [], oneOf = [], allOf = [] }: Schema): string[] => [
    ...Object.keys(properties ?? {}),
    ...[...anyOf, ...oneOf, ...allOf].flatMap(namesOf),
    ...($ref === undefined ? [] : namesOf(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {})),
  ]
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const json = requestBody?.content?.['application/json']
      if (json === undefined) continue
      for (const field of new Set(namesOf(json.schema)))
        yield {
          method: method.toUpperCase(),
          path: path.replaceAll(/\{[^}]+\}/g, ID),
          field,
          example: json.example ?? {},
        }
    }
}

test('the largest values in every field of every body', async () => {
  const all = await Array.fromAsync(fields())
  expect(all.length).toBeGreaterThan(100)
  const found: string[] = []
  for (const [value, make] of Object.entries(VALUES)) {
    const json = JSON.stringify(make())
    for (const { method, path, field, example } of all) {
      const start = JSON.stringify({ ...example, [field]: undefined }).slice(0, -1)
      const body = `${start}${start === '{' ? '' : ','}${JSON.stringify(field)}:${json}}`
      const name = `${method} ${path} ${field}, ${value}`
      found.push(...(await tooLong([{ name, method, path, body }])))
    }
  }
  expect(found).toEqual([])
})

const entry = (at: number, own: object = {}) => ({
  filename: `file ${at}.pdf`,
  url: `https://a.example/${at}`,
  ...own,
})
const tag = (at: number) => `tag ${at}${'t'.repeat(90)}`.slice(0, 99)
const select = { filter: {} }
const rename = (options: object) => ({ select, options, limit: 50 })

test('an import of the largest size, with long names and many tags', async () => {
  const files = [
    many(1000, (at) => entry(at, { tags: many(35, tag) })),
    many(1000, (at) => entry(at, { filename: `${'ä'.repeat(240)}${at}.pdf`.normalize('NFD') })),
    many(1000, () => entry(1)),
    many(1000, (at) => entry(at, { product_sku: 'А'.repeat(250) })),
    many(1000, (at) => entry(at, { filename: `${'%C3%A4 .-_()'.repeat(20)}${at}.pdf` })),
  ]
  const found = await tooLong(
    files.map((list, at) => ({
      name: `import ${at}`,
      method: 'POST',
      path: '/api/files/import',
      body: JSON.stringify({ files: list }),
    })),
  )
  expect(found).toEqual([])
})

test('searches, previews of names and counts in a shop with many files', async () => {
  const texts = [
    '%'.repeat(200),
    '_'.repeat(200),
    '\\'.repeat(200),
    'a'.repeat(1000),
    'a '.repeat(400),
    'ﷺ'.repeat(300),
    'İ'.repeat(300),
    '"'.repeat(300),
    'e\u0301'.repeat(400),
    '\u200b'.repeat(900),
    randomBytes(400).toString('hex'),
  ]
  const searches = [
    '/api/files',
    '/api/products',
    '/api/tags',
    '/api/packs',
    '/api/search',
  ].flatMap((route) =>
    texts.map((text, at) => ({
      name: `${route} ${at}`,
      method: 'GET',
      path: `${route}?search=${encodeURIComponent(text)}`,
    })),
  )
  const expressions = [
    '(a|a)*b',
    '(.*)*x',
    '(?:a?){50}a{50}',
    '[\\p{L}\\p{N}]{1,60}',
    '(.{1,30}){1,3}',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '\\b\\w+\\b',
    '.*.*.*.*',
  ]
  const previews = expressions.map((find) => ({
    name: `rename ${find}`,
    method: 'POST',
    path: '/api/files/rename-preview',
    body: JSON.stringify(rename({ find, replace: '$0', regex: true })),
  }))
  const patterns = [
    '{name}',
    '{counter}',
    '{name}-{counter}-{date}',
    'x',
    `${'{name}'.repeat(30)}`,
  ].map((pattern) => ({
    name: `rename ${pattern}`,
    method: 'POST',
    path: '/api/files/rename-preview',
    body: JSON.stringify(rename({ pattern })),
  }))
  const counts = ['*', '*'.repeat(200), `*${'a*'.repeat(100)}`, '%', 'file-*'].map((pattern) => ({
    name: `count ${pattern}`,
    method: 'GET',
    path: `/api/mapping-rules/count?pattern=${encodeURIComponent(pattern)}`,
  }))
  const lists = [
    '/api/files?limit=200',
    '/api/tags?limit=200',
    '/api/files/export',
    '/api/operations',
  ].map((path) => ({ name: path, method: 'GET', path }))
  expect(await tooLong([...searches, ...previews, ...patterns, ...counts, ...lists])).toEqual([])
})

test('rules, filters and workflows of the largest size', async () => {
  const clauses = many(400, (at) => ({ tags: [tag(at)], name: `n${at}`, type: ['pdf'] }))
  const conditions = { all: clauses, any: clauses }
  const rules = many(500, (at) => ({ when: { name_contains: `n${at}` }, tags: many(20, tag) }))
  const steps = many(200, () => ({ plugin: 'tag-by-rule', options: { rules: rules.slice(0, 20) } }))
  const query = `tags=${many(400, tag).map(encodeURIComponent).join(',')}`
  const requests = [
    [
      'POST',
      '/api/operations',
      { action: 'tag-by-rule', select, options: { rules }, dry_run: true },
    ],
    ['POST', '/api/workflows', { name: 'w', kind: 'bulk', steps }],
    ['POST', '/api/workflows/check', { name: 'w', kind: 'bulk', steps }],
    ['POST', '/api/workflows/try', { workflow: { name: 'w', kind: 'bulk', steps } }],
    ['POST', '/api/views', { name: 'v', filter: query }],
    ['POST', '/api/views', { name: 'v', filter: conditions }],
    [
      'POST',
      '/api/operations',
      { action: 'tag-files', select: { filter: conditions }, options: { add: ['a'] } },
    ],
    [
      'POST',
      '/api/operations',
      { action: 'rename-files', select, options: { pattern: '{counter}' }, dry_run: true },
    ],
    ['POST', '/api/files/impact', { select }],
    ['POST', '/api/uploads/check-names', { names: many(1000, (at) => 'ä'.repeat(240) + at) }],
  ] as const
  const sent = requests.map(([method, path, body]) => ({
    name: `${method} ${path}`,
    method,
    path,
    body: JSON.stringify(body),
  }))
  expect(await tooLong(sent)).toEqual([])
})

test('workbooks', async () => {
  const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  const book = async (rows: string[][]) =>
    Buffer.from((await writeXlsx({ sheets: [{ name: 'Files', rows }] } as never)) as Uint8Array)
  const grid = (columns: number, rows: number) =>
    many(rows, (row) => many(columns, (column) => `c${column} r${row}`))
  const books = {
    'many columns': await book(grid(2000, 6)),
    'as many cells as a table has': await book(grid(100, 10_000)),
    'as many rows as a table has': await book([
      ['filename', 'file_url'],
      ...many(50_000, (at) => [`f${at}.pdf`, `https://a.example/${at}`]),
    ]),
    'long cells': await book([
      ['filename', 'tags'],
      ...many(100, (at) => [`f${at}.pdf`, 't,'.repeat(15_000)]),
    ]),
  }
  const requests = ['/api/csv', '/api/moves'].flatMap((path) =>
    Object.entries(books).map(([name, body]) => ({
      name: `${path} ${name}`,
      method: 'POST',
      path: `${path}?filename=a.xlsx`,
      body,
      type: XLSX,
    })),
  )
  expect(await tooLong(requests)).toEqual([])
})
