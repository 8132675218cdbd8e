import { expect, test } from 'vitest'
import { changesOf } from './change.ts'

test('settings show the values before and after', () => {
  expect(
    changesOf(
      {
        expiry_days: 60,
        download_limit: 5,
        cdn: true,
        visibility: 'private',
        allowed_referrers: [],
      },
      {
        expiry_days: null,
        download_limit: 1,
        cdn: true,
        visibility: 'public',
        allowed_referrers: ['a.example'],
      },
    ),
  ).toEqual([
    { what: 'Links expire', before: 'After 60 days', after: 'Never' },
    { what: 'Links allow', before: '5 downloads', after: '1 download' },
    { what: 'Visibility', before: 'Private', after: 'Public' },
    { what: 'Referrers', before: 'Any', after: 'a.example' },
  ])
})

test('never is shown like any other value', () => {
  expect(
    changesOf(
      { expiry_days: null, download_limit: null },
      { expiry_days: null, download_limit: 3 },
    ),
  ).toEqual([{ what: 'Links allow', before: 'Unlimited', after: '3 downloads' }])
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

test('a move to the trash is one word', () => {
  expect(changesOf({ deleted: false }, { deleted: true })).toEqual([
    { what: 'Moved to the trash', before: null, after: null },
  ])
  expect(
    changesOf({ deleted: true, filename: 'a.pdf' }, { deleted: false, filename: 'a (2).pdf' }),
  ).toEqual([
    { what: 'Restored from the trash', before: null, after: null },
    { what: 'Name', before: 'a.pdf', after: 'a (2).pdf' },
  ])
})

test('a new file shows no name, which is next to it already', () => {
  expect(changesOf(null, { created: true, filename: 'a.pdf' })).toEqual([
    { what: 'New file', before: null, after: null },
  ])
})

test('a new version shows the saving', () => {
  expect(
    changesOf(
      { version: 1, size_bytes: 4_000_000, filename: 'a.jpg' },
      { version: 2, size_bytes: 1_000_000, filename: 'a.webp' },
    ),
  ).toEqual([
    { what: 'Name', before: 'a.jpg', after: 'a.webp' },
    { what: 'Version', before: '1', after: '2' },
    { what: 'Size', before: '3.8 MB', after: '977 KB (75% less)' },
  ])
})

test('packs, links and files that were created from it', () => {
  expect(changesOf({}, { packs: { added: ['Summer'], removed: ['A', 'B'] } })).toEqual([
    { what: 'Added to packs', before: null, after: 'Summer' },
    { what: 'Removed from packs', before: null, after: 'A, B' },
  ])
  expect(changesOf({}, { created_files: ['a-1.pdf', 'a-2.pdf'], link: 'x' })).toEqual([
    { what: '2 new files', before: null, after: 'a-1.pdf, a-2.pdf' },
    { what: 'Download link', before: null, after: null },
  ])
  expect(changesOf({}, { created_files: ['a-1.pdf'] })).toEqual([
    { what: 'New file', before: null, after: 'a-1.pdf' },
  ])
})

test('a file that goes into quarantine, or out of it, says why', () => {
  expect(changesOf({}, { quarantine: { found: 'Eicar' } })).toEqual([
    { what: 'In quarantine', before: null, after: 'Eicar' },
  ])
  expect(changesOf({}, { quarantine: { released: 'A false alarm' } })).toEqual([
    { what: 'Taken out of quarantine', before: null, after: 'A false alarm' },
  ])
})

test('no change has no text', () => {
  expect(changesOf(null, null)).toEqual([])
  expect(changesOf({ cdn: true }, { cdn: true })).toEqual([])
})

test('a file says how many emails its buyers get', () => {
  expect(changesOf({}, { buyers: 12 })).toEqual([
    { what: 'Emails to buyers', before: null, after: '12' },
  ])
})

test('a product that a rule of the shop gives has the rule beside it', () => {
  const chart = { product_id: '1', product_title: 'Sea chart', variant_id: null }
  const reason = 'The shop’s rule: names that start with SC-'
  const added = [{ ...chart, method: 'rule' as const, reason }]
  expect(changesOf({}, { mappings: { added, removed: [] } })).toEqual([
    { what: 'Mapped to', before: null, after: `Sea chart (${reason})` },
  ])
})
