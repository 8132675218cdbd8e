// Corrections of uploaded files: single rows, all rows with one problem, undo, and what a check of
// corrected rows requests again.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openCsvApp, untilChecked, type CsvApp } from '../../../test/csv.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { fillMirror } from '../../../test/mirror.ts'
import type { Answer } from '../../../test/app.ts'
import { requirePublicId } from '../../core/ids.ts'
import { errorRows } from './problems.ts'
import { listGroups } from './problem-groups.ts'
import { requireUpload } from './uploads.ts'

let app: CsvApp
let origin: Origin
beforeAll(async () => {
  origin = await startOrigin()
  app = await openCsvApp({ 'BOOK-1': 1, 'BOOK-2': 1 })
})
afterAll(async () => {
  await app.close()
  await origin.close()
})

const paths = () => origin.requests.map(({ path }) => path)
const call = (method: string, path: string, body?: object) => app.owner.call(method, path, body)
const groupsOf = async (id: string): Promise<Answer['body'][]> =>
  (await call('GET', `/api/csv/${id}/problem-groups`)).body.data
const groupOf = async (id: string, code: string) =>
  (await groupsOf(id)).find((group) => group.code === code) ?? expect.fail(`No group ${code}`)
const rechecked = async (id: string, answer: Answer) => {
  expect(answer.status).toBeLessThan(300)
  return untilChecked(app, id)
}
const fix = async (id: string, code: string, how: object, value?: string) => {
  const { id: group } = await groupOf(id, code)
  return rechecked(id, await call('POST', `/api/csv/${id}/fixes`, { group, value, fix: how }))
}
const textOf = async (id: string) => {
  const response = await fetch(`${app.url}/api/csv/${id}/corrected.csv`, {
    headers: { authorization: `Bearer ${app.key}` },
  })
  return Buffer.from(await response.arrayBuffer()).toString()
}

