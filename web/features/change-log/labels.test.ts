import { expect, test } from 'vitest'
import { shownFields, titleOf, valueText } from './labels.ts'

test('a title names what was changed, with its name if it has one', () => {
  expect(titleOf({ kind: 'api_key', verb: 'created', name: 'Feed' })).toBe(
    'API key “Feed”: created',
  )
  expect(titleOf({ kind: 'settings', verb: 'changed', name: null })).toBe('Settings: changed')
})

test('of a change both values are shown, of a new record what it has', () => {
  const fields = [
    { field: 'download_limit', before: 5, after: null },
    { field: 'auto_map', before: false, after: true },
  ]
  expect(shownFields({ verb: 'changed', fields }).map(([, text]) => text)).toEqual([
    '5 → nothing',
    'off → on',
  ])
  const made = [
    { field: 'id', before: null, after: 'key_1' },
    { field: 'scopes', before: null, after: ['a', 'b'] },
    { field: 'tags', before: null, after: [] },
    { field: '__proto__', before: null, after: { a: 1 } },
  ]
  expect(shownFields({ verb: 'created', fields: made })).toEqual([
    ['scopes', 'a, b'],
    ['  proto  ', '{"a":1}'],
  ])
})

test('a time is written as people read it', () => {
  expect(valueText('2026-11-29T17:34:29.889Z')).toMatch(/2026/)
  expect(valueText('2026-11-29T17:34:29.889Z')).not.toContain('T')
})
