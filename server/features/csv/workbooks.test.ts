// Workbooks instead of CSV files: .xlsx and .ods, read in the sandbox.
import { Buffer } from 'node:buffer'
import { writeOds } from 'hucre/ods'
import { writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { openCsvApp, type CsvApp } from '../../../test/csv.ts'

let app: CsvApp
beforeAll(async () => void (app = await openCsvApp({ '0012': 1 })))
afterAll(() => app.close())

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const ODS = 'application/vnd.oasis.opendocument.spreadsheet'
const HEAD = ['filename', 'file_url', 'product_sku', 'expiry_days', 'tags']
const url = 'https://cdn.example.com/a.pdf'
const files = {
  name: 'Dateien',
  rows: [
    ['Our files', null, null, null, null],
    HEAD,
    ['Müller.pdf', url, '0012', 30, 'one\ntwo'],
    [null, null, null, null, null],
    ['b, "c".pdf', url, 4_000_000_000_000, 'never', true],
  ],
}
const notes = { name: 'Notes', rows: [['Do not import this']] }

describe.each(
  someOf(
    [
      ['xlsx', XLSX, writeXlsx],
      ['ods', ODS, writeOds],
    ] as const,
    (_, at) => at < 1,
  ),
)('an .%s file', (extension, type, write) => {
  const send = async (...sheets: { name: string; rows: unknown[][] }[]) => {
    const bytes = Buffer.from((await write({ sheets } as never)) as Uint8Array)
    return app.upload(bytes, { 'content-type': type }, `?filename=files.${extension}`)
  }

  it('is read without an encoding, a delimiter or lost digits', async () => {
    const { status, body } = await send(files)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      rows: 2,
      sheet: 'Dateien',
      sheets: ['Dateien'],
      header_row: 2,
      headers: HEAD,
      encoding: 'utf-8',
      encoding_sure: true,
      missing: [],
      problems: [],
    })
    expect(body.preview).toMatchObject([
      {
        row: 3,
        values: { filename: 'Müller.pdf', product_sku: '0012', expiry_days: '30' },
        problems: [],
      },
      {
        row: 5,
        values: { filename: 'b, "c".pdf', product_sku: '4000000000000', expiry_days: 'never' },
      },
    ])
  })

  it('with several sheets reads the one with known columns; another one can be chosen', async () => {
    const second = { name: 'Zwei', rows: [HEAD, ['z.pdf', url, '', '', '']] }
    const { body } = await send(notes, files, second)
    expect(body).toMatchObject({ sheet: 'Dateien', sheets: ['Notes', 'Dateien', 'Zwei'], rows: 2 })
    const choose = (sheet: string) => app.owner.call('PUT', `/api/csv/${body.id}/sheet`, { sheet })
    expect((await choose('Zwei')).body).toMatchObject({ sheet: 'Zwei', rows: 1, header_row: 1 })
    const checked = await app.checked(body.id, { probe: false })
    expect(checked.check).toMatchObject({ import_rows: 1 })
    // A sheet that is no table leaves the chosen one.
    expect((await choose('Notes')).body.error.code).toBe('invalid_csv')
    expect((await choose('Drei')).body.error.param).toBe('sheet')
    expect((await app.owner.call('GET', `/api/csv/${body.id}`)).body.sheet).toBe('Zwei')
  })

  it('without a table says so', async () => {
    const { status, body } = await send({ name: 'Empty', rows: [] })
    expect([status, body.error.details[0].message]).toEqual([422, 'The file is empty'])
  })
})

it('keeps the zeros and texts that a number format shows', async () => {
  const formats = [
    ['0000', 12, '0012'],
    ['"EB-"000', 7, 'EB-007'],
    ['000-000', 123456, '123-456'],
    ['000\\-000', 1_234_567, '1234-567'],
    ['0', 12, '12'],
    ['0" days"', 12, '12'],
    ['#,##0', 1200, '1200'],
    ['0.00', 12, '12'],
    ['0%', 1, '1'],
    ['"EB-"000;-0', -7, '-7'],
  ] as const
  const rows = [HEAD, ...formats.map(([, sku]) => ['a.pdf', url, sku, 30, ''])]
  const cells = new Map(
    formats.map(([numFmt, value], at) => [`${at + 1},2`, { value, style: { numFmt } }]),
  )
  const bytes = Buffer.from(
    (await writeXlsx({ sheets: [{ name: 'A', rows, cells }] } as never)) as Uint8Array,
  )
  const { body } = await app.upload(bytes, { 'content-type': XLSX })
  const shown = body.preview.map(({ values }: { values: object }) => values)
  expect(shown).toMatchObject(formats.map(([, , product_sku]) => ({ product_sku })))
})

