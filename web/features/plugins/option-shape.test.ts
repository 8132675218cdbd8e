import { expect, test } from 'vitest'
import { type JsonSchema } from '../../shell/client/workflows.ts'
import { emptyOf, isRequired, titleFromName, shapeOf, titleOf } from './option-shape.ts'

const cases: [string, JsonSchema, ReturnType<typeof shapeOf>][] = [
  ['a text', { type: 'string' }, { kind: 'text', long: false }],
  ['a long text', { type: 'string', widget: 'textarea' }, { kind: 'text', long: true }],
  [
    'a whole number without bounds of its own',
    { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { kind: 'number', whole: true, min: null, max: null, none: false, bytes: false },
  ],
  [
    'a number above nought',
    { type: 'integer', exclusiveMinimum: 0 },
    { kind: 'number', whole: true, min: 1, max: null, none: false, bytes: false },
  ],
  [
    'a number or never',
    { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
    { kind: 'number', whole: true, min: 1, max: null, none: true, bytes: false },
  ],
  ['on or off', { type: 'boolean' }, { kind: 'flag' }],
  ['a choice', { type: 'string', enum: ['a', 'b'] }, { kind: 'choice', values: ['a', 'b'] }],
  [
    'a choice with titles',
    { anyOf: [{ const: 'a' }, { const: 'b' }] },
    { kind: 'choice', values: ['a', 'b'] },
  ],
  ['words', { type: 'array', items: { type: 'string' } }, { kind: 'words', values: null }],
  ['some of a few', { type: 'array', items: { enum: ['a'] } }, { kind: 'words', values: ['a'] }],
  [
    'rows',
    { type: 'array', items: { type: 'object' } },
    { kind: 'rows', item: { type: 'object' } },
  ],
  [
    'a condition',
    { type: 'object', properties: { search: {}, mapped: {} } },
    { kind: 'condition' },
  ],
  ['a group', { type: 'object', properties: { search: {}, other: {} } }, { kind: 'group' }],
  ['anything else', {}, { kind: 'raw' }],
  ['several types', { anyOf: [{ type: 'string' }, { type: 'number' }] }, { kind: 'raw' }],
]
test.each(cases)('%s', (_name, schema, shape) => expect(shapeOf(schema)).toEqual(shape))

test('a title is the author’s, or derived from the name', () => {
  expect(titleOf({ title: 'get the tags' }, 'tags')).toBe('Get the tags')
  expect(titleOf({}, 'add_expiry_days')).toBe('Add expiry days')
  expect(titleFromName('new_version')).toBe('New version')
})

test('an option with a default is not required', () => {
  const owner: JsonSchema = {
    properties: { a: {}, b: { default: 1 }, c: {} },
    required: ['a', 'b'],
  }
  expect(['a', 'b', 'c'].map((name) => isRequired(owner, name))).toEqual([true, false, false])
})

test('a new row has its lists, so that they can be filled', () => {
  const row: JsonSchema = {
    properties: {
      when: { type: 'object', properties: { search: {}, mapped: {} } },
      tags: { type: 'array', items: { type: 'string' } },
      mode: { enum: ['a'] },
    },
  }
  expect(emptyOf(row)).toEqual({ when: {}, tags: [] })
})