it('a file with problems of several kinds is corrected, by groups and by rows, and imported', async () => {
  const bytes = (n: number) => `${origin.url}/bytes/100/${n}`
  const id = await app.uploaded(
    [
      'filename;file_url;product_sku;expiry_days',
      `a.pdf;${bytes(1)};BOOK-1;`,
      `b.pdf;${bytes(2)};NONE-1;`,
      `c.pdf;${bytes(3)};NONE-1;soon`,
      `a.pdf;${bytes(4)};NONE-2;`,
      `e.pdf;${origin.url.slice('http://'.length)}/bytes/100/5;;`,
      `f.pdf;${origin.url}/status/404/f;;`,
      `g.pdf;${origin.url}/status/404/g;;`,
      `=h.pdf;${bytes(8)};BOOK-2;-3`,
    ].join('\n'),
  )
  const before = await app.checked(id, { probe: true })
  expect(before.check).toMatchObject({ rows: 8, error_rows: 6 })
  expect(await groupsOf(id)).toMatchObject([
    { code: 'url_not_accessible', field: 'file_url', rows: 2, different: 2 },
    { code: 'invalid_type', field: 'expiry_days', rows: 1, values: [{ value: 'soon', rows: 1 }] },
    { code: 'duplicate_filename', rows: 1, fixes: ['number', 'replace', 'leave_out'] },
    { code: 'invalid_url', rows: 1, fixes: ['prefix', 'replace', 'leave_out'] },
    { code: 'out_of_range', rows: 1 },
    { code: 'sku_not_found', severity: 'warning', rows: 3, different: 2 },
    { code: 'formula', severity: 'warning', rows: 1 },
  ])
  const asked = paths().length

  // All of them with one text, then the others one by one.
  let file = await fix(id, 'sku_not_found', { type: 'set', text: 'BOOK-2' }, 'NONE-1')
  expect(await groupOf(id, 'sku_not_found')).toMatchObject({
    rows: 1,
    values: [{ value: 'NONE-2' }],
  })
  await fix(id, 'duplicate_filename', { type: 'number' })
  expect(paths().length).toBe(asked)
  // Its address was not requested while another cell of the row was wrong.
  await fix(id, 'invalid_type', { type: 'set', text: '' })
  expect(paths().slice(asked)).toEqual(['/bytes/100/3'])
  // A second click, before the rows are checked again, changes nothing.
  const { id: group } = await groupOf(id, 'invalid_url')
  const twice = { group, fix: { type: 'prefix', text: 'http://' } }
  const answers = await Promise.all([1, 2].map(() => call('POST', `/api/csv/${id}/fixes`, twice)))
  expect(answers.map(({ status }) => status)).toContain(200)
  await untilChecked(app, id)
  expect(paths().slice(asked + 1)).toEqual(['/bytes/100/5'])
  file = await fix(id, 'url_not_accessible', { type: 'leave_out' })
  expect(file.corrections).toEqual({ rows: 4, left_out: 2, can_undo: true })
  expect(file.check).toMatchObject({ rows: 6, error_rows: 1 })

  const { data: rows } = (await call('GET', `/api/csv/${id}/rows?only=left_out`)).body
  expect(rows.map(({ row }: { row: number }) => row)).toEqual([7, 8])
  await rechecked(id, await call('POST', `/api/csv/${id}/undo`))
  const changed = await call('PATCH', `/api/csv/${id}/rows`, {
    rows: [
      { row: 9, values: { expiry_days: '0' } },
      { row: 7, values: { file_url: bytes(7) } },
      { row: 8, left_out: true },
    ],
  })
  expect(changed.body.rows).toMatchObject([
    {
      row: 7,
      values: { file_url: bytes(7) },
      original: { file_url: `${origin.url}/status/404/f` },
    },
    { row: 8, left_out: true, problems: [] },
    { row: 9, problems: [{ column: 'filename' }, { column: 'expiry_days', code: 'out_of_range' }] },
  ])
  // A second correction does not wait for the check of the first.
  const again = { rows: [{ row: 9, values: { expiry_days: '3' } }] }
  file = await rechecked(id, await call('PATCH', `/api/csv/${id}/rows`, again))
  expect(file.check).toMatchObject({ rows: 7, error_rows: 0, warnings: 2 })

  expect(await textOf(id)).toBe(
    '\ufeff' +
      [
        'filename;file_url;product_sku;expiry_days',
        `a.pdf;${bytes(1)};BOOK-1;`,
        `b.pdf;${bytes(2)};BOOK-2;`,
        `c.pdf;${bytes(3)};BOOK-2;`,
        `a (2).pdf;${bytes(4)};NONE-2;`,
        `e.pdf;${bytes(5)};;`,
        `f.pdf;${bytes(7)};;`,
        `'=h.pdf;${bytes(8)};BOOK-2;3`,
        '',
      ].join('\r\n'),
  )
  const started = await call('POST', `/api/csv/${id}/start`, {})
  expect(started).toMatchObject({ status: 202, body: { total: 7 } })
  const entries = await app.owner.scope.query<{ filename: string; sku: string | null }>(
    `select entry ->> 'filename' as filename, entry #>> '{product_names,skus,0}' as sku from items
     where shop_id = :shop order by position`,
  )
  expect(entries.slice(-7).map(({ filename, sku }) => [filename, sku])).toEqual([
    ['a.pdf', 'BOOK-1'],
    ['b.pdf', 'BOOK-2'],
    ['c.pdf', 'BOOK-2'],
    ['a (2).pdf', 'NONE-2'],
    ['e.pdf', null],
    ['f.pdf', null],
    ['=h.pdf', 'BOOK-2'],
  ])
  expect((await call('POST', `/api/csv/${id}/undo`)).status).toBe(409)
})

