import { expect, test } from 'vitest'
import { EMPTY_RENAME, readRename, type RenameForm } from './rename-form.ts'

const read = (part: Partial<RenameForm>) => readRename({ ...EMPTY_RENAME, ...part })

test('a pattern with the values of its variables', () => {
  expect(read({ pattern: ' {product_name} {sequence} ', start: '0', digits: '4' })).toEqual({
    options: {
      mode: 'pattern',
      pattern: '{product_name} {sequence}',
      start: 0,
      digits: 4,
      date_format: 'YYYY-MM-DD',
      keep_extension: true,
    },
  })
})

test('what happens to files that lack a value is sent if it is not the default', () => {
  const missing = (pattern: string) => {
    const { options } = read({ pattern, missing: 'omit' }) as { options: { missing?: string } }
    return options.missing
  }
  expect([missing('{sku} {original}'), missing('{original} {version}')]).toEqual([
    'omit',
    undefined,
  ])
})

test('find and replace omits the pattern; the replacement may be empty, and the search may be a space', () => {
  expect(read({ mode: 'replace', find: ' ', pattern: '' })).toEqual({
    options: {
      mode: 'replace',
      find: ' ',
      replace: '',
      case_sensitive: false,
      regex: false,
      keep_extension: true,
    },
  })
})

test('invalid values are named', () => {
  expect(read({ pattern: '{orginal} {date}' })).toEqual({
    errors: { pattern: 'Unknown variable: {orginal}' },
  })
  expect(
    Object.keys((read({ pattern: ' ', start: '-1', digits: '10' }) as { errors: object }).errors),
  ).toEqual(['pattern', 'start', 'digits'])
  expect(read({ mode: 'replace' })).toEqual({ errors: { find: 'Enter the text to find' } })
})
