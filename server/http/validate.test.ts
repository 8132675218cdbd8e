import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { tags } from './schemas.ts'
import { validate } from './validate.ts'

const schema = z.strictObject({
  name: z.string().max(5).optional(),
  tags: tags.optional(),
  list: z.array(z.strictObject({ n: z.int(), text: z.string().optional() })).optional(),
  either: z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
})
function problemsOf(value: unknown) {
  try {
    validate(schema, value)
  } catch (error) {
    if (error instanceof AppError) return error.details.map(({ param, index, code }) => [param, index, code])
    throw error
  }
  return []
}

it('gives the parsed value', () => {
  expect(validate(schema, { name: 'ok', list: [{ n: 1 }] })).toEqual({ name: 'ok', list: [{ n: 1 }] })
})

describe('names every problem, with its place', () => {
  it.each<[unknown, unknown[]]>([
    [
      { name: 'too long', more: 1 },
      [
        ['name', undefined, 'invalid_value'],
        ['more', undefined, 'unknown_field'],
      ],
    ],
    [
      { list: [{ n: 1 }, { n: 'x' }, {}] },
      [
        ['n', 1, 'invalid_type'],
        ['n', 2, 'required'],
      ],
    ],
    [{ list: {} }, [['list', undefined, 'invalid_type']]],
    [{ tags: ['a', 'b;c'] }, [['tags', 1, 'invalid_tag']]],
    [{ either: { a: 1 } }, [['either.a', undefined, 'invalid_type']]],
    [undefined, [['', undefined, 'required']]],
  ])('%j', (value, problems) => expect(problemsOf(value)).toEqual(problems))
})

describe('text that could not be stored is refused wherever it stands', () => {
  it.each<[string, unknown, unknown[]]>([
    ['a character 0', { name: 'a\u0000' }, [['name', undefined, 'invalid_value']]],
    ['half a character', { list: [{ n: 1 }, { n: 2, text: '\ud800' }] }, [['text', 1, 'invalid_value']]],
    ['in what no schema looks into', { options: { deep: [{ er: 'a\u0000' }] } }, [['er', 0, 'invalid_value']]],
    ['as a name', { options: { 'a\u0000': 1 } }, [['options', undefined, 'unknown_field']]],
    ['where the schema has its own word for it', { tags: ['a\u0000'] }, [['tags', 0, 'invalid_tag']]],
  ])('%s', (_what, value, problems) => expect(problemsOf(value)).toEqual(problems))
  it('and what is nested deeper than any request is no request', () => {
    const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
    expect(problemsOf({ options: { deep: deep(40) } })).toEqual([])
    for (const levels of [60, 20_000])
      expect(() => validate(z.unknown(), deep(levels))).toThrow(
        expect.objectContaining({ code: 'malformed_request' }) as Error,
      )
  })
  it('and all other text is taken', () => expect(problemsOf({ name: '\u{1f600}\ufffd\u0001' })).toEqual([]))
})
