// Archives that are workbooks by what they declare, wherever their parts are.
import { execFileSync } from 'node:child_process'
import { writeOds } from 'hucre/ods'
import { writeXlsx } from 'hucre/xlsx'
import { expect, it } from 'vitest'
import { sheetsOf } from './workbook-sheets.ts'

const SHEETS = [{ name: 'Files', rows: [['filename'], ['a.pdf']] }]
const workbook = async () => Buffer.from(await writeXlsx({ sheets: SHEETS }))

/** Writes the archive again: `entries` is a Python expression over `name` and `text`. */
function rewritten(archive: Buffer, ...steps: readonly string[]): Buffer {
  const program = `
import io, sys, zipfile
source = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
target = io.BytesIO()
with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as archive:
    for name in source.namelist():
        text = source.read(name).decode()
        ${steps.join('\n        ')}
        archive.writestr(name, text)
sys.stdout.buffer.write(target.getvalue())`
  return execFileSync('/usr/bin/python3', ['-c', program], { input: archive })
}

it.each([
  [
    'in another folder',
    [`name = name.replace('xl/', 'data/parts/')`, `text = text.replace('xl/', 'data/parts/')`],
  ],
  [
    'without a folder, under another name',
    [
      `name = name.replace('xl/', '').replace('workbook.xml', 'book.xml')`,
      `text = text.replace('xl/', '').replace('workbook.xml', 'book.xml')`,
    ],
  ],
  [
    'with macros',
    [
      `text = text.replace('openxmlformats-officedocument.spreadsheetml.sheet.main', 'ms-excel.sheet.macroEnabled.main')`,
    ],
  ],
  [
    'of a template',
    [`text = text.replace('spreadsheetml.sheet.main', 'spreadsheetml.template.main')`],
  ],
  ['with backslashes in its names', [`name = name.replace('/', '\\\\')`]],
  ['with names in another case', [`name = name.replace('sheet1', 'Sheet1')`]],
  [
    'with references that begin with ./',
    [`text = text.replace('"worksheets/', '"./worksheets/').replace('"xl/', '"./xl/')`],
  ],
  [
    'with escaped references',
    [`name = name.replace('sheet1', 'my sheet')`, `text = text.replace('sheet1', 'my%20sheet')`],
  ],
  [
    'in UTF-16',
    [
      `text = text.replace('encoding="UTF-8"', 'encoding="UTF-16"').encode('utf-16') if name.startswith('xl/') else text`,
    ],
  ],
])('a workbook %s is read', async (_, steps) =>
  expect(await sheetsOf(rewritten(await workbook(), ...steps))).toEqual([
    { name: 'Files', text: 'filename\na.pdf' },
  ]),
)

it('a spreadsheet is read whose media type is compressed', async () => {
  const ods = Buffer.from(await writeOds({ sheets: SHEETS }))
  expect(await sheetsOf(rewritten(ods))).toMatchObject([{ name: 'Files' }])
})

it.each([
  ['wordprocessingml.document.main', /a text document or a presentation/],
  ['presentationml.presentation.main', /a text document or a presentation/],
  ['drawingml.chart', /an archive/],
])('%s is no workbook', async (type, message) => {
  const other = rewritten(
    await workbook(),
    `text = text.replace('spreadsheetml.sheet.main', '${type}')`,
  )
  await expect(sheetsOf(other)).rejects.toThrow(message)
})
