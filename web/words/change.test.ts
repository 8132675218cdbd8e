import { expect, test } from 'vitest'
import { changesOf } from './change.ts'

test('settings show what they were and what they are', () => {
  expect(
    changesOf(
      { expiry_days: 60, download_limit: 5, cdn: true, visibility: 'private', allowed_referrers: [] },
      { expiry_days: null, download_limit: 1, cdn: true, visibility: 'public', allowed_referrers: ['a.example'] },
    ),
  ).toEqual([
    { what: 'Links expire', before: 'After 60 days', after: 'Never' },
    { what: 'Links allow', before: '5 downloads', after: '1 download' },
    { what: 'Visibility', before: 'Private', after: 'Public' },
    { what: 'Referrers', before: 'Any', after: 'a.example' },
  ])
})

test('never is a value like any other', () => {
  expect(changesOf({ expiry_days: null, download_limit: null }, { expiry_days: null, download_limit: 3 })).toEqual([
    { what: 'Links allow', before: 'Unlimited', after: '3 downloads' },
  ])
})

test('tags and products are named, each product once', () => {
  const chart = { product_id: '1', product_title: 'Sea chart', variant_id: 'a' }
  expect(
    changesOf(null, {
      tags: { added: ['a', 'b'], removed: [] },
      mappings: { added: [chart, { ...chart, variant_id: 'b' }], removed: [] },
    }),
  ).toEqual([
    { what: 'Tags added', before: null, after: 'a, b' },
    { what: 'Mapped to', before: null, after: 'Sea chart' },
  ])
})

test('the trash is told in a word', () => {
  expect(changesOf({ deleted: false }, { deleted: true })).toEqual([
    { what: 'Moved to the trash', before: null, after: null },
  ])
  expect(changesOf({ deleted: true, filename: 'a.pdf' }, { deleted: false, filename: 'a (2).pdf' })).toEqual([
    { what: 'Restored from the trash', before: null, after: null },
    { what: 'Name', before: 'a.pdf', after: 'a (2).pdf' },
  ])
})

test('a new file needs no name, since that stands beside it', () => {
  expect(changesOf(null, { created: true, filename: 'a.pdf' })).toEqual([
    { what: 'New file', before: null, after: null },
  ])
})

test('nothing changed is nothing to say', () => {
  expect(changesOf(null, null)).toEqual([])
  expect(changesOf({ cdn: true }, { cdn: true })).toEqual([])
})
