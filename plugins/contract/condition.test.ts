import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fileItem, importItem } from '../../test/fakes/context.ts'
import { nameKey } from '../_page/name-key.ts'
import { extensionOf, extensionsOf, numeric, tag, tagProblem, TYPE_GROUPS } from './condition.ts'
import {
  conditionFields,
  conditionSchema,
  matchesCondition,
  type Condition,
} from './condition-fields.ts'
import type { FileView } from './item.ts'
import { english } from './text.ts'

const view = (given: Partial<FileView> = {}) => fileItem('a', given).file
const MAPPING = {
  product_id: '1',
  product_title: 'One',
  variant_id: null,
  sku: null,
  method: 'manual',
  score: 1,
  reason: '',
} as const

it('numbers are read from JSON and from query parameters, and from nothing else', () => {
  const schema = numeric(z.number().min(0))
  const read = (value: unknown) => schema.safeParse(value).data
  expect([5, '5', '007', '+2.5', '0'].map(read)).toEqual([5, 5, 7, 2.5, 0])
  for (const value of [null, true, '', ' ', [], ['5'], '0x10', '1e3', '-1', 'x', '5 '])
    expect([value, read(value)]).toEqual([value, undefined])
})

it('a tag in another form of Unicode is found, also one as long as tags may be', () => {
  const stored = 'é'.repeat(100)
  const { tags } = conditionSchema.parse({ tags: [stored.normalize('NFD')] })
  expect(tags).toEqual([stored])
})

describe('names', () => {
  it.each([
    ['Guide.PDF', 'pdf'],
    ['archive.tar.GZ', 'gz'],
    ['README', ''],
    ['.htaccess', ''],
    ['ends with a dot.', ''],
    ['Straße.ÄÖ', 'äö'],
  ])('%s ends with %j', (name, extension) => expect(extensionOf(name)).toBe(extension))

  it('are compared regardless of case and composition', () => {
    expect(nameKey('CAFE\u0301.PDF')).toBe(nameKey('caf\u00e9.pdf'))
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(nameKey(nameKey(name))).toBe(nameKey(name))
        expect(nameKey(name.normalize('NFD'))).toBe(nameKey(name.normalize('NFC')))
      }),
    )
  })
})

describe('types', () => {
  it('a group stands for its extensions; an extension may be written with its dot, in any case', () => {
    expect(extensionsOf(['image'])).toEqual(TYPE_GROUPS.image)
    expect(extensionsOf(['.PDF', 'Zip', 'IMAGE'])).toEqual(['pdf', 'zip', ...TYPE_GROUPS.image!])
  })
  it('an extension is in one group at most', () => {
    const all = Object.values(TYPE_GROUPS).flat()
    expect(all.filter((one, at) => all.indexOf(one) !== at)).toEqual([])
  })
})

describe('tags', () => {
  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['a,b', ', or ;'],
    ['a;b', ', or ;'],
    ['a\u037eb', ', or ;'],
    ['x'.repeat(101), '100'],
    ['a\u0000b', 'control'],
    ['\u202egpj', 'control'],
    ['\ud800', 'control'],
  ])('%j is refused', (value, message) => {
    const problem = tagProblem(value)
    expect(problem?.code).toBe('invalid_tag')
    expect(english(problem?.message ?? '')).toContain(message)
    expect(tag.safeParse(value).success).toBe(false)
  })
  it('is trimmed', () => expect(tag.parse(' summer sale ')).toBe('summer sale'))
  it('is the same in each form of Unicode', () => {
    expect(tag.parse('e\u0301te\u0301')).toBe('été')
    const asQuery = z.strictObject(conditionFields).parse({ tags: 'e\u0301te\u0301' })
    expect(asQuery.tags).toEqual(['été'])
    const stored = { tags: ['e\u0301te\u0301'] }
    expect(matchesCondition(view({ tags: ['été'] }), stored)).toBe(true)
    // A hundred characters, of which each is typed as two.
    expect(tag.safeParse('e\u0301'.repeat(100)).success).toBe(true)
  })
})

describe('a condition', () => {
  it('means the same as query parameters and as JSON', () => {
    const asQuery = {
      search: 'x',
      type: 'pdf, image,',
      tags: 'a',
      mapped: 'true',
      larger_than: '5',
      smaller_than: '9',
    }
    const asJson = {
      search: 'x',
      type: ['pdf', 'image'],
      tags: ['a'],
      mapped: true,
      larger_than: 5,
      smaller_than: 9,
    }
    expect(conditionSchema.parse(asQuery)).toEqual(asJson)
    expect(conditionSchema.parse(asJson)).toEqual(asJson)
  })
  it.each([
    { mapped: 'yes' },
    { larger_than: -1 },
    { larger_than: 1.5 },
    { smaller_than: 'big' },
    { search: 'x'.repeat(256) },
    { type: 7 },
    { tags: Array.from({ length: 51 }, String) },
    { colour: 'red' },
  ])('refuses %j', (value) => expect(conditionSchema.safeParse(value).success).toBe(false))

  it.each<[Condition, Partial<FileView>, boolean]>([
    [{}, {}, true],
    [{ search: 'UIDE' }, { filename: 'Guide.pdf' }, true],
    [{ search: 'e\u0301' }, { filename: 'CAF\u00c9' }, true],
    [{ search: 'x' }, { filename: 'Guide.pdf' }, false],
    [{ type: ['document'] }, { filename: 'Guide.PDF' }, true],
    [{ type: ['image', 'zip'] }, { filename: 'Guide.pdf' }, false],
    [{ type: [] }, { filename: 'Guide.pdf' }, false],
    [{ tags: ['a', 'b'] }, { tags: ['b', 'c', 'a'] }, true],
    [{ tags: ['a', 'b'] }, { tags: ['a'] }, false],
    [{ tags: ['A'] }, { tags: ['a'] }, false],
    [{ mapped: true }, { mappings: [MAPPING] }, true],
    [{ mapped: true }, {}, false],
    [{ mapped: false }, {}, true],
    [{ larger_than: 999 }, { size_bytes: 1000 }, true],
    [{ larger_than: 1000 }, { size_bytes: 1000 }, false],
    [{ smaller_than: 1000 }, { size_bytes: 1000 }, false],
    [{ smaller_than: 1001 }, { size_bytes: 1000 }, true],
    [{ search: 'guide', larger_than: 5000 }, { filename: 'guide.pdf' }, false],
  ])('%j of %j: %s', (condition, given, holds) =>
    expect(matchesCondition(view(given), condition)).toBe(holds),
  )

  it('a draft without bytes is neither large nor small', () => {
    const draft = importItem('a').file
    expect(matchesCondition(draft, { larger_than: 0 })).toBe(false)
    expect(matchesCondition(draft, { smaller_than: 1e9 })).toBe(false)
  })
})
