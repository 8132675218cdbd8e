import { describe, expect, test } from 'vitest'
import { type JsonSchema } from '../../../shell/client/workflows.ts'
import { checkOptions } from './check.ts'

const days: JsonSchema = {
  anyOf: [{ type: 'integer', minimum: 1, maximum: 36_500 }, { type: 'null' }],
}
const schema: JsonSchema = {
  type: 'object',
  properties: {
    expiry_days: days,
    share: { type: 'number', minimum: 0, maximum: 1, default: 0.8 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
    title: { type: 'string', minLength: 1, maxLength: 5 },
    rules: {
      type: 'array',
      default: [],
      items: {
        type: 'object',
        properties: {
          when: { type: 'object', properties: { search: {}, mapped: {}, larger_than: {} } },
          tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
        },
        required: ['when', 'tags'],
      },
    },
    extra: {},
  },
  required: ['tags'],
}
const check = (value: Record<string, unknown>) =>
  checkOptions(schema, { tags: ['a'], ...value }, 'options').map(
    ({ param, message }) => `${param}: ${message}`,
  )

describe('accepts', () => {
  test.each([
    ['what may be left out', {}],
    ['null where it means never', { expiry_days: null }],
    ['the bounds themselves', { expiry_days: 36_500, share: 0 }],
    ['a text as long as it may be', { title: 'abcde' }],
    ['a condition', { rules: [{ when: { search: 'x', larger_than: 0 }, tags: ['x'] }] }],
    ['what it can’t judge', { extra: { any: 'thing' } }],
  ])('%s', (_name, value) => expect(check(value)).toEqual([]))
})

describe('reports', () => {
  test.each([
    [
      'a number out of bounds',
      { expiry_days: 0 },
      'options.expiry_days: Enter a whole number from 1 to 36,500',
    ],
    [
      'half a day',
      { expiry_days: 1.5 },
      'options.expiry_days: Enter a whole number from 1 to 36,500',
    ],
    ['what is no number', { share: 'much' }, 'options.share: Enter a number from 0 to 1'],
    ['an empty list that must not be', { tags: [] }, 'options.tags: Add at least one'],
    ['a missing list', { tags: undefined }, 'options.tags: Add at least one'],
    ['a text too long', { title: 'abcdef' }, 'options.title: At most 5 characters'],
    ['an empty text', { title: ' ' }, 'options.title: Fill this in'],
    ['a row’s own', { rules: [{ when: {}, tags: [] }] }, 'options.rules[0].tags: Add at least one'],
    [
      'a condition’s own',
      { rules: [{ when: { larger_than: 'big' }, tags: ['x'] }] },
      'options.rules[0].when.larger_than: Enter a size in MB',
    ],
    ['broken JSON', { extra: '{' }, 'options.extra: This is not JSON'],
  ])('%s', (_name, value, said) => expect(check(value)).toEqual([said]))
})
