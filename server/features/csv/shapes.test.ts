// Shapes of other people's tables: titles above the header, no header, other languages, other quotes.
import { describe, expect, it, test } from 'vitest'
import { english, say } from '../../../plugins/contract/index.ts'
import type { AppError } from '../../core/errors.ts'
import { analyse, type Analysis } from './analyse.ts'
import { bodyOf } from './body-rows.ts'
import { placesOf } from './columns.ts'
import { readValues } from './row-values.ts'
import { rowsOf } from './uploads.ts'

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

/** The analysis, and the values of all rows with their problems. */
async function read(text: string, headerRow?: number) {
  const analysis = await analyse(once(text), 10_000, headerRow)
  const places = placesOf(analysis.mapping, analysis.headers)
  const rows = (
    await Array.fromAsync(bodyOf(rowsOf(once(text), analysis.format), analysis.format.header_row))
  ).flat()
  return { ...analysis, values: rows.map(({ cells }) => readValues(cells, places)), list: rows }
}
const mapped = ({ mapping }: Pick<Analysis, 'mapping'>) =>
  Object.fromEntries(Object.entries(mapping).filter(([, header]) => header !== null))

describe('the header', () => {
  const table = 'filename,file_url\na.pdf,https://example.com/a.pdf\n'
  it.each([
    ['first', table, 1],
    ['below a title', `Our files 2026\n\n${table}`, 3],
    ['below titles and an address', `Harbour Press\nhttps://harbour.example\n,,\n${table}`, 4],
    ['below a title as wide as the table', `Price list,\nMay,\n${table}`, 3],
    ['unknown words below a title', 'Our list\nwas,wo,x\na.pdf,https://a.example/a.pdf,1\n', 2],
  ])('is found: %s', async (_, text, row) => {
    const found = await read(text)
    expect(found.format.header_row).toBe(row)
    expect(found.rows).toBe(1)
    expect(found.list).toHaveLength(1)
  })

  it('may be missing: the columns are found by their cells', async () => {
    const found = await read('a.pdf,https://a.example/a.pdf,30\nb.pdf,https://a.example/b.pdf,\n')
    expect(found.format.header_row).toBe(0)
    expect(found.headers).toEqual(['Column 1', 'Column 2', 'Column 3'])
    expect(mapped(found)).toEqual({ filename: 'Column 1', file_url: 'Column 2' })
    expect(found.values.map(({ values }) => values.filename)).toEqual(['a.pdf', 'b.pdf'])
  })

  it('is the row that a person chooses', async () => {
    const text = `filename,file_url\nfilename,file_url\nb.pdf,https://a.example/b.pdf\n`
    expect((await read(text, 2)).values.map(({ values }) => values.filename)).toEqual(['b.pdf'])
    expect((await read(text, 0)).rows).toBe(3)
  })

  it('is shown with the rows around it', async () => {
    const { head } = await read(`Our files\n${table}`)
    expect(head).toEqual([
      { row: 1, cells: ['Our files'] },
      { row: 2, cells: ['filename', 'file_url'] },
      { row: 3, cells: ['a.pdf', 'https://example.com/a.pdf'] },
    ])
  })

  it.each([
    ['de', 'Dateiname;Adresse;Artikelnummer;Gültigkeit in Tagen;Download-Limit;Schlagwörter'],
    [
      'fr',
      'Nom du fichier;Lien de téléchargement;Référence;Validité;Téléchargements max;Étiquettes',
    ],
    ['es', 'Nombre del archivo;Enlace;Código de producto;Caducidad;Límite de descargas;Etiquetas'],
    ['it', 'Nome del file;Indirizzo;Codice prodotto;Scadenza;Limite di download;Etichette'],
    ['pt', 'Nome do arquivo;Endereço;Código do produto;Validade;Limite de downloads;Etiquetas'],
    ['nl', 'Bestandsnaam;Downloadlink;Productcode;Geldigheid;Downloadlimiet;Trefwoorden'],
    ['ja', 'ファイル名;ダウンロードURL;商品コード;有効日数;ダウンロード回数;タグ'],
  ])('is recognised in %s', async (_, header) => {
    const found = await read(`${header}\na.pdf;https://a.example/a.pdf;EB-1;30;5;a\n`)
    expect(Object.keys(mapped(found)).sort()).toEqual(
      ['filename', 'file_url', 'product_sku', 'expiry_days', 'download_limit', 'tags'].sort(),
    )
    expect(found.values[0]).toMatchObject({
      values: { filename: 'a.pdf', product_sku: 'EB-1', expiry_days: 30, download_limit: 5 },
      problems: [],
    })
  })

  it('names no column of addresses for files among several unknown ones', async () => {
    const row = 'x,https://a.example/picture.jpg,https://a.example/book.pdf'
    expect(mapped(await read(`Kind,Images,Extra\n${row}\n`))).toEqual({})
  })
})

