// Documents that violate the specification, and that readers open nevertheless. Each has two pages
// with their text, unless its name says otherwise.
import { deflateSync } from 'node:zlib'
import { documentOf, numberedPages, streamOf } from './documents.ts'

const good = documentOf(numberedPages(2))
const text = good.toString('latin1')
const bytesOf = (content: string) => Buffer.from(content, 'latin1')
const replaced = (from: string | RegExp, to: string) => {
  const made = text.replace(from, to)
  if (made === text) throw new Error(`${String(from)} is not in the document`)
  return bytesOf(made)
}
const withTable = text.slice(0, text.indexOf('xref\n0'))

/** Both pages draw this picture below their number. */
const pictured = (says: string, data: Buffer) =>
  documentOf(
    numberedPages(2).map(({ draws }) => ({
      draws: `${draws} q 50 0 0 50 100 50 cm /P Do Q`,
      resources: '/XObject << /P 10 0 R >>',
    })),
    {
      extra: [
        streamOf(
          `/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceGray ${says}`,
          data,
        ),
      ],
    },
  )

const compressed = deflateSync(Buffer.alloc(64, 'picture '))

/** The first page also draws content that cannot be decoded, or has parts of its content that are none. */
const withContent = (contents: string, ...extra: readonly Buffer[]) =>
  documentOf(
    numberedPages(2).map(({ draws = '' }, at) =>
      at === 0 ? { says: `/MediaBox [0 0 200 300] /Contents ${contents}` } : { draws },
    ),
    { extra: [streamOf('', numberedPages(1)[0]?.draws ?? ''), ...extra] },
  )

export const DAMAGED_DOCUMENTS: Record<string, Buffer> = {
  'a name with a stray #': replaced(/\/F (3 0 R|24 Tf)/g, '/F#1 $1'),
  'a JPEG that is none': pictured('/Filter /DCTDecode', Buffer.from('this is no JPEG')),
  'a JPEG of a few bytes': pictured('/Filter /DCTDecode', Buffer.from('ffd8ffe000104a4649', 'hex')),
  'no header': bytesOf(text.replace('%PDF-1.7\n', '')),
  'a header without a version': replaced('%PDF-1.7', '%PDF-'),
  'an odd version': replaced('%PDF-1.7', '%PDF-bad'),
  'much junk before the header': Buffer.concat([Buffer.alloc(5000, 'junk\n'), good]),
  'an end that is cut off': good.subarray(0, text.indexOf('startxref')),
  'no table': bytesOf(withTable),
  'no startxref and no trailer': bytesOf(`${text.slice(0, text.indexOf('trailer'))}`),
  'a table somewhere else': replaced(/startxref\n\d+/, 'startxref\n7'),
  'a table beyond the end': replaced(/startxref\n\d+/, 'startxref\n99999999'),
  'a table of wrong offsets': replaced(/\d{10} 00000 n/g, '0000000007 00000 n'),
  'offsets that are off by one': replaced(/(\d{9})\d 00000 n/g, '$19 00000 n'),
  'a table that begins with 1': replaced('xref\n0 ', 'xref\n1 '),
  'a size that is too small': replaced(/\/Size \d+/, '/Size 3'),
  'a trailer without a root': replaced('/Root 1 0 R', ''),
  'a previous table that is missing': replaced('/Root 1 0 R', '/Root 1 0 R /Prev 5'),
  'objects without endobj': bytesOf(text.replaceAll('\nendobj\n', '\n')),
  'streams without endstream': bytesOf(text.replaceAll('\nendstream', '')),
  'a length that is too small': bytesOf(text.replace(/\/Length \d+/g, '/Length 3')),
  'a length that is too large': bytesOf(text.replace(/\/Length \d+/g, '/Length 4000')),
  'no length': bytesOf(text.replace(/\/Length \d+/g, '')),
  'a length in an object that is missing': bytesOf(text.replace(/\/Length \d+/g, '/Length 99 0 R')),
  'line ends of another system': bytesOf(text.replaceAll('\n', '\r\n')),
  'no number of pages': replaced('/Count 2', ''),
  'a page that is missing': replaced('/Kids [', '/Kids [99 0 R null '),
  'pages without a type': bytesOf(text.replaceAll('/Type /Page ', '')),
  'a tree without a type': replaced('/Type /Pages ', ''),
  'a catalogue without a type': replaced('/Type /Catalog ', ''),
  'pages without a parent': bytesOf(text.replaceAll('/Parent 2 0 R', '')),
  'a box of words': bytesOf(text.replaceAll('[0 0 200 300]', '(none)')),
  'content that is cut off': documentOf(
    numberedPages(2).map(({ draws }) => ({ draws: `${draws} q BT (open` })),
  ),
  'content with parts that are none': withContent('[10 0 R null 99 0 R << >>]'),
  'content in a list that is an object': withContent('11 0 R', Buffer.from('[10 0 R null]')),
  'content that cannot be decompressed': withContent(
    '[10 0 R 11 0 R]',
    streamOf('/Filter /FlateDecode', 'this is not compressed'),
  ),
  'content with an unknown filter': withContent(
    '[10 0 R 11 0 R]',
    streamOf('/Filter /NoSuchFilter', 'anything'),
  ),
  'junk after the end': Buffer.concat([good, Buffer.alloc(5000, '<!-- page -->\n')]),
  'zeros after the end': Buffer.concat([good, Buffer.alloc(9000)]),
  'streams after a carriage return': bytesOf(text.replaceAll('>>\nstream\n', '>>\nstream\r')),
  'streams after blanks': bytesOf(text.replaceAll('>>\nstream\n', '>>\nstream  \n')),
}

/** Documents that violate the specification, and that are read as they are. */
export const ODD_BUT_SOUND: Record<string, Buffer> = {
  'junk before the header': Buffer.concat([Buffer.alloc(500, 'junk\n'), good]),
  'a key that is there twice': documentOf(numberedPages(2), {
    catalog: '/PageMode /UseNone /PageMode /UseNone',
  }),
  'a wrong number of pages': replaced('/Count 2', '/Count 9'),
  'blanks before the table': Buffer.from(
    text.replace(/startxref\n(\d+)/, (_, at) => `startxref\n${Number(at) - 1}`),
    'latin1',
  ),
  'a picture that ends early': pictured(
    '/Filter /FlateDecode',
    compressed.subarray(0, compressed.length - 8),
  ),
  'a picture with a wrong checksum': pictured(
    '/Filter /FlateDecode',
    Buffer.concat([compressed.subarray(0, -4), Buffer.from('0000')]),
  ),
  'an answer of a server before the header': Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n'),
    good,
  ]),
  'an unknown filter': pictured('/Filter /NoSuchFilter', compressed),
  'no %%EOF': replaced('%%EOF\n', ''),
  'short lines in the table': replaced(/ n \n/g, ' n\n'),
}
