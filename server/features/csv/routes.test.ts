// CSV import over the API: every way to send a file, every message, the choice of columns, the
// check of the whole file, and the start.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCsvApp, untilChecked, type CsvApp } from '../../../test/csv.ts'
import { untilEnded, type Answer } from '../../../test/app.ts'
import { makeFiles } from '../../../test/files.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { sized, soakTest, someOf } from '../../../test/scale.ts'
import { plainCell } from '../../files/cells.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'

let app: CsvApp
let origin: Origin
beforeAll(async () => {
  app = await openCsvApp({ 'BOOK-1': 1, 'BOOK-2': 2 })
  origin = await startOrigin()
})
afterAll(async () => {
  await origin.close()
  await app.close()
})

const NO_TERMS = {
  available_from: null,
  available_after_days: null,
  first_use_hours: null,
  view_limit: null,
  view_days: null,
  customer_tag: null,
  buyer_text: null,
  ask_for: null,
  visibility: null,
  cdn: null,
  download_notification: null,
  download_tracking: null,
  allowed_referrers: null,
  sample_pages: null,
  sample_seconds: null,
  pack: null,
}
const HEAD = 'filename,file_url,product_sku,expiry_days,download_limit,tags'
const url = 'https://cdn.example.com/a.pdf'
const csv = (...rows: string[]) => `${[HEAD, ...rows].join('\r\n')}\r\n`
/** A body of few rows. */
const megabytes = (size: number) => Buffer.alloc(size * 1024 ** 2, `${'a'.repeat(9999)}\n`)
async function* oneByOne(size: number) {
  const one = megabytes(1)
  for (let n = 0; n < size; n++) yield one
}
let made = 0
const name = () => `file-${++made}.pdf`

