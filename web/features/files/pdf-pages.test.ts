import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pdfPages } from './pdf-pages.ts'

const bytesOf = (...parts: (string | Buffer)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))))

test('the root of the page tree counts the pages', async () => {
  const nested = `%PDF-1.4
1 0 obj <</Type /Pages /Kids [2 0 R 3 0 R] /Count 12>> endobj
2 0 obj <</Count 5/Type/Pages/Parent 1 0 R/Kids[4 0 R]>> endobj
4 0 obj <</Type /Page /Parent 2 0 R>> endobj
5 0 obj <</Type /Outlines /Count 90>> endobj`
  expect(await pdfPages(bytesOf(nested))).toBe(12)
})

test('nodes in compressed object streams are read', async () => {
  const packed = deflateSync('1 0 <</Type/Pages/Kids[3 0 R]/Count 7>>')
  const before = `%PDF-1.7\n9 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length ${packed.length}>> stream\r\n`
  expect(await pdfPages(bytesOf(before, packed, '\r\nendstream endobj'))).toBe(7)
})

test('what is no PDF document, or cannot be read, has no number', async () => {
  expect(await pdfPages(bytesOf('PK /Type /Pages /Count 3'))).toBeNull()
  expect(
    await pdfPages(bytesOf('%PDF-1.7\n/Type/ObjStm>> stream\nnot compressed\nendstream')),
  ).toBeNull()
  expect(await pdfPages(bytesOf(''))).toBeNull()
})
