import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { installationOf, isOpenToOthers } from './access.ts'
import { COMMANDS, generalHelp } from './commands.ts'
import { StevedoreError } from './errors.ts'
import { EXIT, exitCodeOf, UsageError } from './exit.ts'
import { filterOf, queryOf } from './filter.ts'
import { importOptionsOf } from './import-options.ts'
import { isLeftOut, shownPath, type LocalFile } from './local-files.ts'
import { keyFileOf, uploadsFolderOf, type System } from './places.ts'
import { retryAfter } from './requests.ts'
import { shopsIn } from './shops.ts'
import { SkuIndex } from './sku-index.ts'
import { safe, safeJson } from './terminal.ts'
import { SettledFiles } from './watch.ts'

const linux: System = { platform: 'linux', env: {}, home: '/home/ada' }
const mac: System = { platform: 'darwin', env: {}, home: '/Users/ada' }
const windows: System = {
  platform: 'win32',
  env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming', LOCALAPPDATA: 'D:\\Local' },
  home: 'C:\\Users\\ada',
}

describe('the help', () => {
  const texts = [
    ['', generalHelp(linux, 'https://files.example.com')] as const,
    ...[...COMMANDS].map(([name, { help }]) => [name, help] as const),
  ]
  test.each(texts)('of stevedore %s fits 80 × 24', (name, text) => {
    const lines = text.split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines.filter((line) => [...line].length > 80)).toEqual([])
    expect(lines[0]).toContain(`stevedore ${name}`)
  })
  test('names every option of its command', () => {
    for (const [name, { help, options }] of COMMANDS)
      for (const option of Object.keys(options))
        expect([name, help.includes(`--${option}`)]).toEqual([name, true])
  })
})

describe('the places of a system', () => {
  const url = 'https://files.example.com:8443/'
  test('are where its programs keep settings and state', () => {
    expect(keyFileOf(linux, url)).toBe('/home/ada/.config/stevedore/files.example.com_8443.key')
    expect(keyFileOf({ ...linux, env: { XDG_CONFIG_HOME: '/etc/ada' } }, url)).toBe(
      '/etc/ada/stevedore/files.example.com_8443.key',
    )
    expect(keyFileOf(mac, url)).toBe(
      '/Users/ada/Library/Application Support/stevedore/files.example.com_8443.key',
    )
    expect(keyFileOf(windows, url)).toBe(
      'C:\\Users\\ada\\AppData\\Roaming\\stevedore\\files.example.com_8443.key',
    )
    expect(uploadsFolderOf(windows, url)).toBe(
      'D:\\Local\\stevedore\\uploads\\files.example.com_8443',
    )
    expect(uploadsFolderOf({ ...windows, env: {} }, url)).toBe(
      'C:\\Users\\ada\\AppData\\Local\\stevedore\\uploads\\files.example.com_8443',
    )
    expect(uploadsFolderOf(linux, url, '../a.myshopify.com')).toMatch(
      /\/files\.example\.com_8443_\.\._a\.myshopify\.com$/,
    )
    expect(uploadsFolderOf(linux, url)).toBe(
      '/home/ada/.local/state/stevedore/uploads/files.example.com_8443',
    )
  })
  test('an IPv6 address makes a name that Windows allows', () => {
    expect(keyFileOf(windows, 'http://[::1]:3000')).toMatch(/\\[\w.-]+\.key$/)
  })
})

describe('a list of shops', () => {
  test('has a shop in each line', () => {
    const text =
      '# ours\n\nnorth  https://files.example.com/  key_1\r\nsouth http://127.0.0.1:3000 key_2\n'
    expect(shopsIn(text, 'shops.txt')).toEqual([
      { name: 'north', url: 'https://files.example.com', key: 'key_1' },
      { name: 'south', url: 'http://127.0.0.1:3000', key: 'key_2' },
    ])
  })
  test.each([
    '',
    'north files.example.com key',
    'a https://a.example key\na https://b.example key',
  ])('is refused: %j', (text) => expect(() => shopsIn(text, 'shops.txt')).toThrow(UsageError))
})

describe('paths', () => {
  test('are shown with slashes on all systems', () => {
    expect(shownPath('C:\\shop', 'C:\\shop\\spring\\a.pdf', path.win32)).toBe('spring/a.pdf')
    expect(shownPath('/shop', '/shop/spring/a.pdf', path.posix)).toBe('spring/a.pdf')
  })
  test('of systems and hidden ones are left out', () => {
    const names = ['.git', '.DS_Store', 'Thumbs.db', '@eaDir', '~$report.docx', 'guide.pdf']
    expect(names.filter((name) => !isLeftOut(name))).toEqual(['guide.pdf'])
  })
})

describe('a name from elsewhere', () => {
  test('cannot steer a terminal', () => {
    expect(safe('a\u001b[2Jb\rc\u009bd\u202efdp.exe')).toBe(
      'a\\u001b[2Jb\\u000dc\\u009bd\\u202efdp.exe',
    )
    expect(safe('Čeština 日本語 🎉')).toBe('Čeština 日本語 🎉')
  })
  test('means the same in JSON', () => {
    const record = { name: 'a\u001b\u009b\u202e\nb' }
    const text = safeJson(record)
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
    expect(JSON.parse(text)).toEqual(record)
  })
})

