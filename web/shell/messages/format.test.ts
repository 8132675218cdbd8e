import { expect, onTestFinished, test } from 'vitest'
import { formatMessage } from './format.ts'
import { setCatalog, t, translated } from './t.ts'

const FILES = '{count, plural, one {# file} other {# files}}'

test('formats counts with their plural, as the page writes numbers', () => {
  expect(formatMessage(`Stamping ${FILES}`, { count: 1 })).toBe('Stamping 1 file')
  expect(formatMessage(`Stamping ${FILES}`, { count: 2000 })).toBe('Stamping 2,000 files')
})

test('options select texts; an absent one counts as none', () => {
  const button = '{keep, select, true {Copy files} other {Move files}}'
  expect([true, false, undefined].map((keep) => formatMessage(button, { keep }))).toEqual([
    'Copy files',
    'Move files',
    'Move files',
  ])
  const mapped = '{product, select, none {Map files} other {Map to {product_text}}}'
  expect(formatMessage(mapped, { product: '', product_text: '' })).toBe('Map files')
  expect(formatMessage(mapped, { product: '7', product_text: 'Sea songs' })).toBe(
    'Map to Sea songs',
  )
})

test('a malformed message is shown unchanged', () => {
  expect(formatMessage('{count, plural, one', { count: 1 })).toBe('{count, plural, one')
  expect(formatMessage('a <b> c', {})).toBe('a <b> c')
})

test.each(['{count, plural, one', '{ungiven} files', '<b>{count}', '{count, plural, one {#}}', ''])(
  'the translation %j never ends the page',
  (translation) => {
    setCatalog({ '{count} files': translation })
    onTestFinished(() => setCatalog({}))
    expect(typeof t('{count} files', { count: 2 })).toBe('string')
    expect(t('No such text')).toBe('No such text')
  },
)

test('a text with the name of a property of objects is not translated', () => {
  setCatalog({ Files: 'Dateien' })
  onTestFinished(() => setCatalog({}))
  expect(['constructor', 'toString', '__proto__'].map((text) => translated(text))).toEqual([
    'constructor',
    'toString',
    '__proto__',
  ])
})
