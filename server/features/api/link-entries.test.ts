// Links as files: by the API, a CSV file and an upload, and what else is known of them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { linkAddressOf, linkProblem, shortcutText } from '../../../plugins/contract/index.ts'
import { openCsvApp, type CsvApp } from '../../../test/csv.ts'
import { untilEnded } from '../../../test/app.ts'
import { sendFile } from '../../../test/uploads.ts'
import type { EngineWorker } from '../../engine/worker.ts'

let app: CsvApp
let worker: EngineWorker
beforeAll(async () => {
  app = await openCsvApp()
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

const ADDRESS = 'https://courses.example.com/lino'
const call: CsvApp['owner']['call'] = (...given) => app.owner.call(...given)
const send = (filename: string, text: string) =>
  sendFile(app, Buffer.from(text), { metadata: { filename } }).done
const importOf = (...files: object[]) => call('POST', '/api/files/import', { files })
const read = async (id: string) => (await call('GET', `/api/files/${id}`)).body
const byName = async (name: string) =>
  (await call('GET', `/api/files?search=${encodeURIComponent(name)}`)).body.data[0]

it('an entry makes a link that has versions, and each can be restored', async () => {
  const { body } = await importOf({ filename: 'Course', link_url: `${ADDRESS}?A` })
  expect(body.files[0]).toMatchObject({ filename: 'Course.url', status: 'imported' })
  const id = body.files[0].file_id
  expect(await read(id)).toMatchObject({
    filename: 'Course.url',
    content_type: 'application/internet-shortcut',
    link_url: `${ADDRESS}?A`,
  })
  const replace = (given: object) => call('POST', `/api/files/${id}/versions`, given)
  expect((await replace({ link_url: `${ADDRESS}?A` })).body).toMatchObject({
    files: [{ status: 'unchanged' }],
  })
  await replace({ link_url: `${ADDRESS}?B` })
  expect((await read(id)).link_url).toBe(`${ADDRESS}?B`)
  const { data } = (await call('GET', `/api/files/${id}/versions`)).body
  expect(data.map(({ link_url }: { link_url: string }) => link_url)).toEqual([
    `${ADDRESS}?B`,
    `${ADDRESS}?A`,
  ])
  await call('POST', `/api/files/${id}/versions/1/restore`)
  expect((await read(id)).link_url).toBe(`${ADDRESS}?A`)
  // Under another name it is the same link.
  const { body: file } = await call('GET', `/api/files/${id}`)
  const headers = { 'if-match': `"${file.updated_at}"` }
  await call('PATCH', `/api/files/${id}`, { filename: 'Course' }, headers)
  expect(await read(id)).toMatchObject({ link_url: `${ADDRESS}?A` })
})

it('an address that buyers cannot be sent to is refused, with the entry', async () => {
  const { body } = await importOf(
    { filename: 'a', link_url: 'javascript:alert(1)' },
    { filename: 'b', link_url: 'https://ada:secret@example.com/' },
    { filename: 'c' },
    { filename: 'd', url: ADDRESS, link_url: ADDRESS },
  )
  expect(body.error.details.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3])
  expect(linkProblem(`https://example.com/${'a'.repeat(2000)}`)).toBe('too_long')
  // Look-alike letters of another script show.
  expect(linkAddressOf('https://аpple.example/')).toBe('https://xn--pple-43d.example/')
})

it('a file and a link do not replace each other', async () => {
  await send('guide.pdf', '%PDF-1.7 guide')
  await expect.poll(async () => (await byName('guide'))?.filename).toBe('guide.pdf')
  const { id } = await byName('guide')
  const refused = await call('POST', `/api/files/${id}/versions`, { link_url: ADDRESS })
  expect(refused).toMatchObject({ status: 422, body: { error: { param: 'link_url' } } })
})

it('an uploaded shortcut is a link, and one without an address is refused', async () => {
  await send('Shop.url', shortcutText(ADDRESS))
  await expect.poll(async () => (await byName('Shop'))?.link_url).toBe(ADDRESS)
  await send('Bad.url', '[InternetShortcut]\nURL=file:///etc/passwd')
  const list = async () => (await call('GET', '/api/operations?limit=1')).body.data[0]
  await expect.poll(async () => (await list()).failed).toBe(1)
  const items = (await call('GET', `/api/operations/${(await list()).id}/items`)).body.data
  expect(items[0].error).toMatchObject({ code: 'invalid_url' })
})

it('a CSV row with a link needs no file URL, and names the address that is wrong', async () => {
  const id = await app.uploaded(
    `filename,file_url,link_url\r\nWorkshop,,${ADDRESS}/1\r\nBroken,,ftp://example.com\r\n`,
  )
  await app.checked(id)
  expect(await app.problems(id, '&severity=error')).toMatchObject([
    { row: 3, column: 'link_url', value: 'ftp://example.com' },
  ])
  const { body } = await call('POST', `/api/csv/${id}/start`, { only_valid: true })
  await untilEnded(app.owner, body.job_id)
  expect(await byName('Workshop')).toMatchObject({
    filename: 'Workshop.url',
    link_url: `${ADDRESS}/1`,
  })
})