describe('filters', () => {
  test('have the types of the API', () => {
    const filter = filterOf(['tags=a, b', 'mapped=false', 'larger_than=10', 'search=x=y'])
    expect(filter).toEqual({ tags: ['a', 'b'], mapped: false, larger_than: 10, search: 'x=y' })
    expect(queryOf(filter)).toEqual({
      tags: 'a,b',
      mapped: 'false',
      larger_than: '10',
      search: 'x=y',
    })
  })
  test.each(['tags', 'constructor=x', 'mapped=yes', 'larger_than=big', 'any={'])(
    '%s is refused',
    (text) => {
      expect(() => filterOf([text])).toThrow(UsageError)
    },
  )
})

describe('a SKU in a name', () => {
  const index = new SkuIndex(
    ['EB-001', 'EB-0012', 'EB', 'Ä 7'].map((sku) => ({ sku, title: `Book ${sku}` })),
  )
  test.each([
    ['EB-001.pdf', 'EB-001'],
    ['eb-001_guide v2.pdf', 'EB-001'],
    ['EB-001 (2).tar.gz', 'EB-001'],
    ['EB-0012.pdf', 'EB-0012'],
    ['EB-0013.pdf', undefined],
    ['EB-guide.pdf', 'EB'],
    ['ä 7-x.pdf', 'Ä 7'],
    ['EBOOK.pdf', undefined],
    ['.pdf', undefined],
  ])('of %s is %s', (name, sku) => {
    expect(index.find(name)?.sku).toBe(sku)
  })
})

describe('a watched file', () => {
  const file = (size: number, mtime: number, name = 'a.pdf'): LocalFile => ({
    path: `/in/${name}`,
    shown: name,
    filename: name,
    folder: 'in',
    size,
    mtime,
  })
  test('is taken once when it has not changed for the time', () => {
    const settled = new SettledFiles(1000)
    expect(settled.take([file(5, 1)], 0)).toEqual([])
    expect(settled.take([file(9, 2)], 900)).toEqual([])
    // Half a second without a change, and it grows again.
    expect(settled.take([file(9, 2)], 1400)).toEqual([])
    expect(settled.take([file(12, 3)], 1800)).toEqual([])
    expect(settled.take([file(12, 3)], 2799)).toEqual([])
    expect(settled.take([file(12, 3)], 2800)).toEqual([file(12, 3)])
    expect(settled.take([file(12, 3)], 9000)).toEqual([])
  })
  test('is taken again when it was changed, or deleted and written again', () => {
    const settled = new SettledFiles(0)
    expect(settled.take([file(5, 1)], 0)).toHaveLength(1)
    expect(settled.take([file(5, 2)], 1)).toHaveLength(1)
    expect(settled.take([], 2)).toEqual([])
    expect(settled.take([file(5, 2)], 3)).toHaveLength(1)
  })
  test('is not taken under the name of an unfinished one, or empty', () => {
    const settled = new SettledFiles(0)
    const names = ['a.pdf.part', 'b.crdownload', 'c.tmp', 'd.filepart']
    expect(settled.take([...names.map((name) => file(5, 1, name)), file(0, 1)], 0)).toEqual([])
  })
})

describe('the exit code', () => {
  const refused = (status: number, code = 'x') =>
    exitCodeOf(new StevedoreError(code, '', { status }))
  test('tells a wrong use from a failure and from a server that is not there', () => {
    expect(exitCodeOf(new UsageError(''))).toBe(EXIT.wrong)
    expect(exitCodeOf(new Error(''))).toBe(EXIT.some)
    expect(refused(0, 'not_reached')).toBe(EXIT.unreached)
    expect(refused(502, 'unexpected')).toBe(EXIT.unreached)
    expect([401, 403, 404, 422].map((status) => refused(status))).toEqual([2, 2, 2, 2])
    expect([409, 429, 500, 503].map((status) => refused(status))).toEqual([1, 1, 1, 1])
  })
})

test('the time to wait is in seconds or a date', () => {
  const of = (value: string) =>
    retryAfter(new Response('', { headers: { 'retry-after': value } }), Date.UTC(2027, 0, 1))
  expect(of('7')).toBe(7000)
  expect(of('Fri, 01 Jan 2027 00:00:30 GMT')).toBe(30_000)
  expect(of('Fri, 01 Jan 2021 00:00:30 GMT')).toBe(0)
  expect(of('soon')).toBe(0)
})

test('the address is one of HTTP, and says whether others can read the key', () => {
  const of = (STEVEDORE_URL: string) => installationOf({ env: { STEVEDORE_URL } })
  expect(of('https://files.example.com/')).toBe('https://files.example.com')
  for (const wrong of ['files.example.com', 'ftp://files.example.com', ''])
    expect(() => of(wrong)).toThrow(UsageError)
  expect(isOpenToOthers('http://files.example.com')).toBe(true)
  for (const closed of ['https://files.example.com', 'http://127.0.0.1:3000', 'http://[::1]:1'])
    expect(isOpenToOthers(closed)).toBe(false)
})

test('options of an import are checked', () => {
  expect(importOptionsOf({ 'on-conflict': 'new-version', tag: ['a,b', 'c'] })).toMatchObject({
    onConflict: 'new_version',
    tags: ['a', 'b', 'c'],
  })
  expect(() => importOptionsOf({ 'on-conflict': 'replace' })).toThrow(UsageError)
  expect(() => importOptionsOf({ settle: 'soon' })).toThrow(UsageError)
  expect(() => importOptionsOf({ pack: 'a', 'pack-from-folder': true })).toThrow(UsageError)
})
