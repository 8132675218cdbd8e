// Users never see a message of the library: each of its issue codes and formats has its own text.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { problemText } from './problem-text.ts'

const CASES: Record<z.core.$ZodIssueCode, [schema: z.ZodType, value: unknown, text: string][]> = {
  invalid_type: [
    [z.string(), undefined, 'This is required'],
    [z.string(), 7, 'This must be text'],
    [z.number(), Number.NaN, 'This must be a number'],
    [z.int(), 1.5, 'This must be a whole number'],
    [z.boolean(), 'yes', 'This must be true or false'],
    [z.date(), 'today', 'This must be a date'],
    [z.array(z.string()), {}, 'This must be a list'],
    [z.object({}), [], 'This must be an object with fields'],
    [z.record(z.string(), z.string()), 1, 'This must be an object with fields'],
    [z.null(), 1, 'This must be null'],
    [z.never(), 1, 'There is no such field'],
    [z.symbol(), 1, 'This is of the wrong type'],
  ],
  too_big: [
    [z.string().max(1), 'ab', 'At most 1 character'],
    [z.number().max(50), 51, 'At most 50'],
    [z.number().lt(50), 50, 'Less than 50'],
    [z.int(), 2 ** 60, 'At most 9,007,199,254,740,991'],
    [z.array(z.int()).max(2), [1, 2, 3], 'At most 2 entries'],
    [z.string().length(2), 'abc', 'Exactly 2 characters'],
    [z.date().max(new Date(0)), new Date(1), 'At most 1970-01-01T00:00:00.000Z'],
  ],
  too_small: [
    [z.string().min(1), '', 'This cannot be empty'],
    [z.string().min(8), 'short', 'At least 8 characters'],
    [z.number().min(1), 0, 'At least 1'],
    [z.number().gt(1), 1, 'More than 1'],
    [z.array(z.int()).min(1), [], 'This needs at least 1 entry'],
    [z.array(z.int()).length(2), [], 'Exactly 2 entries'],
  ],
  invalid_format: [
    [z.email(), 'x', 'This is not an email address'],
    [z.url(), 'x', 'This is not a URL'],
    [z.iso.datetime(), 'x', 'This is not a date and time such as 2026-01-31T12:00:00Z'],
    [z.iso.date(), 'x', 'This is not a date such as 2026-01-31'],
    [z.string().regex(/^a$/), 'x', 'This does not have the right form'],
    [z.string().startsWith('a'), 'x', 'This must begin with a'],
    [z.string().endsWith('a'), 'x', 'This must end with a'],
    [z.string().includes('a'), 'x', 'This must contain a'],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 7, 'This must be a multiple of 5']],
  unrecognized_keys: [
    [z.strictObject({}), { a: 1, b: 2 }, 'There is no field a; There is no field b'],
  ],
  invalid_union: [
    [z.union([z.string(), z.int()]), [], 'This has none of the allowed forms'],
    [z.discriminatedUnion('a', [z.object({ a: z.literal(1) })]), { a: 2 }, 'This must be 1'],
  ],
  invalid_key: [[z.record(z.string().max(1), z.int()), { ab: 1 }, 'This name is not allowed here']],
  invalid_element: [
    [z.map(z.object({}), z.int()), new Map([[{}, 'a']]), 'An entry here is not allowed'],
  ],
  invalid_value: [
    [z.enum(['a', 'b']), 'c', 'This must be one of: a, b'],
    [z.literal('a'), 'b', 'This must be a'],
    [z.enum(['a', 'b']), undefined, 'This is required'],
  ],
  custom: [[z.string().refine(() => false), 'x', 'This value is not allowed']],
}

test.each(
  Object.entries(CASES).flatMap(([code, cases]) => cases.map((given) => [code, ...given] as const)),
)('%s', (code, schema, value, text) => {
  const [issue] = schema.safeParse(value, { error: problemText }).error!.issues
  expect([issue!.code, issue!.message]).toEqual([code, text])
})

test('a schema’s own message takes precedence, also within one form of a union', () => {
  const schema = z.union([z.object({ a: z.string('Give it a name') }), z.object({ b: z.int() })])
  const [issue] = schema.safeParse({ a: 1 }, { error: problemText }).error!.issues
  expect(issue).toMatchObject({
    errors: [[{ message: 'Give it a name' }], [{ message: 'This is required' }]],
  })
})