describe('an upload', () => {
  it('is read, and its columns are suggested', async () => {
    const { status, headers, body } = await app.upload(
      csv(`guide.pdf,${url},BOOK-1,30,3,"a; b,c"`),
      undefined,
      '?filename=spring.csv',
    )
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/api/csv/${body.id}`)
    expect(body).toMatchObject({
      filename: 'spring.csv',
      status: 'ready',
      encoding: 'utf-8',
      delimiter: ',',
      rows: 1,
      headers: HEAD.split(','),
      missing: [],
      problems: [],
      saved_mapping: null,
      check: null,
      job_id: null,
    })
    expect(body.columns.filename).toEqual({
      header: 'filename',
      sure: 1,
      reason: 'The header is the field’s own name',
    })
    expect(body.columns.id).toBe(null)
    expect(body.mapping).toEqual({
      ...Object.fromEntries(HEAD.split(',').map((one) => [one, one])),
      command: null,
      sha256: null,
      id: null,
      link_url: null,
      product_handle: null,
      product_id: null,
      view: null,
      ...NO_TERMS,
    })
    expect(body.preview).toEqual([
      {
        row: 2,
        values: {
          filename: 'guide.pdf',
          file_url: url,
          product_sku: 'BOOK-1',
          expiry_days: '30',
          download_limit: '3',
          tags: 'a; b,c',
          command: null,
          sha256: null,
          id: null,
          link_url: null,
          product_handle: null,
          product_id: null,
          view: null,
          ...NO_TERMS,
        },
        problems: [],
      },
    ])
    expect((await app.owner.call('GET', `/api/csv/${body.id}`)).body).toEqual(body)
    const listed = await app.owner.call('GET', '/api/csv')
    expect(listed.body.next_cursor).toBe(null)
    const { filename, status: stands, rows, created_at, check } = listed.body.data[0]
    expect(body).toMatchObject({
      id: listed.body.data[0].id,
      filename,
      status: stands,
      rows,
      created_at,
      check,
    })
  })

  soakTest('is accepted as a form, and as bytes without a content type', async () => {
    const form = new FormData()
    form.append('note', 'x')
    form.append('file', new Blob([csv(`ü.pdf,${url},,,,`)], { type: 'text/csv' }), 'Übersicht.csv')
    const response = await fetch(`${app.url}/api/csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.key}` },
      body: form,
    })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ filename: 'Übersicht.csv', rows: 1 })
    const raw = await app.upload(csv(`a.pdf,${url},,,,`), {
      'content-type': 'application/octet-stream',
    })
    expect(raw.body).toMatchObject({ filename: 'import.csv', rows: 1 })
    expect((await app.upload('{}', { 'content-type': 'application/json' })).status).toBe(415)
    const empty = new FormData()
    empty.append('note', 'x')
    const none = await fetch(`${app.url}/api/csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.key}` },
      body: empty,
    })
    expect(none.status).toBe(422)
  })

  it.each(
    someOf(
      [
        [
          'windows-1252',
          ';',
          Buffer.from('filename;file_url\r\nCaf\u00e9.pdf;https://x.example/a\r\n', 'latin1'),
          'Café.pdf',
        ],
        [
          'utf-16le',
          '\t',
          Buffer.from('\ufefffilename\tfile_url\nПриют.pdf\thttps://x.example/a\n', 'utf16le'),
          'Приют.pdf',
        ],
        [
          'utf-8',
          '|',
          Buffer.from('\ufefffilename|file_url\n日本.pdf|https://x.example/a'),
          '日本.pdf',
        ],
        [
          'utf-8',
          ';',
          Buffer.from('sep=;\nfilename;file_url\na,b.pdf;https://x.example/a'),
          'a,b.pdf',
        ],
      ] as const,
      (_, at) => at < 1,
    ),
  )('in %s with %j', async (encoding, delimiter, bytes, filename) => {
    const { body } = await app.upload(bytes)
    expect(body).toMatchObject({ encoding, delimiter, rows: 1, missing: [] })
    expect(body.preview[0].values).toMatchObject({ filename, file_url: 'https://x.example/a' })
    expect(await app.checked(body.id)).toMatchObject({
      check: { errors: 0, warnings: 0, import_rows: 1 },
    })
  })

  it.each([
    ['nothing', '', 'The file is empty'],
    ['blanks', ' \n\n', 'The file is empty'],
    ['a header alone', `${HEAD}\n`, 'The file has a header but no rows'],
    [
      'an open quote',
      `${HEAD}\na.pdf,"https://x.example/\nb.pdf,x,,,,\n`,
      'Row 2, column file_url: A quote that is opened here is never closed',
    ],
    [
      'an archive',
      Buffer.from('504b030414000600080000002100', 'hex'),
      'This is an archive: send the table in it as CSV or .xlsx',
    ],
    [
      'a binary workbook',
      Buffer.from('PK\x03\x04 xl/workbook.bin'),
      'This workbook is stored in Excel’s binary format: save it as .xlsx',
    ],
    [
      'a document of Numbers',
      Buffer.from('PK\x03\x04 Index/Document.iwa'),
      'This is a document of Numbers or Pages: export it as .xlsx or CSV',
    ],
    [
      'a damaged workbook',
      Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.from('xl/workbook.xml'.repeat(99))]),
      'This workbook cannot be opened: save it as CSV',
    ],
    [
      'an old workbook',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'This workbook has an old format or a password: save it as .xlsx or CSV',
    ],
    ['bytes', Buffer.from([1, 0, 0, 2, 3, 0, 0]), 'This is not a text file: save it as CSV first'],
  ])('of %s is refused', async (_, bytes, message) => {
    const { status, body } = await app.upload(bytes)
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ code: 'invalid_csv', message: 'Invalid CSV format' })
    expect(body.error.details[0].message).toBe(message)
  })

  const countUploads = async () =>
    (await app.owner.scope.query('select from csv_uploads where shop_id = :shop')).length

  soakTest('of more than 50,000 rows is refused, and nothing of it is kept', async () => {
    const before = await countUploads()
    const long = await app.upload(
      csv(...Array.from({ length: 50_001 }, (_, n) => `f${n},${url},,,,`)),
    )
    expect([long.status, long.body.error.code]).toEqual([422, 'too_many'])
    expect(await countUploads()).toBe(before)
  })

  soakTest('of more than 50 MB is refused, and nothing of it is kept', async () => {
    const before = await countUploads()
    const large = await app.upload(megabytes(50.5))
    expect(large.body.error.code).toBe('payload_too_large')
    const streamed = await fetch(`${app.url}/api/csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.key}`, 'content-type': 'text/csv' },
      body: oneByOne(51),
      duplex: 'half',
    } as unknown as RequestInit)
    expect(streamed.status).toBe(413)
    expect(await countUploads()).toBe(before)
  })

  soakTest(
    'with one Idempotency-Key is one file; another file with the same key is a conflict',
    async () => {
      const headers = (key: string) => ({ 'content-type': 'text/csv', 'idempotency-key': key })
      const [text, before] = [csv(`a.pdf,${url},,,,`), await countUploads()]
      const first = await app.upload(text, headers('key-1'), '?filename=a.csv')
      const again = await app.upload(text, headers('key-1'), '?filename=a.csv')
      expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([
        201,
        201,
        'true',
      ])
      expect(again.body).toEqual(first.body)
      const form = new FormData()
      form.append('file', new Blob([text]), 'a.csv')
      const posted = await fetch(`${app.url}/api/csv`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.key}`, 'idempotency-key': 'key-1' },
        body: form,
      })
      expect([posted.status, ((await posted.json()) as Answer['body']).id]).toEqual([
        201,
        first.body.id,
      ])
      for (const [other, name] of [
        [csv(`b.pdf,${url},,,,`), 'a.csv'],
        [text, 'b.csv'],
      ] as const) {
        const refused = await app.upload(other, headers('key-1'), `?filename=${name}`)
        expect([refused.status, refused.body.error.code]).toEqual([409, 'idempotency_key_reused'])
      }
      expect((await app.upload(text, headers('key-2'))).body.id).not.toBe(first.body.id)
      const refused = await app.upload('nothing', headers('key-3'))
      expect([refused.status, (await app.upload(text, headers('key-3'))).status]).toEqual([
        422, 201,
      ])
      const together = await Promise.all(
        Array.from({ length: 5 }, () => app.upload(text, headers('key-4'))),
      )
      expect(new Set(together.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
      expect((await app.upload(text, headers('x'.repeat(256)))).status).toBe(400)
      expect(await countUploads()).toBe(before + 4)
    },
  )

  soakTest('that is refused does not delay later requests on the same connection', async () => {
    const form = new FormData()
    form.append('file', new Blob([megabytes(50.5)]), 'a.csv')
    const headers = { authorization: `Bearer ${app.key}` }
    for (let round = 0; round < sized(1, 2); round++) {
      const refused = await fetch(`${app.url}/api/csv`, { method: 'POST', headers, body: form })
      expect([refused.status, ((await refused.json()) as Answer['body']).error.code]).toEqual([
        413,
        'payload_too_large',
      ])
      expect((await app.upload(csv(`a.pdf,${url},,,,`))).status).toBe(201)
    }
  })

  soakTest('lists its first structural problems with row and column', async () => {
    const { body } = await app.upload(
      csv(`a.pdf,${url}`, `b.pdf,${url},,,,,extra`, '', `c.pdf,${url},,,,`, `d.pdf,"x"y",,,,`),
    )
    expect(body.problems).toEqual([
      // The first row leaves out its last empty cells.
      expect.objectContaining({ row: 3, column: 'tags', message: 'Invalid CSV format' }),
      expect.objectContaining({
        row: 6,
        column: 'file_url',
        detail: 'A quote inside a quoted cell is not doubled',
      }),
    ])
    expect(await app.checked(body.id)).toMatchObject({
      check: { errors: 2, error_rows: 2, import_rows: 2, rows: 4 },
    })
  })
})

describe('an encoding', () => {
  const japanese = Buffer.from('ZmlsZW5hbWUsZmlsZV91cmwKg0uDQ4NoLnBkZg==', 'base64')
  it('is chosen by a person, and the stored file is read again', async () => {
    const file = Buffer.concat([japanese, Buffer.from(`,${url}\n`)])
    const { body } = await app.upload(file)
    expect(body).toMatchObject({ encoding: 'windows-1252', encoding_sure: false })
    const path = `/api/csv/${body.id}/encoding`
    const chosen = await app.owner.call('PUT', path, { encoding: 'shift_jis' })
    expect(chosen.status).toBe(200)
    expect(chosen.body).toMatchObject({ encoding: 'shift_jis', encoding_sure: true, rows: 1 })
    expect(chosen.body.preview[0].values.filename).toBe('ガイド.pdf')
    expect((await app.owner.call('PUT', path, { encoding: 'utf-7' })).status).toBe(422)
    // Nothing changes if the file is no table in the encoding.
    expect((await app.owner.call('PUT', path, { encoding: 'utf-16le' })).status).toBe(422)
    expect((await app.owner.call('GET', `/api/csv/${body.id}`)).body).toMatchObject({
      encoding: 'shift_jis',
    })
  })
  soakTest('of UTF-8 with a bad byte is UTF-8, and the row has an error', async () => {
    const file = Buffer.concat([
      Buffer.from(`filename,file_url\nMüller.pdf,${url}\nM`),
      Buffer.from([0xfc]),
      Buffer.from(`ller-2.pdf,${url}\n`),
    ])
    const { body } = await app.upload(file)
    expect(body).toMatchObject({ encoding: 'utf-8', encoding_sure: false })
    expect(body.preview).toMatchObject([
      { values: { filename: 'Müller.pdf' }, problems: [] },
      { problems: [{ row: 3, message: 'A character of this cell could not be read' }] },
    ])
  })
})

