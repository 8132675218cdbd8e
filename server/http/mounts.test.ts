import { expect, it } from 'vitest'
import { mountsByPath } from './listen.ts'

const of = mountsByPath([
  { name: 'exact', path: '/webhooks' },
  { name: 'both', path: ['/download', '/download/'] },
  { name: 'inner', path: '/api/docs/' },
])
const nameOf = (path: string) => of(path)?.name

it('finds exact paths, and those below a prefix of one or two segments', () => {
  expect(nameOf('/webhooks')).toBe('exact')
  expect(nameOf('/download')).toBe('both')
  expect(nameOf('/download/')).toBe('both')
  expect(nameOf('/download/ask')).toBe('both')
  expect(nameOf('/download/ask/further')).toBe('both')
  expect(nameOf('/api/docs/swagger-ui.css')).toBe('inner')
})

it.each([
  '',
  '*',
  '/',
  '//',
  '/webhooksx',
  '/webhooks/',
  '/webhooks/x',
  '/Webhooks',
  '/web%68ooks',
  '//webhooks',
  '/./webhooks',
  'http://host/webhooks',
  '/downloads',
  '//download/ask',
  '/api/docs',
  '/api/docsx/start.js',
  '/api//docs/start.js',
  '/x/api/docs/start.js',
  '/constructor',
  '/__proto__/',
])('%s is the address of none', (path) => expect(of(path)).toBeUndefined())

it('refuses an address that two have', () => {
  expect(() => mountsByPath([{ path: '/a' }, { path: ['/b', '/a'] }])).toThrow(
    'The address /a is listed twice',
  )
})
