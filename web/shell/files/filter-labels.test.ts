import { expect, test } from 'vitest'
import { filterTexts } from './filter-labels.ts'

test('every criterion has its phrase', () => {
  const filter = {
    search: 'ebook sale',
    name_contains: 'guide',
    type: ['pdf', 'image'],
    tags: ['a', 'b'],
    mapped: false,
    larger_than: 100 * 1024 ** 2,
    smaller_than: 1024 ** 3,
    older_than_days: 365,
    not_downloaded_for_days: 1,
    uploaded_after: '2026-01-31',
  }
  expect(filterTexts(filter, 'en-GB')).toEqual([
    'found by “ebook sale”',
    'name contains “guide”',
    'type PDF or Images',
    'tagged a and b',
    'not mapped to a product',
    'over 100 MB',
    'under 1 GB',
    'uploaded more than 365 days ago',
    'not downloaded for 1 day',
    'uploaded after 31 Jan 2026',
  ])
})

test('files are described by where they are kept and where they come from', () => {
  const filter = {
    product: 'p1',
    storage: 'backup',
    backed_up: false,
    connection: 'connection_1',
    drop_account: 'account_1',
    licence_list: 'licences_1',
  } as const
  expect(filterTexts(filter)).toEqual([
    'of one product',
    'in Backup storage',
    'never backed up',
    'of one cloud connection',
    'sent through one drop account',
    'with licence keys of one list',
  ])
})

test('alternatives are told as either … or', () => {
  const any = [{ name_like: 'A-*', tags_none: ['a', 'b'] }, { delivered: false }]
  expect(filterTexts({ version_above: 1, any })).toEqual([
    'above version 1',
    'either not tagged a or b and named “A-*” or never delivered',
  ])
  expect(filterTexts({ any: [{ channel: ['drop'] }, {}] })).toEqual([
    'imported through Drop folder',
  ])
})

test('no criteria have no phrase', () => expect(filterTexts({})).toEqual([]))