soakTest(
  'a request that began before a check of corrected rows had ended reads its problems',
  async () => {
    const address = (n: number) => `${origin.url}/status/404/late-${n}`
    const id = await app.uploaded(
      `filename,file_url\na.pdf,${address(1)}\nb.pdf,${address(2)}\nc.pdf,${origin.url}/bytes/9/c`,
    )
    await app.checked(id, { probe: true })
    await call('PATCH', `/api/csv/${id}/rows`, { rows: [{ row: 2, left_out: true }] })
    const { scope } = app.owner
    const known = await requireUpload(scope, requirePublicId('csv', id))
    await untilChecked(app, id)
    expect(await listGroups(scope, known)).toMatchObject([{ code: 'url_not_accessible', rows: 1 }])
    expect(await errorRows(scope, known)).toEqual(new Set([3]))
  },
)

soakTest(
  'names without an extension are a warning, and get the endings of their addresses',
  async () => {
    const id = await app.uploaded(
      [
        'title,link',
        'Sourdough guide,https://cdn.example.com/files/sg.PDF?v=2',
        'Guide v1.2,https://cdn.example.com/2.epub#top',
        'Pattern,https://cdn.example.com/download.php?id=3',
        'Host,https://cdn.zip',
        'c.pdf,https://cdn.example.com/c.pdf',
        'Brushes.procreate,https://cdn.example.com/brushes.zip',
        'Linked,[Guide](https://cdn.example.com/linked.pdf)',
        'Mailed,<https://cdn.example.com/mailed.mp3?v=1>',
      ].join('\n'),
    )
    expect((await app.checked(id, { probe: false })).check).toMatchObject({ error_rows: 0 })
    const data = await groupsOf(id)
    expect(data).toMatchObject([{ code: 'no_extension', severity: 'warning', rows: 4 }])
    expect(data[0].fixes).toContain('extension')
    await fix(id, 'no_extension', { type: 'extension' })
    expect(await groupsOf(id)).toEqual([])
    const text = await textOf(id)
    expect(text).toContain('Sourdough guide.PDF,')
    expect(text).toContain('Guide v1.2.epub,')
    expect(text).toContain('Linked.pdf,')
    expect(text).toContain('Mailed.mp3,')
  },
)

soakTest(
  'letters that a program has read in a wrong encoding are a warning, and are restored',
  async () => {
    const id = await app.uploaded(
      'filename,file_url,tags\nMÃ¼ller.pdf,https://cdn.example.com/1.pdf,√úbung\nGrüße.pdf,https://cdn.example.com/2.pdf,Übung\n',
    )
    await app.checked(id, { probe: false })
    const groups = await groupsOf(id)
    const found = groups.map(({ code, field, rows }) => [code, field, rows])
    expect(found.toSorted()).toEqual([
      ['wrong_letters', 'filename', 1],
      ['wrong_letters', 'tags', 1],
    ])
    for (const { id: group } of groups)
      await rechecked(
        id,
        await call('POST', `/api/csv/${id}/fixes`, { group, fix: { type: 'decode' } }),
      )
    expect(await groupsOf(id)).toEqual([])
    expect(await textOf(id)).toContain('Müller.pdf,https://cdn.example.com/1.pdf,Übung')
  },
)

