// What the form of a feed sends.
import { expect, test } from 'vitest'
import { changeOf, draftOf, headersOf, mappingAfter, NEW_FEED, sentOf } from './draft.ts'
import { type Feed, type FeedTable } from './calls.ts'

test('headers are one in each line', () => {
  expect(headersOf('Authorization: Bearer a:b\n\n X-Key :1 ')).toEqual({
    Authorization: 'Bearer a:b',
    'X-Key': '1',
  })
})

test('only what differs is sent, and no saved secret', () => {
  const feed = {
    name: 'Supplier',
    mapping: NEW_FEED.mapping,
    key_column: null,
    vanished: 'keep',
    vanished_tag: null,
    tags: 'replace',
    products: 'add',
    auto_map: true,
    notify: false,
    cron: '0 3 * * *',
  } as unknown as Feed
  const draft = draftOf(feed)
  expect(changeOf(feed, draft)).toEqual({})
  expect(changeOf(feed, { ...draft, when: null, vanished: 'trash' })).toEqual({
    cron: null,
    vanished: 'trash',
  })
  expect(sentOf({ ...NEW_FEED, url: ' https://example.com/a.csv ' })).toMatchObject({
    url: 'https://example.com/a.csv',
    cron: '0 3 * * *',
  })
})

test('columns that were chosen stay, as long as the table has them', () => {
  const table = {
    headers: ['name', 'link'],
    mapping: { ...NEW_FEED.mapping, filename: 'name' },
  } as unknown as FeedTable
  expect(mappingAfter(NEW_FEED.mapping, table).filename).toBe('name')
  const chosen = { ...NEW_FEED.mapping, filename: 'link', tags: 'gone' }
  expect(mappingAfter(chosen, table)).toMatchObject({ filename: 'link', tags: null })
})