describe('columns', () => {
  const foreign = 'Title;Download link;Article number;Unused\n'
  it('are suggested, changed, saved, and applied when the same headers are uploaded again', async () => {
    const first = await app.upload(`${foreign}a.pdf;${url};BOOK-1;u.pdf\n`)
    expect(first.body.mapping).toMatchObject({
      filename: 'Title',
      file_url: 'Download link',
      product_sku: 'Article number',
    })
    const mapping = { filename: 'Unused', file_url: 'Download link' }
    const changed = await app.owner.call('PUT', `/api/csv/${first.body.id}/columns`, {
      mapping,
      save_as: 'supplier',
    })
    expect(changed.body).toMatchObject({
      saved_mapping: 'supplier',
      mapping: { filename: 'Unused', product_sku: null },
    })
    expect(changed.body.preview[0].values.filename).toBe('u.pdf')
    const again = await app.upload(
      `unused;TITLE;Download Link;article-number\nv.pdf;b.pdf;${url};BOOK-1\n`,
    )
    expect(again.body).toMatchObject({
      saved_mapping: 'supplier',
      mapping: { filename: 'unused', file_url: 'Download Link' },
    })
    const { body } = await app.owner.call('GET', '/api/csv/mappings')
    expect(body.data).toEqual([
      expect.objectContaining({
        name: 'supplier',
        mapping: expect.objectContaining({ ...mapping, view_limit: null }),
      }),
    ])
    expect((await app.owner.call('DELETE', `/api/csv/mappings/${body.data[0].id}`)).status).toBe(
      204,
    )
    expect((await app.owner.call('DELETE', `/api/csv/mappings/${body.data[0].id}`)).status).toBe(
      404,
    )
    expect((await app.upload(`${foreign}a.pdf;${url};;\n`)).body.saved_mapping).toBe(null)
  })

  soakTest('are saved without a name too', async () => {
    const body = { name: 'by hand', headers: ['A', 'B'], mapping: { filename: 'B', file_url: 'A' } }
    expect((await app.owner.call('POST', '/api/csv/mappings', body)).status).toBe(201)
    expect((await app.upload(`A,B\n${url},a.pdf\n`)).body).toMatchObject({
      saved_mapping: 'by hand',
      missing: [],
    })
  })

  it('that do not exist, or are chosen twice, are refused', async () => {
    const id = await app.uploaded(`${foreign}a.pdf;${url};;\n`)
    const put = (mapping: object) => app.owner.call('PUT', `/api/csv/${id}/columns`, { mapping })
    expect((await put({ filename: 'Nope' })).body.error.details[0]).toMatchObject({
      param: 'mapping.filename',
      message: 'There is no column Nope',
    })
    expect((await put({ filename: 'Title', tags: 'Title' })).body.error.details[0].param).toBe(
      'mapping.tags',
    )
    expect((await put({ wrong: 'Title' })).status).toBe(422)
  })

  it('that are required and missing are an error of the header', async () => {
    const id = await app.uploaded('label,whatever\na,b\n')
    const { body } = await app.owner.call('GET', `/api/csv/${id}`)
    expect(body.missing).toEqual(['filename', 'file_url'])
    const checked = await app.checked(id)
    expect(checked.check).toMatchObject({ import_rows: 0 })
    expect((await app.problems(id)).filter(({ row }) => row === 1)).toEqual([
      expect.objectContaining({
        message: 'Invalid CSV format',
        detail: 'The required column filename is missing',
      }),
      expect.objectContaining({
        message: 'Invalid CSV format',
        detail: 'The required column file_url is missing',
      }),
    ])
  })
})

