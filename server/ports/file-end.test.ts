import { expect, it } from 'vitest'
import { documentOf } from '../../test/documents.ts'
import { isCutOff, HEAD_BYTES } from './found-type.ts'

const box = (type: string, bytes: number, size = 8 + bytes) => {
  const made = Buffer.alloc(8 + bytes)
  made.writeUInt32BE(size)
  made.write(type, 4, 'latin1')
  return made
}
/** With a size of 64 bits. */
const wideBox = (type: string, bytes: number) => {
  const made = Buffer.alloc(16 + bytes)
  made.writeUInt32BE(1)
  made.write(type, 4, 'latin1')
  made.writeBigUInt64BE(BigInt(16 + bytes), 8)
  return made
}
const film = Buffer.concat([box('ftyp', 16), box('moov', 500), wideBox('mdat', 90_000)])
const archive = Buffer.concat([
  Buffer.from('PK\x03\x04', 'latin1'),
  Buffer.alloc(80_000, 'z'),
  Buffer.from('PK\x05\x06', 'latin1'),
  Buffer.alloc(18),
])
const text = Buffer.from('%%EOF and PK\x03\x04 in a text '.repeat(400))

const check = (bytes: Buffer) =>
  isCutOff(bytes.subarray(0, HEAD_BYTES), {
    size: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end + 1)),
  })

it.each([
  ['a document', documentOf(Array.from({ length: 30 }, () => ({})))],
  ['an archive', archive],
  ['a film', film],
])('%s is whole, and cut off without its last tenth', async (_, made) => {
  const bytes = Buffer.from(made)
  expect(await check(bytes)).toBe(false)
  expect(await check(bytes.subarray(0, Math.floor(bytes.length * 0.9)))).toBe(true)
  expect(await check(bytes.subarray(0, 12))).toBe(true)
})

it.each([
  ['a film up to the end of the file', Buffer.concat([box('ftyp', 16), box('mdat', 900, 0)])],
  ['a film with bytes after it', Buffer.concat([film, Buffer.alloc(64)])],
  ['an archive with a comment', Buffer.concat([archive, Buffer.alloc(60_000, 'c')])],
  [
    'a document with bytes after it',
    Buffer.concat([Buffer.from(documentOf([{}])), Buffer.alloc(900)]),
  ],
  ['a text that names their signs', text],
])('%s is not taken for cut off', async (_, bytes) => {
  expect(await check(bytes)).toBe(false)
})
