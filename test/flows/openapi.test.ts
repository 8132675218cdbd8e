// The OpenAPI document: every operation is described completely, and every example in it works
// unchanged (those with ids in tenants.test.ts).
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { english } from '../../plugins/contract/index.ts'
import { TEST_EVENT } from '../../server/core/outbox/webhook-events.ts'
import { EVENTS, EXAMPLES } from '../../server/features.ts'
import { thrownBy } from '../../server/http/endpoint-errors.ts'
import {
  expectDocumented,
  expectLogged,
  hasIds,
  openExamples,
  type ExampleHouse,
} from '../examples.ts'

let house: ExampleHouse
beforeAll(async () => void (house = await openExamples()))
afterAll(() => house.close())

const WEBHOOK_DOC = path.resolve(import.meta.dirname, '../../docs/merchants/webhooks.md')

/** The document with its table of events as they are declared; `vitest -u` writes it. */
function withEvents(text: string): string {
  const rows = EVENTS.map(({ name, title, about }) => [`\`${name}\``, english(title), about])
  const test = [`\`${TEST_EVENT.name}\``, 'You sent a test', 'A sentence, as `message`']
  const [head, ...body] = [['event', 'when', '`data`'], ...rows, test] as const
  const widths = head.map((_, at) => Math.max(...[head, ...body].map((row) => row[at]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  const table = [head, widths.map((width) => '-'.repeat(width)), ...body].map(line)
  return text.replace(/^\| event [\s\S]*?\n(?=\n)/m, () => `${table.join('\n')}\n`)
}

/** All `$ref`s below a value. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : refsIn(inner),
  )
}

describe('the document', () => {
  test('describes every endpoint, each with a unique name, a summary, a tag and an example', () => {
    const { documented, app } = house
    const names = documented.map(({ name }) => name)
    for (const { method, path } of app.endpoints) expect(names).toContain(`${method} ${path}`)
    expect(
      documented.filter(({ operation }) => !operation.summary || operation.tags?.length !== 1),
    ).toEqual([])
    const ids = documented.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(names.filter((name) => !EXAMPLES[name]).map(hint)).toEqual([])
    expect(Object.keys(EXAMPLES).filter((name) => !names.includes(name))).toEqual([])
  })
  test('refers only to what it contains, and names every parameter of a path', () => {
    const schemas = Object.keys(house.document.components.schemas).map(
      (name) => `#/components/schemas/${name}`,
    )
    expect(refsIn(house.document).filter((ref) => !schemas.includes(ref))).toEqual([])
    for (const { name, path, operation } of house.documented) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param)
      expect([name, inPath.map((parameter) => parameter.name)]).toEqual([name, named])
    }
  })
  test('has only schemas and tags that generators of clients know', () => {
    const { components, tags } = house.document as unknown as {
      components: { schemas: Record<string, object> }
      tags: { name: string }[]
    }
    const unknown = Object.entries(components.schemas).flatMap(([name, schema]) =>
      unknownWords(schema).map((word) => `${name}: ${word}`),
    )
    expect(unknown).toEqual([])
    const named = tags.map(({ name }) => name)
    const used = house.documented.flatMap(({ operation }) => operation.tags ?? [])
    expect(used.filter((tag) => !named.includes(tag))).toEqual([])
  })
  test('has no finding of a public linter, and patterns that all languages know', async () => {
    const source = JSON.stringify(house.document)
    const config = await createConfig({
      extends: ['recommended-strict'],
      // A path of fixed words comes before one with a parameter, and no id is such a word.
      rules: { 'no-ambiguous-paths': 'off' },
    })
    const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    const problems = found.map(({ ruleId, message, location }) => [
      ruleId,
      message,
      location[0]?.pointer,
    ])
    // tus: it needs no key, and takes no input that could be wrong.
    const options = '#/paths/~1api~1uploads/options/responses'
    expect(problems.filter((problem) => problem[2] !== options)).toEqual([])
    expect(source).not.toContain(String.raw`\\p{`)
  })
  test('lists the accepted headers and the possible responses', () => {
    const named = (name: string) =>
      house.documented.find((one) => one.name === name)!.operation as unknown as Described
    const headers = (name: string) =>
      (named(name).parameters ?? []).flatMap((one) => (one.in === 'header' ? [one.name] : []))
    expect(headers('post /api/files/import')).toEqual(['Idempotency-Key', 'Prefer'])
    expect(headers('post /api/links')).toEqual(['Idempotency-Key'])
    expect(headers('get /api/files')).toEqual([])
    const answers = (name: string) => Object.keys(named(name).responses)
    for (const status of ['400', '409', '413', '415', '422'])
      expect(answers('post /api/packs')).toContain(status)
    expect(answers('get /api/notices')).toContain('422')
    for (const name of ['get /api/files/{id}/content', 'get /api/files/{id}/versions/{n}/content'])
      expect(answers(name)).toEqual(expect.arrayContaining(['200', '206', '304', '412', '416']))
    const type = (name: string) => Object.keys(named(name).responses['200']!.content ?? {})
    expect(type('get /api/links/export.csv')).toEqual(['text/csv'])
    expect(type('get /api/operations/{id}/log.csv')).toEqual(['text/csv'])
    expect(type('get /api/operations/{id}/events')).toEqual(['text/event-stream'])
    expect(type('get /api/files/{id}/content')).toEqual(['application/octet-stream'])
  })
  test('names the error codes of each answer, also of endpoints that are new', () => {
    const unknown = house.app.endpoints.filter((endpoint) => thrownBy(endpoint) === null)
    // Run `npm run error-codes`.
    expect(unknown.map(({ method, path }) => `${method} ${path}`)).toEqual([])
    const { responses } = house.documented.find(
      ({ name }) => name === 'post /api/operations/{id}/undo',
    )!.operation as unknown as Described
    expect(responses['409']).toMatchObject({
      description: expect.stringContaining('It cannot be undone (any more) (`idempotency_'),
      'x-error-codes': expect.arrayContaining(['operation_state']),
    })
    for (const { name, path, operation } of house.documented)
      for (const [status, response] of Object.entries(
        (operation as unknown as Described).responses,
      ))
        if (/^[45]/.test(status) && house.app.endpoints.some((one) => one.path === path))
          expect([name, response]).toEqual([
            name,
            expect.objectContaining({
              'x-error-codes': expect.arrayContaining([expect.any(String)]),
            }),
          ])
  })
  test('pages every list', () => {
    const lists = house.documented.filter(({ name, operation }) => {
      const { responses } = operation as unknown as Described
      const content = responses['200']?.content as JsonContent | undefined
      const { properties = {} } = content?.['application/json']?.schema ?? {}
      return name.startsWith('get ') && 'data' in properties
    })
    expect(lists.length).toBeGreaterThan(20)
    const unpaged = lists.filter(({ operation: { parameters = [] } }) =>
      ['limit', 'cursor'].some((wanted) => !parameters.some(({ name }) => name === wanted)),
    )
    expect(unpaged.map(({ name }) => name)).toEqual([])
  })
  test('describes the message of every event, as the merchant’s document does', async () => {
    const { webhooks } = house.document
    const all = [...EVENTS, TEST_EVENT]
    expect(Object.keys(webhooks)).toEqual(all.map(({ name }) => name))
    await expect(withEvents(await readFile(WEBHOOK_DOC, 'utf8'))).toMatchFileSnapshot(WEBHOOK_DOC)
    for (const { name, about } of all)
      expect(webhooks[name]).toMatchObject({
        post: {
          summary: about,
          requestBody: {
            content: { 'application/json': { schema: { properties: { type: { const: name } } } } },
          },
        },
      })
  })
  test('shows the examples that are sent here', () => {
    for (const { name, operation } of house.documented) {
      const { body, content, lines, params = {}, query = {} } = EXAMPLES[name] ?? {}
      const shown = Object.values(operation.requestBody?.content ?? {}).map(
        ({ example }) => example,
      )
      expect([name, shown]).toEqual([
        name,
        [body ?? content?.text, lines].filter((one) => one !== undefined),
      ])
      for (const [param, value] of Object.entries({ ...params, ...query })) {
        const { example, schema } = operation.parameters!.find((one) => one.name === param)!
        expect([name, String(example)]).toEqual([name, value])
        const { type } = schema as { type?: string }
        const found = Array.isArray(example) ? 'array' : typeof example
        expect([name, param, found]).toEqual([name, param, TYPES[type!] ?? type ?? found])
      }
    }
  })
})

const TYPES: Record<string, string> = { integer: 'number' }
const KEYWORDS =
  /^(\$ref|title|description|type|format|pattern|enum|const|default|examples?|id|items|prefixItems|properties|required|additionalProperties|propertyNames|anyOf|oneOf|allOf|not|(min|max)(Length|Items|Properties|imum)|exclusive(Min|Max)imum|multipleOf|content(Encoding|MediaType)|readOnly|deprecated)$/

/** The words of a schema that JSON Schema does not know, with those of the schemas in it. */
function unknownWords(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([word, value]) => {
    if (!KEYWORDS.test(word)) return [word]
    if (word === 'properties') return Object.values(value as object).flatMap(unknownWords)
    if (/^(anyOf|oneOf|allOf|prefixItems)$/.test(word))
      return (value as object[]).flatMap(unknownWords)
    return /^(items|additionalProperties|not)$/.test(word) ? unknownWords(value) : []
  })
}

interface JsonContent {
  'application/json'?: { schema?: { properties?: object } }
}

interface Described {
  parameters?: { name: string; in: string }[]
  responses: Record<string, { content?: object }>
}

const hint = (name: string) => `${name} has no example: write one in examples.ts of its feature`

// Examples with ids are sent by tenants.test.ts, after a stranger's request for the same data.
describe('the example of', () => {
  const withoutIds = Object.entries(EXAMPLES).filter(([, example]) => !hasIds(example))
  test.each(withoutIds)('%s', async (name) => {
    const { owner, example } = await house.prepare(name)
    expectDocumented(house, name, await house.send(owner, name, example))
    await expectLogged(house, name, owner)
  })
})