describe('a check', () => {
  it('names the column that an export needs for its rows to change files', async () => {
    const id = await app.uploaded('filename,size_bytes,products,tags\na.pdf,1,,x\n')
    await app.checked(id)
    const [first] = await app.problems(id)
    expect(first).toMatchObject({ row: 1, message: 'Invalid CSV format' })
    expect(first.detail).toContain('add the column id: export them with it')
  })

  it('names every problem of every row', async () => {
    await makeFiles(app.owner.scope, [{ filename: 'Taken.pdf' }])
    const rows: [string, string | null, string][] = [
      [`taken.PDF,${url},,,,`, 'filename', 'Duplicate filename'],
      [`one.pdf,${url},,,,`, '', ''],
      [`ONE.pdf,${url},,,,`, 'filename', 'Duplicate filename'],
      [`,${url},,,,`, 'filename', 'A filename is required'],
      [`a/b.pdf,${url},,,,`, 'filename', 'A filename cannot contain / or \\'],
      [`${name()},,,,,`, 'file_url', 'A file URL is required'],
      [`${name()},ftp://x.example/a,,,,`, 'file_url', 'This is not an http or https URL'],
      [
        `${name()},https://u:p@x.example/a,,,,`,
        'file_url',
        'A URL cannot carry a user name or password',
      ],
      [`${name()},${url},,soon,,`, 'expiry_days', 'This is not a whole number'],
      [`${name()},${url},,0,,`, 'expiry_days', 'This is not a number from 1 to 36,500'],
      [`${name()},${url},,,-1,`, 'download_limit', 'This is not a number from 1 to 1,000,000,000'],
      [`${name()},${url},,,,${'t'.repeat(101)}`, 'tags', 'A tag has at most 100 characters'],
      [`${name()},${url},BOOK-1,never,unlimited,"a,b;c"`, '', ''],
      [`${name()},${url},NO-SUCH,,,`, 'product_sku', 'Product SKU not found'],
      [`${name()},${url},BOOK-2,60.0,5,`, 'product_sku', 'Several products have this SKU'],
      [`"'=1+1.pdf",${url},,,,`, '', ''],
      [`${name()},${url},,"60,00","1,000",`, 'download_limit', 'This is not a whole number'],
      [`${name()},${url},,1.000,,`, 'expiry_days', 'This is not a whole number'],
      [`${name()},,${url},,,`, null, 'Invalid CSV format'],
      [`=A1&B1,${url},,,,`, 'filename', 'This cell begins like a formula'],
    ]
    const emptied = [',,,,,', ' , ,,,,']
    const id = await app.uploaded(csv(...rows.map(([row]) => row), ...emptied))
    const { check } = await app.checked(id)
    const found = await app.problems(id)
    expect(found.map(({ row, column, message }) => [row, column, message])).toEqual(
      rows.flatMap(([, column, message], at) => (message ? [[at + 2, column, message]] : [])),
    )
    expect(found[0]).toMatchObject({
      severity: 'error',
      value: 'taken.PDF',
      detail: 'A file of this name is in the shop: rename it, or choose to overwrite',
    })
    expect(found[1].detail).toBe('Row 3 has this name too: rename one of them')
    expect(found.filter(({ severity }) => severity === 'warning').length).toBe(3)
    expect(check).toMatchObject({
      phase: 'done',
      rows: 20,
      errors: 14,
      warnings: 3,
      error_rows: 14,
      import_rows: 6,
      skus: 3,
    })
    expect((await app.problems(id, '&severity=warning')).length).toBe(3)
    // Of two rows with the same name, only one can replace a file or add a version; with numbers,
    // both are imported.
    const counts = async (on_conflict: string) =>
      (await app.checked(id, { probe: false, on_conflict })).check
    expect(await counts('overwrite')).toMatchObject({ errors: 13, warnings: 4 })
    expect(await counts('rename')).toMatchObject({ errors: 12, warnings: 5 })
  })

  it('names all problems of one cell, page after page', async () => {
    const id = await app.uploaded(csv(`a/b.pdf,${url},,,,`, `a/b.pdf,${url},,,,`))
    const { check } = await app.checked(id)
    const found: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await app.owner.call('GET', `/api/csv/${id}/problems?limit=1${cursor}`)
      found.push(
        ...body.data.map(({ row, code }: { row: number; code: string }) => `${row} ${code}`),
      )
      if (!body.next_cursor) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(found).toEqual(['2 invalid_filename', '3 invalid_filename', '3 duplicate_filename'])
    expect(check.errors).toBe(found.length)
  })

  soakTest('requests each URL once, and reports its response', async () => {
    const base = origin.url
    const rows = [
      'bytes/10/x',
      'status/404',
      'status/403',
      'bytes/10/x',
      `bytes/${600 * 1024 ** 2}/y`,
      `bytes/${6 * 1024 ** 3}/y`,
      'nothing-here',
    ]
    const id = await app.uploaded(csv(...rows.map((path) => `${name()},${base}/${path},,,,`)))
    const { check } = await app.checked(id, {})
    expect(check).toMatchObject({ probe: true, urls: 6, urls_total: 6, errors: 4, warnings: 1 })
    expect(
      (await app.problems(id)).map(({ row, message, detail, severity }) => [
        row,
        severity,
        message,
        detail,
      ]),
    ).toEqual([
      [3, 'error', 'File URL not accessible', 'The server answered 404: file not found'],
      [
        4,
        'error',
        'File URL not accessible',
        'The server answered 403: access denied. The server may refuse programs, or the address may have expired',
      ],
      [6, 'warning', 'The file has 600 MB: up to 500 MB are recommended', null],
      [
        7,
        'error',
        'The file is larger than 5 GB: contact support to have larger files imported',
        null,
      ],
      [8, 'error', 'File URL not accessible', 'The server answered 404: file not found'],
    ])
    expect(origin.count('/bytes/10/x')).toBe(1)
    expect(origin.mostAtOnce).toBeLessThanOrEqual(4)
  })

  soakTest('is cancelled by a newer one, and by other columns', async () => {
    const id = await app.uploaded(csv(`${name()},${origin.url}/bytes/10/z,,,,`))
    await app.owner.call('POST', `/api/csv/${id}/check`, {})
    const put = await app.owner.call('PUT', `/api/csv/${id}/columns`, {
      mapping: { filename: 'filename', file_url: 'file_url' },
    })
    expect(put.body).toMatchObject({ status: 'ready', check: null })
    expect((await app.checked(id)).check.import_rows).toBe(1)
  })
})

describe('rows with errors', () => {
  it('are exported as CSV that no spreadsheet executes, and read back exactly', async () => {
    const hostile = `"=cmd|' !C ""calc""'!A0",ftp://x,+SKU,@1,-2,"a;b"`
    const id = await app.uploaded(csv(`${name()},${url},,,,`, hostile, `long.pdf,${url},,,,,more`))
    await app.checked(id)
    const { body, headers } = await app.owner.call('GET', `/api/csv/${id}/errors.csv`)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${id}-errors.csv"`)
    expect(body.split('\r\n')).toEqual([
      `${HEAD},import_errors`,
      `"'=cmd|' !C ""calc""'!A0",ftp://x,'+SKU,'@1,'-2,a;b,"This is not an http or https URL; This is not a whole number; This is not a number from 1 to 1,000,000,000"`,
      expect.stringMatching(/^long\.pdf,.*a delimiter too many/),
      '',
    ])
    const again = await app.upload(body)
    expect(again.body.preview[0].values).toMatchObject({
      filename: '=cmd|\' !C "calc"\'!A0',
      product_sku: '+SKU',
      tags: 'a;b',
    })
    await app.checked(again.body.id)
    const second = await app.owner.call('GET', `/api/csv/${again.body.id}/errors.csv`)
    expect(second.body.split('\r\n')[0]).toBe(`${HEAD},import_errors`)
  })
})

