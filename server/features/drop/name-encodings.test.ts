import { expect, test } from 'vitest'
import type { NameEncoding } from '../../../plugins/_page/name-encodings.ts'
import { nameCodec } from './name-encodings.ts'

test.each<[NameEncoding, string, string]>([
  ['windows-1252', 'Größe €.pdf', '4772f6df6520802e706466'],
  ['windows-1251', 'Книга.pdf', 'caede8e3e02e706466'],
  ['gb18030', '说明书.pdf', 'cbb5c3f7cae92e706466'],
  ['big5', '說明書.pdf', 'bba1a9faaed12e706466'],
  ['shift_jis', '取扱説明書ﾃｽﾄ.pdf', '8ee688b590e096be8f91c3bdc42e706466'],
  ['euc-kr', '설명서.pdf', 'bcb3b8edbcad2e706466'],
])('%s: %s', (encoding, name, hex) => {
  const codec = nameCodec(encoding)
  expect(codec.encode(name).toString('hex')).toBe(hex)
  expect(codec.decode(Buffer.from(hex, 'hex'))).toBe(name)
})

test('UTF-8 is recognised in any encoding, and unknown characters become question marks', () => {
  const codec = nameCodec('windows-1252')
  expect(codec.decode(Buffer.from('Größe 说.pdf'))).toBe('Größe 说.pdf')
  expect(codec.encode('a说b').toString()).toBe('a?b')
})
