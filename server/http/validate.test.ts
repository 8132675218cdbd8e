import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { say } from '../../plugins/contract/index.ts'
import { AppError } from '../core/errors.ts'
import { tags } from './schemas.ts'
import { validate, validateFully } from './validate.ts'

const schema = z.strictObject({
  name: z.string().max(5).optional(),
  tags: tags.optional(),
  list: z.array(z.strictObject({ n: z.int(), text: z.string().optional() })).optional(),
  either: z
    .union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })])
    .optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  chosen: z.strictObject({ way: z.enum(['x', 'y']) }).optional(),
  ids: z.union([z.array(z.literal('ok').transform((id) => id)), z.null()]).optional(),
})
function problemsOf(value: unknown) {
  try {
    validate(schema, value)
  } catch (error) {
    if (error instanceof AppError)
      return error.details.map(({ param, index, code }) => [param, index, code])
    throw error
  }
  return []
}

it('returns the parsed value', () => {
  expect(validate(schema, { name: 'ok', list: [{ n: 1 }] })).toEqual({
    name: 'ok',
    list: [{ n: 1 }],
  })
})

describe('names every problem with its path', () => {
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
    [{ chosen: {} }, [['chosen.way', undefined, 'required']]],
    [{ chosen: { way: 'z' } }, [['chosen.way', undefined, 'invalid_value']]],
    [{ tags: ['a', 'b;c'] }, [['tags', 1, 'invalid_tag']]],
    [{ either: { a: 1 } }, [['either.a', undefined, 'invalid_type']]],
    // The form of a union that has the fields of the value.
    [{ either: { b: 1 } }, [['either.b', undefined, 'invalid_type']]],
    [{ either: { a: '', c: 1 } }, [['either.c', undefined, 'unknown_field']]],
    [
      { ids: ['x', 'ok', 'y'] },
      [
        ['ids', 0, 'invalid_value'],
        ['ids', 2, 'invalid_value'],
      ],
    ],
    [undefined, [['', undefined, 'required']]],
  ])('%j', (value, problems) => expect(problemsOf(value)).toEqual(problems))
})

describe('with problems of the well-formed fields', () => {
  const problem = (param: string) => ({ param, code: 'invalid_value' as const, message: say('No') })
  const places = async (value: unknown, found: string[]) => {
    let given: unknown = 'not called'
    const error = await validateFully(schema, value, (fields) => {
      given = fields
      return Promise.resolve(found.map(problem))
    }).catch((thrown: AppError) => thrown)
    const details = error instanceof AppError ? error.details : []
    return { given, params: details.map(({ param }) => param) }
  }

  it('passes them parsed, without what is malformed', async () => {
    const value = { name: 'ok', tags: 5, list: [{ n: 1, more: 2 }, { n: 'x', text: 'y' }, 7] }
    expect((await places(value, [])).given).toEqual({
      name: 'ok',
      list: [{ n: 1 }, { text: 'y' }, undefined],
    })
    expect(await places({ name: 'ok' }, ['name'])).toEqual({ given: 'not called', params: [] })
    expect(await places(null, ['name'])).toEqual({ given: 'not called', params: [''] })
  })

  it('leaves out those of malformed places, and of what is around or inside them', async () => {
    const value = { list: [{ n: 'x' }], options: { a: '\u0000' } }
    const found = [
      'list[0].n',
      'list[0].n.deep',
      'list',
      'list[0].text',
      'list[1]',
      'options.a',
      'name',
    ]
    expect((await places(value, found)).params).toEqual([
      'n',
      'options.a',
      'list[0].text',
      'list[1]',
      'name',
    ])
  })
})

describe('an unknown field names the fields that exist there', () => {
  it.each<[unknown, string]>([
    [
      { nam: 1 },
      'There is no field nam. The fields are: name, tags, list, either, options, chosen, ids',
    ],
    [{ list: [{ n: 1, m: 1 }] }, 'There is no field m. The fields are: n, text'],
    [{ either: { a: 'x', c: 1 } }, 'There is no field c. The fields are: a, b'],
    [{ either: { a: 'x', b: 1 } }, 'The field b cannot be sent together with the others: a, b'],
  ])('%j', (value, message) => {
    expect(() => validate(schema, value)).toThrow(
      expect.objectContaining({
        details: [expect.objectContaining({ code: 'unknown_field', message })],
      }) as Error,
    )
  })
})