soakTest(
  'what failed is requested again on demand; names come from addresses; other columns keep corrections',
  async () => {
    const id = await app.uploaded(
      [
        'filename,file_url,note',
        `,${origin.url}/bytes/50/named.pdf,x`,
        `b.pdf,${origin.url}/status/404/b,y`,
      ].join('\n'),
    )
    await app.checked(id, { probe: true })
    const failed = () => paths().filter((path) => path === '/status/404/b').length
    const asked = failed()
    let file = await fix(id, 'invalid_filename', { type: 'from_address' })
    expect(file.check).toMatchObject({ rows: 2, error_rows: 1 })
    expect(failed()).toBe(asked)
    await rechecked(id, await call('POST', `/api/csv/${id}/recheck`))
    expect(failed()).toBeGreaterThan(asked)
    file = await fix(id, 'url_not_accessible', {
      type: 'replace',
      find: 'status/404',
      with: 'bytes/60',
    })
    expect(file).toMatchObject({ check: { error_rows: 0 }, corrections: { rows: 2 } })
    expect(await textOf(id)).toContain(`named.pdf,${origin.url}/bytes/50/named.pdf,x`)

    const refused = await call('PATCH', `/api/csv/${id}/rows`, {
      rows: [
        { row: 9, left_out: true },
        { row: 2, values: { tags: 'a' } },
      ],
    })
    expect(refused.status).toBe(422)
    expect(refused.body.error.details.map(({ param }: { param: string }) => param)).toEqual([
      'rows.0.row',
      'rows.1.values.tags',
    ])
    await call('PUT', `/api/csv/${id}/columns`, {
      mapping: { filename: 'filename', file_url: 'file_url', tags: 'note' },
    })
    const { corrections, preview } = await app.checked(id)
    expect(corrections).toMatchObject({ rows: 2 })
    expect(preview[0].values.filename).toBe('named.pdf')
    await call('PUT', `/api/csv/${id}/header`, { row: 0 })
    expect((await call('GET', `/api/csv/${id}`)).body.corrections).toMatchObject({ rows: 0 })
  },
)

soakTest('unknown SKUs are corrected to the ones that they are typing errors of', async () => {
  await fillMirror(app.owner.scope, [{ title: 'Book', skus: ['BOOK-1', 'BOOK-2'] }])
  const id = await app.uploaded(
    [
      'filename,file_url,product_sku',
      ...['B00K-1', 'BOOK-l', 'BOOK-3', 'BOOK-2'].map(
        (sku, n) => `meant-${n}.pdf,${origin.url}/bytes/100/${n},${sku}`,
      ),
    ].join('\n'),
  )
  await app.checked(id, { probe: false })
  const group = await groupOf(id, 'sku_not_found')
  expect(group).toMatchObject({ rows: 3, fixes: ['meant', 'set', 'replace', 'leave_out'] })
  expect(Object.fromEntries(group.values.map((one: Answer['body']) => [one.value, one.did_you_mean]))) // oxfmt-ignore
    .toEqual({ 'B00K-1': 'BOOK-1', 'BOOK-l': 'BOOK-1', 'BOOK-3': null })
  const { body } = await call('GET', `/api/csv/${id}/rows?group=${group.id}`)
  const offered = body.data.map((row: Answer['body']) => row.problems[0].did_you_mean)
  expect(offered).toEqual(['BOOK-1', 'BOOK-1', null])
  const file = await fix(id, 'sku_not_found', { type: 'meant' })
  expect(file.check).toMatchObject({ warnings: 1 })
  expect(await groupOf(id, 'sku_not_found')).toMatchObject({
    rows: 1,
    fixes: ['set', 'replace', 'leave_out'],
  })
  await rechecked(id, await call('POST', `/api/csv/${id}/undo`))
  expect(await groupOf(id, 'sku_not_found')).toMatchObject({ rows: 3 })
})

soakTest('one SKU of several in a cell is corrected, and the others stay', async () => {
  const id = await app.uploaded(
    [
      'filename,file_url,product_sku',
      `several-1.pdf,${origin.url}/bytes/100/1,BOOK-1;GONE-1`,
      `several-2.pdf,${origin.url}/bytes/100/2,GONE-1;BOOK-2;GONE-2`,
    ].join('\n'),
  )
  expect((await app.checked(id, { probe: false })).check).toMatchObject({ errors: 0, warnings: 3 })
  expect((await groupOf(id, 'sku_not_found')).values).toMatchObject([
    { value: 'GONE-1', rows: 2 },
    { value: 'GONE-2', rows: 1 },
  ])
  await fix(id, 'sku_not_found', { type: 'set', text: 'BOOK-2' }, 'GONE-1')
  const file = await fix(id, 'sku_not_found', { type: 'set', text: '' })
  expect(file.check).toMatchObject({ warnings: 0 })
  expect((await textOf(id)).match(/[^,\n]*BOOK[^,\r\n]*/g)).toEqual(['BOOK-1;BOOK-2', 'BOOK-2'])
})