describe('starting', () => {
  const start = (id: string, body: object = {}) =>
    app.owner.call('POST', `/api/csv/${id}/start`, body)

  it('requires a check, and no errors unless only valid rows are requested', async () => {
    const good = name()
    const id = await app.uploaded(
      csv(`${good},${origin.url}/bytes/100/s,BOOK-1,never,7,"x,y"`, `bad/.pdf,${url},,,,`),
    )
    expect((await start(id)).body.error).toMatchObject({
      status: 409,
      message: 'Check this file before it is imported',
    })
    await app.checked(id, { on_conflict: 'rename' })
    expect((await start(id)).body.error.message).toBe(
      '1 row has errors: correct them, or import the valid rows only',
    )
    expect((await start(id, { only_valid: true, on_conflict: 'error' })).body.error.status).toBe(
      409,
    )
    const begun = await start(id, { only_valid: true, notify: false, auto_map: false })
    expect(begun.status).toBe(202)
    expect(begun.body).toMatchObject({
      workflow: 'import-csv',
      channel: 'csv',
      total: 1,
      kind: 'import',
    })
    expect(begun.headers.get('location')).toBe(`/api/jobs/${begun.body.id}`)
    expect((await app.owner.call('GET', `/api/csv/${id}`)).body).toMatchObject({
      status: 'started',
      job_id: begun.body.id,
    })
    expect((await start(id, { only_valid: true })).body.error.message).toBe(
      'The import of this file has started',
    )
    expect((await app.owner.call('POST', `/api/csv/${id}/check`, {})).status).toBe(409)
    const worker = await app.engine.startWorker()
    try {
      expect(await untilEnded(app.owner, begun.body.id)).toMatchObject({
        status: 'success',
        done: 1,
      })
    } finally {
      await worker.stop()
    }
    const { body } = await app.owner.call('GET', `/api/files?search=${good}`)
    expect(body.data[0]).toMatchObject({
      filename: good,
      tags: ['x', 'y'],
      expiry_days: null,
      download_limit: 7,
      size_bytes: 100,
    })
    // The SKU is stored, because it may be added to the catalog later.
    const kept = await app.owner.scope.query(
      'select wanted_sku, auto_map from files where shop_id = :shop and filename = :good',
      { good },
    )
    expect(kept).toEqual([{ wanted_sku: 'BOOK-1', auto_map: false }])
  })

  soakTest('of nothing is refused', async () => {
    const id = await app.uploaded(csv(`bad/.pdf,${url},,,,`))
    await app.checked(id)
    expect((await start(id, { only_valid: true })).body.error.code).toBe('too_few')
  })

  it('twenty concurrent starts create one import', async () => {
    const id = await app.uploaded(csv(`${name()},${url},,,,`))
    await app.checked(id)
    const answers = await Promise.all(Array.from({ length: 8 }, () => start(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([
      202,
      ...Array.from({ length: 7 }, () => 409),
    ])
  })
})

describe('rows with the id of a file', () => {
  const COLUMNS = 'id,filename,file_url,product_sku,expiry_days,download_limit,tags'
  const table = (...rows: string[]) => `${[COLUMNS, ...rows].join('\n')}\n`
  const files = async (...names: string[]) => {
    const ids = await makeFiles(
      app.owner.scope,
      names.map((filename) => ({ filename, tags: ['old'] })),
    )
    return ids.map((id) => toPublicId('file', id))
  }
  const read = async (id: string) => (await app.owner.call('GET', `/api/files/${id}`)).body
  const found = async (id: string) =>
    (await app.problems(id)).map(({ row, column, severity, message, detail }) => [
      row,
      column,
      severity,
      detail ?? message,
    ])
  const start = (id: string, body: object = {}) =>
    app.owner.call('POST', `/api/csv/${id}/start`, body)
  async function working<T>(work: () => Promise<T>): Promise<T> {
    const worker = await app.engine.startWorker()
    try {
      return await work()
    } finally {
      await worker.stop()
    }
  }

  it('change its name, settings and tags; an empty cell changes nothing, and special words clear a value', async () => {
    const [a, b, c] = await files(name(), name(), name())
    const [before, fresh, imported] = [await read(c!), name(), name()]
    const id = await app.uploaded(
      table(
        `${a},${fresh},,,never,unlimited,"new, more"`,
        `,${imported},${origin.url}/bytes/10/u,BOOK-1,,,`,
        `${b},,,,7,,;`,
        `${c},,,,,,`,
      ),
    )
    // oxfmt-ignore
    expect((await app.checked(id, {})).check).toMatchObject({ errors: 0, warnings: 0, import_rows: 1, update_rows: 3, urls: 1, skus: 1 })
    const begun = await start(id)
    expect(begun.body).toMatchObject({ workflow: 'import-csv', total: 1, job_id: begun.body.id })
    const { job_id, update_job_id } = begun.body
    expect((await app.owner.call('GET', `/api/csv/${id}`)).body).toMatchObject({
      status: 'started',
      job_id,
      update_job_id,
    })
    await working(async () => {
      expect(await untilEnded(app.owner, job_id)).toMatchObject({ status: 'success', done: 1 })
      // oxfmt-ignore
      expect(await untilEnded(app.owner, update_job_id)).toMatchObject({ status: 'success', done: 3, workflow: 'update-from-csv', channel: 'csv', kind: 'bulk' })
      expect(await read(a!)).toMatchObject({
        filename: fresh,
        expiry_days: null,
        download_limit: null,
        tags: ['new', 'more'],
      })
      expect(await read(b!)).toMatchObject({ expiry_days: 7, tags: [] })
      expect(await read(c!)).toEqual(before)
      const items = (await app.owner.call('GET', `/api/operations/${update_job_id}/items`)).body
        .data
      expect(
        items.map(({ status, after }: { status: string; after: object | null }) => [
          status,
          after === null,
        ]),
      ).toEqual([
        ['done', false],
        ['done', false],
        ['done', true],
      ])
      const undo = await app.owner.call('POST', `/api/operations/${update_job_id}/undo`)
      expect(await untilEnded(app.owner, undo.body.id)).toMatchObject({
        status: 'success',
        done: 2,
      })
      expect(await read(a!)).toMatchObject({
        filename: expect.not.stringMatching(fresh),
        tags: ['old'],
      })
    })
  })

  it('alone are one operation, and a file with only imports has none', async () => {
    const [a] = await files(name())
    const id = await app.uploaded(`id,tags\n${a},x\n`)
    expect((await app.owner.call('GET', `/api/csv/${id}`)).body).toMatchObject({
      missing: [],
      mapping: { id: 'id' },
    })
    await app.checked(id)
    const begun = await start(id, { notify: true })
    expect(begun.headers.get('location')).toBe(`/api/operations/${begun.body.update_job_id}`)
    expect(begun.body).toMatchObject({
      id: begun.body.update_job_id,
      job_id: null,
      total: 1,
      kind: 'bulk',
    })
    const other = await app.uploaded(csv(`${name()},${url},,,,`))
    await app.checked(other)
    expect((await start(other)).body).toMatchObject({ update_job_id: null, kind: 'import' })
  })

  it('are checked: ids, names, values and SKUs, but not URLs, which they do not use', async () => {
    const [own, twice, trashed, taken] = await files(name(), name(), name(), name())
    // oxfmt-ignore
    await app.owner.scope.query(`update files set deleted_at = now() where shop_id = :shop
      and id = :id`, { id: requirePublicId('file', trashed!) })
    const stranger = await app.stranger('other-files.myshopify.com')
    const [theirs] = await makeFiles(stranger.scope, [{ filename: 'x.pdf' }])
    const takenName = (await read(taken!)).filename
    const id = await app.uploaded(
      table(
        `${own},a/b.pdf,nonsense,NO-SUCH,0,x,"${'t'.repeat(101)}"`,
        `${twice},,,,,,x`,
        `${twice},,,,,,y`,
        `file_${'0'.repeat(32)},,,,,,`,
        `${trashed},,,,,,`,
        `${toPublicId('file', theirs!)},,,,,,`,
        'nonsense,,,,,,',
        `${taken},${takenName.toUpperCase()},,,,,`,
      ),
    )
    await app.owner.call('PUT', `/api/csv/${id}/columns`, {
      mapping: Object.fromEntries(COLUMNS.split(',').map((one) => [one, one])),
    })
    const { check } = await app.checked(id, {})
    expect(check).toMatchObject({
      error_rows: 6,
      import_rows: 0,
      update_rows: 2,
      urls_total: 0,
      skus_total: 1,
    })
    expect(await found(id)).toEqual([
      [2, 'filename', 'error', 'A filename cannot contain / or \\'],
      [2, 'product_sku', 'warning', 'The file is imported without a product'],
      [2, 'expiry_days', 'error', 'This is not a number from 1 to 36,500'],
      [2, 'download_limit', 'error', 'This is not a whole number'],
      [2, 'tags', 'error', 'A tag has at most 100 characters'],
      [4, 'id', 'error', 'Row 3 changes the same file'],
      [5, 'id', 'error', 'There is no such file'],
      [6, 'id', 'error', 'This file is in the trash: restore it first'],
      [7, 'id', 'error', 'There is no such file'],
      [8, 'id', 'error', 'This is not the id of a file'],
    ])
    expect((await start(id)).status).toBe(409)
    expect((await start(id, { only_valid: true })).body).toMatchObject({ job_id: null, total: 2 })
  })

  soakTest('add and remove tags by signs, and change products as chosen', async () => {
    const [a, b, c] = await files(name(), name(), name())
    const products = [1, 2].map((n) => `gid://shopify/Product/77000000000${n}`)
    await app.owner.scope.query(
      `insert into products (shop_id, id, title, title_key, handle, status)
       select :shop, id, id, id, 'handle-' || right(id, 1), 'ACTIVE' from unnest(:products::text[]) id`,
      { products },
    )
    const change = async (options: object, ...rows: string[]) => {
      const text = `id,tags,product_id,product_handle\n${rows.join('\n')}\n`
      const id = await app.uploaded(text)
      expect((await app.checked(id, { probe: false, ...options })).check.errors).toBe(0)
      const { body } = await start(id)
      await untilEnded(app.owner, body.update_job_id)
      return (await app.owner.call('GET', `/api/operations/${body.update_job_id}`)).body
    }
    const tagsOf = async (id: string | undefined) => (await read(id!)).tags
    const productsOf = async (id: string | undefined) => (await read(id!)).products.toSorted()
    await working(async () => {
      await change(
        {},
        `${a},+new;-old,770000000001,`,
        `${b},\\-5%,,handle-1;handle-2`,
        `${c},-other,,`,
      )
      expect([await tagsOf(a), await tagsOf(b), await tagsOf(c)]).toEqual([
        ['new'],
        ['-5%'],
        ['old'],
      ])
      expect([await productsOf(a), await productsOf(b)]).toEqual([[products[0]], products])
      await change({ tags: 'add', products: 'replace' }, `${a},more,${products[1]},`, `${b},,none,`)
      expect([await tagsOf(a), await tagsOf(b)]).toEqual([['new', 'more'], ['-5%']])
      expect([await productsOf(a), await productsOf(b)]).toEqual([[products[1]], []])
    })
  })

  it('put files into packs and take them out, by signs, as chosen, and by whole names', async () => {
    const [a, b] = await files(name(), name())
    const [kit, box] = ['Kit', 'Box'].map((one) => `${one} ${name()}`) as [string, string]
    const whole = `${kit};${box}`
    await app.owner.call('POST', '/api/packs', { name: `+${box}` })
    const change = async (options: object, ...rows: string[]) => {
      const id = await app.uploaded(`id,pack\n${rows.join('\n')}\n`)
      expect((await app.checked(id, { probe: false, ...options })).check.errors).toBe(0)
      const { body } = await start(id)
      await untilEnded(app.owner, body.update_job_id)
    }
    const packsOf = async (id: string | undefined) =>
      (await read(id!)).packs.map((pack: { name: string }) => pack.name)
    await working(async () => {
      await change({}, `${a},${kit};${box}`, `${b},+${box}`)
      expect([await packsOf(a), await packsOf(b)]).toEqual([[kit, box], [`+${box}`]])
      await change({}, `${a},-${kit};+Third`, `${b},${box}`)
      expect([await packsOf(a), await packsOf(b)]).toEqual([[box, 'Third'], [box]])
      await app.owner.call('POST', '/api/packs', { name: whole })
      await change({ packs: 'add' }, `${a},${whole}`, `${b},none`)
      expect([await packsOf(a), await packsOf(b)]).toEqual([[box, 'Third', whole], []])
    })
  })

  it('do what their commands say, found by id or by name, and an undo takes it back', async () => {
    const [a, b, c, d] = await files('one.pdf', 'two.pdf', 'three.pdf', 'four.pdf')
    await makeFiles(
      app.owner.scope,
      Array.from({ length: 20 }, () => ({ filename: name() })),
    )
    const text = [
      'command,id,filename,file_url,expiry_days,tags',
      `update,${a},,,7,`,
      `Delete,,two.pdf,,nonsense,`,
      `ignore,file_nonsense,a/b,,,`,
      `update,,three.pdf,${origin.url}/bytes/10/new-bytes,9,+fresh`,
      `new,,commanded.pdf,${origin.url}/bytes/10/commanded,,`,
      `new,,four.pdf,${origin.url}/bytes/10/taken,,`,
      `update,,unknown.pdf,,1,`,
      `restore,${d},,,,`,
      `wipe,${d},,,,`,
    ].join('\n')
    const id = await app.uploaded(text)
    const { check } = await app.checked(id, { probe: false, match: 'filename' })
    expect(check).toMatchObject({
      error_rows: 3,
      import_rows: 1,
      update_rows: 2,
      delete_rows: 1,
      restore_rows: 0,
      ignored_rows: 2,
    })
    const problems = await app.problems(id)
    expect(
      problems.map(({ row, column, severity, code }) => [row, column, severity, code]),
    ).toEqual([
      [7, 'filename', 'error', 'duplicate_filename'],
      [8, 'filename', 'error', 'file_not_found'],
      [9, 'command', 'warning', 'no_change'],
      [10, 'command', 'error', 'invalid_value'],
    ])
    const editor = await app.clientWith(['imports:write', 'files:write'])
    const begin = { only_valid: true }
    expect((await editor.call('POST', `/api/csv/${id}/start`, begin)).status).toBe(403)
    await working(async () => {
      const { body } = await start(id, begin)
      expect(await untilEnded(app.owner, body.update_job_id)).toMatchObject({ done: 2, failed: 0 })
      expect(await untilEnded(app.owner, body.job_id)).toMatchObject({ done: 2, failed: 0 })
      expect(await read(a!)).toMatchObject({ expiry_days: 7, version: 1 })
      expect(await read(c!)).toMatchObject({ expiry_days: 9, version: 2, tags: ['old', 'fresh'] })
      expect((await read(b!)).deleted_at).not.toBe(null)
      const undo = await app.owner.call('POST', `/api/operations/${body.update_job_id}/undo`)
      await untilEnded(app.owner, undo.body.id)
      expect((await read(b!)).deleted_at).toBe(null)
    })
  })

  soakTest(
    'restore files, by their names too; a preview changes nothing until it is confirmed',
    async () => {
      const [a, b] = await files('back-1.pdf', 'back-2.pdf')
      await app.owner.scope.query(
        'update files set deleted_at = now() where shop_id = :shop and id = any(:ids::uuid[])',
        { ids: [a, b].map((id) => requirePublicId('file', id!)) },
      )
      const id = await app.uploaded(`command,id,filename\nrestore,${a},\nrestore,,back-2.pdf\n`)
      const { check } = await app.checked(id, { probe: false, match: 'filename' })
      expect(check).toMatchObject({ errors: 0, restore_rows: 2 })
      await working(async () => {
        const { body } = await start(id, { dry_run: true })
        const job = `/api/operations/${body.update_job_id}`
        const statusOf = async () => (await app.owner.call('GET', job)).body.status
        await expect.poll(statusOf).toBe('previewed')
        const deletedOf = async () => {
          const found = [await read(a!), await read(b!)]
          return found.map(({ deleted_at }) => deleted_at !== null)
        }
        expect(await deletedOf()).toEqual([true, true])
        await app.owner.call('POST', `${job}/confirm`)
        await untilEnded(app.owner, body.update_job_id)
        expect(await deletedOf()).toEqual([false, false])
      })
    },
  )

  soakTest('can be started again when all previews of them were discarded', async () => {
    const [a] = await files('again-1.pdf')
    const id = await app.uploaded(
      table(`${a},,,,,,seen`, `,${name()},${origin.url}/bytes/100/again,,,,`),
    )
    await app.checked(id, { probe: false })
    const { body } = await start(id, { dry_run: true })
    const stateOf = async () => (await app.owner.call('GET', `/api/csv/${id}`)).body.status
    const discard = async (job: string) =>
      expect((await app.owner.call('POST', `/api/operations/${job}/cancel`)).status).toBe(200)
    await discard(body.job_id)
    expect(await stateOf()).toBe('started')
    expect((await start(id)).status).toBe(409)
    await discard(body.update_job_id)
    expect(await stateOf()).toBe('checked')
    const list = (await app.owner.call('GET', '/api/csv')).body.data as { id: string }[]
    expect(list.find((one) => one.id === id)).toMatchObject({ status: 'checked' })
    await working(async () => {
      const second = await start(id)
      expect(second.status).toBe(202)
      await untilEnded(app.owner, second.body.update_job_id)
      await untilEnded(app.owner, second.body.job_id)
      expect((await read(a!)).tags).toEqual(['seen'])
      expect(await stateOf()).toBe('started')
    })
  })

  it('that have lost their files since the check are not left out silently', async () => {
    const [a, b] = await files('lost-1.pdf', 'lost-2.pdf')
    const trash = (ids: (string | undefined)[]) =>
      app.owner.scope.query(
        'update files set deleted_at = now() where shop_id = :shop and id = any(:ids::uuid[])',
        { ids: ids.map((id) => requirePublicId('file', id!)) },
      )
    const byId = await app.uploaded(table(`${a},,,,,,x`, `${b},,,,,,x`))
    await app.checked(byId, { probe: false })
    const byName = await app.uploaded('filename,expiry_days\nlost-1.pdf,3\nlost-2.pdf,3\n')
    await app.checked(byName, { probe: false, match: 'filename' })
    await trash([a])
    for (const id of [byId, byName]) {
      expect((await start(id, { only_valid: true })).body.error).toMatchObject({
        status: 409,
        message: 'Files that rows name have changed since the check: check this file again',
      })
      expect((await app.owner.call('GET', `/api/csv/${id}`)).body.status).toBe('checked')
    }
    const { check } = await app.checked(byId, { probe: false })
    expect(check).toMatchObject({ error_rows: 1, update_rows: 1 })
    expect((await start(byId, { only_valid: true })).body).toMatchObject({ total: 1 })
  })

  it('that would delete more than a fifth of all files are a preview first', async () => {
    const stranger = await app.stranger('few-files.myshopify.com')
    const own = await makeFiles(stranger.scope, [{ filename: 'x.pdf' }, { filename: 'y.pdf' }])
    const rows = own.map((one) => `delete,${toPublicId('file', one)}`)
    const body = ['command,id', ...rows].join('\n')
    const sent = await fetch(`${app.url}/api/csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stranger.key}`, 'content-type': 'text/csv' },
      body,
    })
    const { id } = (await sent.json()) as { id: string }
    await stranger.call('POST', `/api/csv/${id}/check`, { probe: false })
    await untilChecked({ owner: stranger }, id)
    const begun = await stranger.call('POST', `/api/csv/${id}/start`, {})
    expect(begun.body).toMatchObject({ status: 'previewing', total: 2 })
  })

  soakTest(
    'may swap names and take names that others leave, but not those of unchanged files',
    async () => {
      const [a, b, c, d] = await files('swap-a.pdf', 'swap-b.pdf', 'swap-c.pdf', 'swap-d.pdf')
      // oxfmt-ignore
      const good = await app.uploaded(table(`${a},swap-b.pdf,,,,,`, `${b},SWAP-A.pdf,,,,,`, `${c},swap-e.pdf,,,,,`, `${d},swap-c.pdf,,,,,`))
      expect((await app.checked(good, { on_conflict: 'overwrite' })).check).toMatchObject({
        errors: 0,
        update_rows: 4,
      })
      await working(async () => {
        const { body } = await start(good)
        expect(await untilEnded(app.owner, body.update_job_id)).toMatchObject({
          status: 'success',
          done: 4,
        })
      })
      // oxfmt-ignore
      expect(await Promise.all([a!, b!, c!, d!].map(async (id) => (await read(id)).filename))).toEqual(['swap-b.pdf', 'SWAP-A.pdf', 'swap-e.pdf', 'swap-c.pdf'])
      // The file in row 4 keeps its name, because another file has the name that it wants; so the
      // file in row 2, which wants that name, keeps its own too.
      await files('swap-x.pdf')
      const bad = await app.uploaded(
        // oxfmt-ignore
        table(`${a},swap-a.pdf,,,,,`, `${c},swap-y.pdf,,,,,`, `${b},swap-x.pdf,,,,,`, `${d},swap-y.pdf,,,,,`, `,swap-e.pdf,${url},,,,`),
      )
      await app.checked(bad)
      expect(await found(bad)).toEqual([
        [2, 'filename', 'error', 'A file of this name is in the shop: choose another one'],
        [4, 'filename', 'error', 'A file of this name is in the shop: choose another one'],
        [5, 'filename', 'error', 'Row 3 has this name too: rename one of them'],
        [
          6,
          'filename',
          'error',
          'A file of this name is in the shop: rename it, or choose to overwrite',
        ],
      ])
    },
  )

  it('need files:write in addition to imports:write', async () => {
    const [a] = await files(name())
    const importer = await app.clientWith(['imports:write'])
    const started = async (text: string) => {
      const id = await app.uploaded(text)
      await app.checked(id)
      return importer.call('POST', `/api/csv/${id}/start`, {})
    }
    const refused = await started(table(`${a},,,,,,x`, `,${name()},${url},,,,`))
    expect(refused.status).toBe(403)
    expect(refused.body.error.details[0].message).toBe('This key lacks the scope files:write')
    expect((await started(csv(`${name()},${url},,,,`))).status).toBe(202)
  })

  soakTest('round trip: an export with a few changed cells changes only those files', async () => {
    const ids = await files('=round "1".pdf', 'round, 2.pdf', '-round 3.pdf', 'round 4.pdf')
    const exported = await Promise.all(ids.map(read))
    const cell = (value: string | number | null) => {
      const text = plainCell(value)
      return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    }
    const rows = exported.map(
      ({ id, filename, size_bytes, tags, expiry_days, download_limit }) =>
      [id, filename, size_bytes, '2026-01-31', '', tags.join(';'), 3, expiry_days, download_limit, 'https://x.example/'].map(cell), // oxfmt-ignore
    )
    rows[1]![5] = 'old;changed'
    rows[2]![1] = 'round three.pdf'
    const header =
      'id,filename,size_bytes,upload_date,products,tags,downloads,expiry_days,download_limit,url'
    const id = await app.uploaded(`${[header, ...rows].join('\n')}\n`)
    expect((await app.checked(id, {})).check).toMatchObject({
      errors: 0,
      warnings: 0,
      update_rows: 4,
      urls_total: 0,
    })
    await working(async () => {
      const { body } = await start(id)
      expect(await untilEnded(app.owner, body.update_job_id)).toMatchObject({
        status: 'success',
        done: 4,
      })
    })
    const now = await Promise.all(ids.map(read))
    expect([now[0], now[3]]).toEqual([exported[0], exported[3]])
    expect(now[1]).toMatchObject({ filename: 'round, 2.pdf', tags: ['old', 'changed'] })
    expect(now[2]).toMatchObject({ filename: 'round three.pdf', tags: ['old'] })
  })
})

describe('another shop', () => {
  it('finds none of it', async () => {
    const id = await app.uploaded(csv(`${name()},${url},,,,`))
    await app.checked(id)
    const saved = await app.owner.call('POST', '/api/csv/mappings', {
      name: 'mine',
      headers: ['A'],
      mapping: { filename: 'A' },
    })
    const stranger = await app.stranger('elsewhere.myshopify.com')
    const asked: [string, string, object?][] = [
      ['GET', `/api/csv/${id}`],
      ['GET', `/api/csv/${id}/problems`],
      ['GET', `/api/csv/${id}/errors.csv`],
      ['PUT', `/api/csv/${id}/columns`, { mapping: {} }],
      ['POST', `/api/csv/${id}/check`, {}],
      ['POST', `/api/csv/${id}/stop`],
      ['POST', `/api/csv/${id}/start`, {}],
      ['DELETE', `/api/csv/${id}`],
      ['DELETE', `/api/csv/mappings/${saved.body.id}`],
    ]
    for (const [method, route, body] of asked)
      expect((await stranger.call(method, route, body)).status, route).toBe(404)
    for (const list of ['/api/csv', '/api/csv/mappings'])
      expect((await stranger.call('GET', list)).body.data).toEqual([])
    const reader = await app.clientWith(['files:read'])
    expect((await reader.call('GET', `/api/csv/${id}`)).status).toBe(403)
    expect((await app.owner.call('DELETE', `/api/csv/${id}`)).status).toBe(204)
    expect((await app.owner.call('GET', `/api/csv/${id}`)).status).toBe(404)
  })
})