describe('text that cannot be stored is refused in any field', () => {
  it.each<[string, unknown, unknown[]]>([
    ['a character 0', { name: 'a\u0000' }, [['name', undefined, 'invalid_value']]],
    [
      'half a character',
      { list: [{ n: 1 }, { n: 2, text: '\ud800' }] },
      [['text', 1, 'invalid_value']],
    ],
    [
      'in what no schema looks into',
      { options: { deep: [{ er: 'a\u0000' }] } },
      [['er', 0, 'invalid_value']],
    ],
    ['as a name', { options: { 'a\u0000': 1 } }, [['options', undefined, 'unknown_field']]],
    [
      'where the schema has its own word for it',
      { tags: ['a\u0000'] },
      [['tags', 0, 'invalid_tag']],
    ],
  ])('%s', (_what, value, problems) => expect(problemsOf(value)).toEqual(problems))
  it('a value nested deeper than any request is refused', () => {
    const deep = (levels: number): unknown =>
      JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
    expect(problemsOf({ options: { deep: deep(40) } })).toEqual([])
    for (const levels of [60, 20_000])
      expect(() => validate(z.unknown(), deep(levels))).toThrow(
        expect.objectContaining({ code: 'malformed_request' }) as Error,
      )
  })
  it('all other text is accepted', () =>
    expect(problemsOf({ name: '\u{1f600}\ufffd\u0001' })).toEqual([]))
})

describe('a value that is too long is named, and passed to no other check', () => {
  const read: number[] = []
  const watched = z.strictObject({
    text: z
      .string()
      .max(5, 'At most five')
      .refine((text) => read.push(text.length) > 0),
    list: z.array(z.string().refine((text) => read.push(text.length) > 0)).max(2),
    either: z.union([z.string().max(3), z.strictObject({ in: z.string().max(4) })]).optional(),
    trimmed: z.string().trim().max(3).optional(),
    record: z.record(z.string(), z.int()).optional(),
  })
  const refusal = (value: unknown) => {
    read.length = 0
    try {
      validate(watched, value)
    } catch (error) {
      return error as AppError
    }
    throw new Error('It was taken')
  }
  it('regardless of the checks after the limit in the schema', () => {
    const { details } = refusal({
      text: 'x'.repeat(1e6),
      list: Array<string>(5000).fill('y'),
      more: 1,
    })
    expect(details).toEqual([
      { param: 'text', code: 'invalid_value', message: 'At most five' },
      {
        param: 'list',
        code: 'too_many',
        message: 'At most 2 entries',
        message_text: expect.objectContaining({ message: 'At most {limit}' }) as object,
      },
      {
        param: 'more',
        code: 'unknown_field',
        message: 'There is no field more. The fields are: text, list, either, trimmed, record',
      },
    ])
    expect(read).toEqual([5, 1, 1])
  })
  it('in each form of a union, and if a schema has no limit', () => {
    const fine = { text: 'a', list: [] }
    expect(refusal({ ...fine, either: { in: 'x'.repeat(5) } }).details).toMatchObject([
      { param: 'either.in' },
    ])
    expect(refusal({ ...fine, either: 'x'.repeat(4) }).details).toMatchObject([{ param: 'either' }])
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`k${n}`, n]))
    expect(refusal({ ...fine, record: many }).details).toMatchObject([
      { param: 'record', code: 'too_many' },
    ])
    expect(refusal({ ...fine, list: ['x'.repeat(10_001)] }).details).toMatchObject([
      { param: 'list', index: 0 },
    ])
    expect(validate(watched, { ...fine, trimmed: `  abc${' '.repeat(100)}` }).trimmed).toBe('abc')
  })
  it('the first hundred problems are named, the others counted', () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [`${'k'.repeat(2000)}${n}`, n]),
    )
    const { details, detailsTotal } = refusal({ text: 1, list: [], ...unknown })
    expect([details.length, detailsTotal]).toEqual([100, 901])
    expect(JSON.stringify(details).length).toBeLessThan(40_000)
  })
  it('a name that would be a prototype’s is refused', () => {
    expect(problemsOf({ options: JSON.parse('{"__proto__": 1}') as unknown })).toEqual([
      ['options', undefined, 'unknown_field'],
    ])
  })
})