test.each([
  [
    'spaces before quotes',
    'filename, file_url, tags\n"a, b.pdf", "https://a.example/a", "x, ""y"""\n',
  ],
  [
    'a space at the first cell',
    ' "filename", "file_url", "tags"\n "a, b.pdf", "https://a.example/a", "x, ""y"""\n',
  ],
])('%s do not end up in the values', async (_, text) => {
  const { values, rows } = await read(text)
  expect(rows).toBe(1)
  expect(values[0]!.values).toMatchObject({ filename: 'a, b.pdf', file_url: 'https://a.example/a' })
  expect(values[0]!.values.tags).toEqual(['x', '"y"'])
})

test('spaces before quotes at the border of two pieces', async () => {
  const text = `filename, file_url\n${'"a, b.pdf", "https://a.example/a"\n'.repeat(8000)}`
  const { list, values } = await read(text)
  expect(list).toHaveLength(8000)
  expect(new Set(values.map((one) => one.values.filename))).toEqual(new Set(['a, b.pdf']))
})

test('backslashes escape quotes if the file is written so', async () => {
  const found = await read(
    'filename,file_url,tags\n"say \\"hi\\", twice.pdf","https://a.example/a","one, two"\n',
  )
  expect(found.values[0]!.values).toMatchObject({
    filename: 'say "hi", twice.pdf',
    tags: ['one', 'two'],
  })
  const usual = await read(
    'filename,file_url\n"C:\\files\\","https://a.example/a"\n"b ""x"".pdf",y\n',
  )
  expect(usual.values[0]!.values.file_url).toBe('https://a.example/a')
})

describe('a cell', () => {
  const problemsOf = async (row: string) =>
    (await read(`filename,file_url,product_sku,tags\n${row}\n`)).values[0]!
  it('of tags may have lines', async () => {
    const { values } = await problemsOf('a.pdf,https://a.example/a,,"one\ntwo\r\nthree"')
    expect(values.tags).toEqual(['one', 'two', 'three'])
  })
  it.each(['\n', ' ', '|', ', ', ';'])(
    'with several addresses, separated by %j, says so',
    async (by) => {
      const addresses = ['https://a.example/a', 'https://a.example/b'].join(by)
      const { problems } = await problemsOf(`a.pdf,"${addresses}",,`)
      expect(problems).toMatchObject([
        {
          field: 'file_url',
          message: say('This cell has {count} addresses: write one row for each file', {
            count: 2,
          }),
        },
      ])
    },
  )
  it('with an address inside an address has one', async () => {
    const { problems } = await problemsOf('a.pdf,https://web.example/2026/https://a.example/a,,')
    expect(problems).toEqual([])
  })
  it('with a shortened SKU says what happened', async () => {
    const { values, problems } = await problemsOf('a.pdf,https://a.example/a,4.00E+12,')
    expect(values.product_sku).toBe('4.00E+12')
    expect(problems).toMatchObject([
      { severity: 'warning', message: 'A spreadsheet has shortened this SKU' },
    ])
  })
})

describe('rows that are each one quoted cell', () => {
  const rows = [
    'filename,file_url,tags',
    'a.pdf,https://a.example/a.pdf,""x, y""',
    'b.pdf,https://a.example/b.pdf,',
  ]
  it.each([
    ['of a comma', ''],
    ['of semicolons', ';;'],
  ])('are split, also with delimiters %s after them', async (_, end) => {
    const found = await read(rows.map((row) => `"${row}"${end}\r\n`).join(''))
    expect(found).toMatchObject({
      headers: ['filename', 'file_url', 'tags'],
      rows: 2,
      structure: [],
    })
    expect(found.values.map(({ values }) => [values.filename, values.tags])).toEqual([
      ['a.pdf', ['x', 'y']],
      ['b.pdf', undefined],
    ])
  })

  it('are not split if the cells are names of files', async () => {
    const found = await read('"filename"\n"a, b.pdf"\n')
    expect(found.values.map(({ values }) => values.filename)).toEqual(['a, b.pdf'])
  })
})

test.each([
  ['<!DOCTYPE html>\n<html><table><tr><td>filename', /web page or XML.*\.xlsx/],
  ['  <table><tr><td>filename', /web page or XML/],
  ['<?xml version="1.0"?>\n<office:document', /web page or XML/],
  ['[{"filename": "a.pdf"}]', /JSON/],
  ['{ "files": [] }', /JSON/],
])('%s is no table, and the error says what it is', async (text, message) => {
  const refused: unknown = await read(text).catch((error: unknown) => error)
  expect((refused as AppError).details.map((one) => english(one.message)).join()).toMatch(message)
})
