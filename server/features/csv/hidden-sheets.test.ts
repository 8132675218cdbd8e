// Hidden sheets of .ods files: the marks in the XML, and archives that cannot be read.
import { writeOds } from 'hucre/ods'
import { expect, it } from 'vitest'
import { hiddenSheets } from './workbook-sheets.ts'

const END_RECORD_BYTES = 22

/** An archive with one file, stored without compression. */
function archiveOf(name: string, text: string): Buffer {
  const [path, bytes] = [Buffer.from(name), Buffer.from(text)]
  const local = Buffer.alloc(30)
  local.write('PK\x03\x04', 'latin1')
  local.writeUInt16LE(path.length, 26)
  const entry = Buffer.alloc(46)
  entry.write('PK\x01\x02', 'latin1')
  entry.writeUInt32LE(bytes.length, 20)
  entry.writeUInt16LE(path.length, 28)
  const end = Buffer.alloc(END_RECORD_BYTES)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(local.length + path.length + bytes.length, 16)
  return Buffer.concat([local, path, bytes, entry, path, end])
}

const STYLES =
  '<style:style style:name="shown" style:family="table"><x table:display="true"/></style:style>' +
  '<style:style style:name="hid" style:family="table"><x table:display="false"/></style:style>'

it('finds the hidden sheets, not cells that name the same style', () => {
  const xml = `${STYLES}<table:table table:name="Files" table:style-name="shown">
    <table:table-cell table:name="cell" table:style-name="hid"/></table:table>
    <table:table table:name="A &amp; B" table:style-name="hid"/>`
  expect([...hiddenSheets(archiveOf('content.xml', xml))]).toEqual(['A & B'])
})

it('finds none in an archive whose directory it cannot read', async () => {
  const ods = Buffer.from(await writeOds({ sheets: [{ name: 'Files', rows: [['a']] }] }))
  const large = Buffer.from(ods)
  // ZIP64 has the place of the directory elsewhere.
  large.writeUInt32LE(0xffffffff, large.length - END_RECORD_BYTES + 16)
  for (const bytes of [large, Buffer.from('PK\x05\x06'), Buffer.alloc(0)])
    expect([...hiddenSheets(bytes)]).toEqual([])
})