soakTest('an .ods file with a hidden sheet is read without it', async () => {
  // As LibreOffice writes it; the hidden sheet is the first one.
  const base64 = [
    'UEsDBBQAAAAAAAAAIQCFbDmKLgAAAC4AAAAIAAAAbWltZXR5cGVhcHBsaWNhdGlvbi92bmQub2FzaXMub3BlbmRvY3Vt',
    'ZW50LnNwcmVhZHNoZWV0UEsDBBQAAAAIAAAAIQAWvkyNcgEAAK4GAAALAAAAY29udGVudC54bWztVbFuwyAQ/RXE0M2h',
    'yVRR29mydmnniphzgoQBAU7ivy/GTmq3iWu1VacuGO7uvefHIUjXp0qiA1gntMrwcnGPEahCc6F2GX553iQPeJ2nuixF',
    'AZTroq5A+aTQyocvCmDlaJfNcG0V1cwJRxWrwFFfUG1AnVF0WE2jVBfxbCtnw2PxCA0nPxscaodY55v5yrE4oi8bwmqv',
    'K+ZFkcSky9OuKI6om7eUGfZsiftAySohmzYUnOAzJK4SY4Ow9QIc6oxy4Yxkobpk0gEmeUoGElN6q5/peVtfkSM3jfeJ',
    'rebNZeGMBcbdHsDnaccfx16r+9MnydEdq8wj2mkFuM9F2uR970b4xOrjOFCAlKhXPTBZQ+IbE6DO23CSW3TbeZOXQkJL',
    'mpI+ECYfaL5P/FpbOUlMJj1825SWfGF4+eue9t4bRwlhCziFBkkgc5Q+mxxGbp+DTdhBd739q//2T2grOP5R++cofdV+',
    'cu1uIKPbg9x4bvI3UEsBAhQDFAAAAAAAAAAhAIVsOYouAAAALgAAAAgAAAAAAAAAAAAAAIABAAAAAG1pbWV0eXBlUEsB',
    'AhQDFAAAAAgAAAAhABa+TI1yAQAArgYAAAsAAAAAAAAAAAAAAIABVAAAAGNvbnRlbnQueG1sUEsFBgAAAAACAAIAbwAA',
    'AO8BAAAAAA==',
  ].join('')
  const { body } = await app.upload(Buffer.from(base64, 'base64'), { 'content-type': ODS })
  expect(body).toMatchObject({ sheet: 'Files', sheets: ['Files'], rows: 1 })
  expect(body.preview[0].values.filename).toBe('new.pdf')
})

it('names a formula that was never calculated, as in workbooks that a program wrote', async () => {
  const rows = [HEAD, ['a.pdf', url, null, 30, ''], [null, url, '', 30, '']]
  const formula = (result: string | null) => ({
    value: result,
    type: 'formula',
    formula: '"b"&".pdf"',
    formulaResult: result,
  })
  const cells = new Map([
    ['1,2', formula('')],
    ['2,0', formula(null)],
  ])
  const bytes = Buffer.from(
    (await writeXlsx({ sheets: [{ name: 'A', rows, cells }] } as never)) as Uint8Array,
  )
  const { body } = await app.upload(bytes, { 'content-type': XLSX })
  expect(body.preview.map(({ values }: { values: object }) => values)).toMatchObject([
    { filename: 'a.pdf', product_sku: '' },
    { filename: '#CALC!' },
  ])
  await app.checked(body.id, { probe: false })
  const { data } = (await app.owner.call('GET', `/api/csv/${body.id}/problems`)).body
  expect(data).toMatchObject([{ row: 3, message: 'The formula of this cell has no result' }])
})

it.each(
  someOf(
    [
      // The last cell of a sheet: more cells than the library reads.
      ['1048575,16383'],
      // More rows than a call has arguments.
      ['1048575,0'],
    ] as const,
    (_, at) => at < 1,
  ),
)('ignores an empty cell with a format at %s', async (place) => {
  const cells = new Map([[place, { value: null, style: { font: { bold: true } } }]])
  const sheet = { name: 'A', rows: [HEAD, ['a.pdf', url, '0012', 30, '']], cells }
  const bytes = Buffer.from((await writeXlsx({ sheets: [sheet] } as never)) as Uint8Array)
  const { body } = await app.upload(bytes, { 'content-type': XLSX })
  expect(body).toMatchObject({ rows: 1, headers: HEAD })
})

describe('links that are shown under another text', () => {
  const link = (value: string, target: string) => ({ value, type: 'string', hyperlink: { target } })
  const send = async (rows: string[][], cells: [string, object][]) => {
    const sheet = { name: 'Files', rows, cells: new Map(cells) }
    const bytes = Buffer.from((await writeXlsx({ sheets: [sheet] } as never)) as Uint8Array)
    return (await app.upload(bytes, { 'content-type': XLSX }, '?filename=files.xlsx')).body
  }

  it('are read in a column of addresses', async () => {
    const rows = [
      ['filename', 'Link'],
      ['a.pdf', 'Download'],
      ['b.pdf', 'get'],
      ['c.pdf', `${url}?shown`],
    ]
    const formula = { value: 'get', type: 'formula', formula: `HYPERLINK("${url}?b","get")` }
    const body = await send(rows, [
      ['1,1', link('Download', `${url}?a`)],
      ['2,1', { ...formula, formulaResult: 'get' }],
      ['3,1', link(`${url}?shown`, `${url}?c`)],
    ])
    expect(body.headers).toEqual(['filename', 'Link'])
    const addresses = body.preview.map(({ values }: { values: object }) => values)
    expect(addresses).toMatchObject([
      { file_url: `${url}?a` },
      { file_url: `${url}?b` },
      { file_url: `${url}?shown` },
    ])
  })

  it('of names are a column after the last one', async () => {
    const rows = [
      ['Our files', '', ''],
      ['Name', 'SKU', 'Tags'],
      ['a.pdf', '0012', ''],
      ['b.pdf', '0012', 'x'],
    ]
    const body = await send(rows, [
      ['2,0', link('a.pdf', `${url}?a`)],
      ['3,0', link('b.pdf', `${url}?b`)],
      ['1,2', link('Tags', 'mailto:shop@example.com')],
    ])
    expect(body.headers).toEqual(['Name', 'SKU', 'Tags', 'Name (link)'])
    expect(body.preview).toMatchObject([
      { values: { filename: 'a.pdf', file_url: `${url}?a`, product_sku: '0012' } },
      { values: { filename: 'b.pdf', file_url: `${url}?b`, product_sku: '0012' } },
    ])
  })
})
