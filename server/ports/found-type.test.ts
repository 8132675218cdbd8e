import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { documentOf } from '../../test/documents.ts'
import { photo } from '../../test/images.ts'
import { createDiskStore } from '../core/store/disk.ts'
import { foundType } from './found-type.ts'
import { createStage } from './catalog.ts'

const program = Buffer.concat([Buffer.from('MZ\x90\0\x03\0', 'latin1'), Buffer.alloc(5000)])

/** The beginning of a container that images and films have in common. */
function ftyp(brand: string, ...compatible: string[]): Buffer {
  const brands = Buffer.from(`ftyp${brand}\0\0\0\0${compatible.join('')}`)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(brands.length + 4)
  return Buffer.concat([size, brands, Buffer.from('\0\0\0\x08mdat', 'latin1')])
}

it.each([
  ['a document', documentOf([{}]), 'application/pdf'],
  ['a program', program, 'application/x-msdownload'],
  ['a page', Buffer.from('\n<!-- of ours -->\n<!DOCTYPE html><html>'), 'text/html'],
  ['a page without a doctype', Buffer.from('<HTML lang="en">'), 'text/html'],
  [
    'XHTML',
    Buffer.from('<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD"><html>'),
    'text/html',
  ],
  ['text in UTF-16', Buffer.from('\ufeffLink expired', 'utf16le'), 'text/plain'],
  ['a page in UTF-16', Buffer.from('\ufeff<html><p>Sign in', 'utf16le'), 'text/html'],
  ['text in UTF-16 BE', Buffer.from('\ufeffリンク切れ', 'utf16le').swap16(), 'text/plain'],
  [
    'an MP3 file of Layer I',
    Buffer.concat([Buffer.from('fffe5004', 'hex'), Buffer.alloc(400)]),
    'audio/mpeg',
  ],
  ['text that names a tag', Buffer.from('Write <html> first'), undefined],
  ['JSON', Buffer.from('\n{ "error": "expired" }'), 'application/json'],
  ['a list in JSON', Buffer.from('[{"id": 1}]'), 'application/json'],
  [
    'XML',
    Buffer.from('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'),
    'application/xml',
  ],
  ['text in brackets', Buffer.from('[Intro]\n{x}'), undefined],
  ['HEIF of a rare brand', ftyp('1pic', 'mif1', 'miaf'), 'image/heif'],
  ['HEIF with JPEG inside', ftyp('jpeg', 'mif1'), 'image/heif'],
  ['a film', ftyp('isom', 'iso2', 'mp41'), 'video/mp4'],
  ['nothing', Buffer.alloc(0), undefined],
])('%s is detected by its bytes', async (_, bytes, type) =>
  expect((await foundType(bytes)).found_type).toBe(type),
)

it('is detected in staged bytes, in any chunks, without changing them', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-stage-'))
  const stage = createStage({ store: createDiskStore({ folder }), shop: 1, location: 'primary' })
  const picture = await photo(300, 200).png().toBuffer()
  const dripping = Readable.from(Array.from(picture, (byte) => Buffer.from([byte])))
  const staged = await stage.write(dripping, 'application/pdf', new AbortController().signal)
  expect(staged).toMatchObject({
    size_bytes: picture.length,
    content_type: 'application/pdf',
    found_type: 'image/png',
  })
  await rm(folder, { recursive: true })
})
