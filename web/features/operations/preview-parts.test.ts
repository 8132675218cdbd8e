import { expect, test } from 'vitest'
import { type Item, type ItemStatus } from '../../shell/client/types.ts'
import { pluginOf } from '../../shell/client/plugin-sample.ts'
import { partsOfAll as allOf, partsOfCounts as countsOf } from './preview-parts.ts'

const plugins = [
  pluginOf('pair-files', [
    {
      labels: {
        preview: '{count, plural, one {# file is matched} other {# files are matched}}',
        skipped: '{count, plural, one {# file is not matched} other {# files are not matched}}',
      },
    },
  ]),
  pluginOf('stamp-files', [{}]),
  pluginOf(
    'cut-files',
    [
      {
        labels: {
          preview: '{count, plural, one {# file would be split} other {# files would be split}}',
        },
      },
    ],
    { touches_bytes: true },
  ),
]
const partsOfAll = (...[operation, items]: Parameters<typeof allOf>) =>
  allOf(operation, items, plugins)
const partsOfCounts = (...[operation, items]: Parameters<typeof countsOf>) =>
  countsOf(operation, items, plugins)

let position = 0
const item = (status: ItemStatus, more: Partial<Item> & { why?: string } = {}): Item =>
  ({
    position: position++,
    status,
    filename: 'a.pdf',
    warnings: [],
    candidates: [],
    before: null,
    after: null,
    error: more.why ? { code: 'x', message: more.why, retryable: false } : null,
    ...more,
  }) as unknown as Item
const stepOf = (plugin: string) => ({
  id: 'act',
  plugin,
  title: '',
  summary: '',
  summary_text: { message: '', values: {} },
})
const counts = {
  action: 'pair-files',
  steps: [stepOf('pair-files')],
  done: 4,
  failed: 1,
  skipped: 3,
  foreseen: null,
}

test('matched, to be reviewed, skipped by reason, failing first', () => {
  const items = [
    item('done', { after: { mappings: { added: [], removed: [] } } }),
    item('skipped', { why: 'No product matches it' }),
    item('skipped', { why: 'It has a product already' }),
    item('done'),
    item('done', { candidates: [{}] as unknown as Item['candidates'] }),
    item('skipped', {
      why: 'It matches 2 products',
      candidates: [{}] as unknown as Item['candidates'],
    }),
    item('failed', { why: 'File in use' }),
    item('skipped', { why: 'No product matches it' }),
  ]
  expect(partsOfAll(counts, items).map(({ title, count }) => [title, count])).toEqual([
    ['1 file would fail: File in use', 1],
    ['1 file is matched', 1],
    ['2 files have no certain match: choose the product in Reviews', 2],
    ['2 files are not matched: No product matches it', 2],
    ['1 file is not matched: It has a product already', 1],
    ['1 file does not change', 1],
  ])
})

test('for very many files the operation’s counts are shown: unchanged files count as no change', () => {
  const items = [
    item('done', { after: { cdn: true } }),
    item('done'),
    item('skipped', { why: 'It has a product' }),
  ]
  const many = {
    ...counts,
    failed: 0,
    done: 1200,
    foreseen: { changed: 3, unchanged: 1190, candidates: 7 },
  }
  expect(partsOfCounts({ ...many, action: 'stamp-files' }, items)).toMatchObject([
    { title: '3 files would be changed', items: [{ after: { cdn: true } }] },
    { title: '7 files have no certain match: choose the product in Reviews', items: [] },
    { title: '3 files are left alone', items: [{ status: 'skipped' }] },
    { title: '1,190 files do not change', items: [{ after: null }] },
  ])
  // Files with candidates may be among the skipped ones.
  const mapping = {
    ...many,
    done: 5,
    skipped: 9,
    foreseen: { changed: 3, unchanged: 2, candidates: 7 },
  }
  expect(partsOfCounts(mapping, []).map(({ kind, count }) => [kind, count])).toEqual([
    ['change', 3],
    ['ask', 7],
    ['skipped', 2],
    ['same', 2],
  ])
  expect(partsOfCounts(mapping, []).map(({ note }) => note)).toEqual(['', '', '', ''])
  // The result of work on bytes is only known after it ran.
  const split = { ...many, action: 'cut-files', steps: [stepOf('cut-files')] }
  expect(partsOfCounts(split, [])[0]).toMatchObject({
    title: '1,200 files would be split',
    note: expect.stringContaining('Some may stay as they are'),
  })
})

test('a result made of bytes is not known before, and counts as a change', () => {
  const split = { ...counts, action: 'cut-files', steps: [stepOf('cut-files'), stepOf('notify')] }
  expect(partsOfAll(split, [item('done')])).toMatchObject([
    { kind: 'change', title: '1 file would be split' },
  ])
})
