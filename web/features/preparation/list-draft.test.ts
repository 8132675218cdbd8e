import { expect, test } from 'vitest'
import { bodyOf, draftOf, NEW_LIST, problemsOfDraft, type ListDraft } from './list-draft.ts'

const draft = (part: Partial<ListDraft>): ListDraft => ({ ...NEW_LIST, name: ' Keys ', ...part })

test('a new list has its own keys, without terms', () => {
  expect(problemsOfDraft(draft({}))).toEqual([])
  expect(bodyOf(draft({}))).toEqual({
    name: 'Keys',
    expiry_days: null,
    activation_limit: null,
    revoke_on_refund: false,
  })
})

test('a pattern needs enough random characters', () => {
  const generated = draft({ keys: 'generated', pattern: 'XXXXX-XXXX', prefix: 'A-' })
  expect(problemsOfDraft(generated)).toMatchObject([
    { param: 'generate.pattern', message: expect.stringContaining('add 2 more X') as string },
  ])
  expect(problemsOfDraft(draft({ pattern: '' }))).toEqual([])
  const long = { ...generated, pattern: 'X'.repeat(11) }
  expect(problemsOfDraft(long)).toEqual([])
  expect(bodyOf(long)).toMatchObject({
    generate: { pattern: 'X'.repeat(11), prefix: 'A-', checksum: true },
  })
})

test.each([0, -1, 1.5, 'many', undefined])('%s is not a number of days', (expiry_days) => {
  expect(problemsOfDraft(draft({ expiry_days }))).toMatchObject([{ param: 'expiry_days' }])
})

test('a list is changed from its own values', () => {
  const terms = { expiry_days: 30, activation_limit: 2, revoke_on_refund: true }
  const generate = { pattern: 'X'.repeat(12), prefix: '', checksum: false }
  const about = { id: 'licences_1', left: null, given: 3, created_at: '2026-01-01T00:00:00Z' }
  expect(bodyOf(draftOf({ ...about, ...terms, generate, name: 'Keys' }))).toEqual({
    name: 'Keys',
    generate,
    ...terms,
  })
})
