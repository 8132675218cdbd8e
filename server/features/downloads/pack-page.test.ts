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

test('a file that asks for something offers to unlock it, not to ask the shop for more', () => {
  const page = shown(file)
  expect(page.files).toMatchObject([{ unlock: 'download?key=k&from=page', buy: null }])
  expect(page.ask).toBeUndefined()
})

test('an answer gives nothing of a file that has ended: its buyer can ask for more, or buy it again', () => {
  const ended = [
    { ...file, downloads: 3 },
    { ...file, expires_at: new Date('2026-12-01T00:00:00Z') },
  ]
  for (const one of ended) {
    const page = shown(one)
    expect(page.files).toMatchObject([
      { unlock: null, buy: 'https://harbour.example/products/guide' },
    ])
    expect(page.files[0]?.about).not.toContain('asks for')
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
