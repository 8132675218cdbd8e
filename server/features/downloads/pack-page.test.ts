import { expect, test } from 'vitest'
import { PLAIN_LOOK } from './look.ts'
import { packPage, type OpenedPack } from './pack-page.ts'
import { translatorFor } from './translate.ts'

const now = new Date('2027-01-01T00:00:00Z')
const file: OpenedPack['files'][number] = {
  filename: 'Guide.pdf',
  content_type: 'application/pdf',
  size_bytes: 1000,
  key: 'k',
  view: 'download',
  buyer_text: null,
  sha256: null,
  unpictured: true,
  download_limit: 3,
  downloads: 0,
  available_at: null,
  use_hours: null,
  use_ends_at: null,
  handle: 'guide',
  view_limit: null,
  views: 0,
  views_end_at: null,
  own_view_end: false,
  gated: true,
  locked: 'email',
  question: 0,
  viewing: null,
}

const shown = (...files: OpenedPack['files'][number][]) =>
  packPage(
    translatorFor('en'),
    {
      name: '#1001',
      order: true,
      expires_at: null,
      files,
      now,
      asked: false,
      shop: { name: 'Harbour', domain: 'harbour.example', look: PLAIN_LOOK },
      ask: { key: 'page', action: 'ask' },
    },
    (key, to = 'download') => `${to}?key=${key}`,
  )

const rowsOf = ({ groups }: ReturnType<typeof shown>) => groups.flatMap(({ rows }) => rows)
const buttonsOf = (page: ReturnType<typeof shown>) =>
  rowsOf(page).flatMap(({ buttons }) => buttons.map(({ address }) => address))

test('a file that asks for something offers to unlock it, not to ask the shop for more', () => {
  const page = shown(file)
  expect(page.questions.map(({ address }) => address)).toEqual(['download?key=k&from=page'])
  expect(buttonsOf(page)).toEqual([])
  expect(page.ask).toBeUndefined()
})

test('an answer gives nothing of a file that has ended: its buyer can ask for more, or buy it again', () => {
  const ended = [
    { ...file, downloads: 3 },
    { ...file, expires_at: new Date('2026-12-01T00:00:00Z') },
  ]
  for (const one of ended) {
    const page = shown(one)
    expect(page.questions).toEqual([])
    expect(buttonsOf(page)).toEqual(['#ask', 'https://harbour.example/products/guide'])
    expect(rowsOf(page)[0]?.about).not.toContain('asks for')
    expect(page.ask).toEqual({ key: 'page', action: 'ask' })
  }
})

test('the page says of how many files all downloads were made; an expiry is beside its file', () => {
  const open = { ...file, gated: false, locked: null }
  const [usedUp, expired] = [
    { ...open, downloads: 3 },
    { ...open, downloads: 3, expires_at: new Date('2026-12-01T00:00:00Z') },
  ]
  expect(shown(usedUp, usedUp).usedUp).toMatch(/^These files have been downloaded/)
  for (const other of [open, expired])
    expect(shown(usedUp, other).usedUp).toMatch(/^Some of these files have been downloaded/)
  expect(shown(expired, expired).usedUp).not.toContain('downloaded')
})

test('one button unlocks all files that ask the same', () => {
  const password = { ...file, key: 'p', locked: 'password' as const, question: 1 }
  const { questions } = shown(file, { ...file, key: 'l' }, password)
  expect(questions.map(({ text, address }) => [text, address])).toEqual([
    ['2 files ask for your email address.', 'download?key=k&from=page'],
    ['1 file asks for a password.', 'download?key=p&from=page'],
  ])
})

test('a row says that its file asks only where other files of the page do not ask the same', () => {
  const abouts = (...files: Parameters<typeof shown>) =>
    rowsOf(shown(...files)).map(({ about }) => about.includes('asks for'))
  const open = { ...file, key: 'o', gated: false, locked: null }
  expect(abouts(file)).toEqual([false])
  expect(abouts(file, { ...file, key: 'l' })).toEqual([false, false])
  expect(abouts(file, { ...file, key: 'p', locked: 'password' })).toEqual([true, true])
  expect(abouts(file, open)).toEqual([true, false])
})

test('the text of a file keeps its lines, and its addresses are links', () => {
  const buyer_text = 'Read <b>first</b>.\n\nHelp (https://example.com/a?b=1&c=2): ask us.'
  const [[row], [locked]] = [
    rowsOf(shown({ ...file, gated: false, locked: null, buyer_text })),
    rowsOf(shown({ ...file, buyer_text })),
  ]
  const address = 'https://example.com/a?b=1&c=2'
  expect(row?.text).toEqual([
    [{ text: 'Read <b>first</b>.' }],
    [],
    [{ text: 'Help (' }, { text: address, address }, { text: '): ask us.' }],
  ])
  for (const [before, after] of [
    ['詳しくは', 'をご覧ください。'],
    ['자세한 내용은 ', '을 보세요'],
    ['（', '）'],
    ['See ', ', or ask.'],
  ] as const) {
    const text = `${before}https://example.com/a${after}`
    const [one] = rowsOf(shown({ ...file, gated: false, locked: null, buyer_text: text }))
    expect(one?.text.flat().map((part) => part.text)).toEqual([
      before,
      'https://example.com/a',
      after,
    ])
  }
  // Only who may have the file reads it.
  expect(locked?.text).toEqual([])
})

test('terms that all files share are said once, above them', () => {
  const open = { ...file, gated: false, locked: null }
  const until = { ...open, expires_at: new Date('2027-03-01T00:00:00Z') }
  const same = shown(until, until)
  expect(same.shared).toBe('Each file: 3 downloads left · until March 1, 2027')
  expect(rowsOf(same).map(({ about }) => about)).toEqual(['1,000 bytes', '1,000 bytes'])
  const used = shown(until, { ...until, downloads: 1 })
  expect(used.shared).toBe('Each file: until March 1, 2027')
  expect(rowsOf(used).map(({ about }) => about)).toEqual([
    '1,000 bytes · 3 downloads left',
    '1,000 bytes · 2 downloads left',
  ])
  expect(shown(until).shared).toBe('')
})

test('files are grouped by their product, with its picture', () => {
  const open = { ...file, gated: false, locked: null }
  const [birds, bread] = [
    { ...open, product_id: '1', product: 'Birds', pictured: true },
    { ...open, product_id: '2', product: 'Bread', pictured: false },
  ]
  const { groups } = shown(birds, birds, bread, open)
  expect(groups.map(({ title, picture, rows }) => [title, picture, rows.length])).toEqual([
    ['Birds', 'download/product?key=k', 2],
    ['Bread', null, 1],
    ['', null, 1],
  ])
})

test('a tile shows the type of a file until there is a picture', () => {
  const open = { ...file, gated: false, locked: null, unpictured: false }
  const tiles = rowsOf(
    shown(
      open,
      { ...open, filename: 'Brushes.ZIP', content_type: 'application/zip' },
      { ...open, filename: 'README', content_type: 'text/plain' },
    ),
  ).map(({ tile }) => tile)
  expect(tiles).toEqual([
    { type: 'PDF', kind: 'document', picture: 'download/picture?key=k' },
    { type: 'ZIP', kind: 'archive', picture: null },
    { type: '', kind: 'document', picture: null },
  ])
})
