import { PDFDocument, PDFName } from 'pdf-lib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addFile } from '../../../test/deliveries.ts'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { silent } from '../../../test/database.ts'
import { documentOf, encrypted, numberedPages, textsOf } from '../../../test/documents.ts'
import { findProgram } from '../../../test/programs.ts'
import { soakTest } from '../../../test/scale.ts'
import { toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import type { TaskRun } from '../../core/queue/background.ts'
import { sampleTask } from './task.ts'
import { wav } from '../../../test/sounds.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

interface Shown {
  sample: { url: string | null; size_bytes: number | null; problem: { code: string } | null } | null
}

const fileOf = (filename: string, bytes: Buffer) => addFile(app.engine, filename, bytes)

const change = (id: string, settings: object) =>
  app.owner.call('PATCH', `/api/files/${toPublicId('file', id)}`, settings)
const shown = async (id: string) =>
  ((await app.owner.call('GET', `/api/files/${toPublicId('file', id)}`)).body as Shown).sample
const task = () =>
  sampleTask({
    database: app.engine.parts.database,
    stores: app.stores,
    log: silent,
    clock: () => new Date(),
  })
const wanted = async (): Promise<string[]> => {
  const { rows } = await app.engine.parts.database.pool.query<{ key: string }>(
    present(task().wanted, 'The keys of the task'),
  )
  return rows.map(({ key }) => key)
}
const work = async () => {
  for (const key of await wanted())
    await task().run({
      shop: app.owner.scope.shop,
      key,
      attempt: 1,
      signal: new AbortController().signal,
    } as TaskRun)
}
/** The path of the sample. */
const pathOf = async (id: string) => new URL(present((await shown(id))?.url, 'The sample')).pathname
const fetchSample = (path: string, headers = {}) => fetch(app.url + path, { headers })

test('everyone reads the first pages of a document, until its sample is withdrawn', async () => {
  const source = await PDFDocument.load(documentOf(numberedPages(8)))
  // A link to the last page, which must not bring that page into the sample.
  const link = source.context.obj({ Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 9, 9] })
  link.set(PDFName.of('Dest'), source.context.obj([source.getPage(7).ref, 'Fit']))
  source.getPage(0).node.set(PDFName.of('Annots'), source.context.obj([link]))
  const file = await fileOf('Sea & sky.pdf', Buffer.from(await source.save()))
  expect(await shown(file)).toBeNull()
  expect((await change(file, { sample_pages: 2 })).status).toBe(200)
  expect(await shown(file)).toEqual({ url: null, size_bytes: null, problem: null })
  await work()
  const path = await pathOf(file)
  expect(path).toMatch(/^\/samples\/[0-9a-f]{32}\/Sea%20%26%20sky%20\(sample\)\.pdf$/)
  const answer = await fetchSample(path)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    'content-disposition': 'inline; filename="Sea & sky (sample).pdf"',
    'repr-digest': expect.stringMatching(/^sha-256=:[\w+/]{43}=:$/),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(await textsOf(bytes)).toEqual(['page 1', 'page 2'])
  expect(
    (await PDFDocument.load(bytes)).context
      .enumerateIndirectObjects()
      .filter(([, one]) => one.toString().includes('/Type /Page\n')),
  ).toHaveLength(2)
  const part = await fetchSample(path, { range: 'bytes=0-3' })
  expect([part.status, await part.text()]).toEqual([206, '%PDF'])
  const again = { 'if-none-match': present(answer.headers.get('etag'), 'The tag') }
  expect((await fetchSample(path, again)).status).toBe(304)
  expect(await wanted()).toEqual([])

  // At most half of it.
  await change(file, { sample_pages: 20 })
  await work()
  const longer = await fetchSample(path)
  expect(await textsOf(Buffer.from(await longer.arrayBuffer()))).toHaveLength(4)

  const { scope } = app.owner
  const write = (quarantine: string | null) =>
    scope.query(
      'update versions set quarantine = :quarantine where shop_id = :shop and file_id = :file',
      { file, quarantine },
    )
  await write('{"found": "Eicar"}')
  expect((await fetchSample(path)).status).toBe(404)
  await write(null)
  expect((await fetchSample(path)).status).toBe(200)

  await change(file, { sample_pages: null })
  expect((await fetchSample(path)).status).toBe(404)
  await work()
  expect([await wanted(), await shown(file)]).toEqual([[], null])
  await change(file, { sample_pages: 1 })
  await work()
  expect(await pathOf(file)).toBe(path)
  await app.owner.scope.query(
    'update files set deleted_at = now() where id = :file and shop_id = :shop',
    { file },
  )
  expect((await fetchSample(path)).status).toBe(404)
  expect((await fetchSample(`/samples/${'0'.repeat(32)}/x.pdf`)).status).toBe(404)
})

soakTest('a sample that cannot be made says why, and is not tried again', async () => {
  const closed = await fileOf(
    'closed.pdf',
    await encrypted(documentOf(numberedPages(4)), 'a', 'b', 256),
  )
  const torn = await fileOf('torn.pdf', Buffer.from('%PDF-1.7'))
  const short = await fileOf('short.pdf', documentOf(numberedPages(1)))
  const text = await fileOf('notes.txt', Buffer.from('notes'))
  for (const id of [closed, torn, short, text]) await change(id, { sample_pages: 3 })
  await work()
  const problem = async (id: string) => (await shown(id))?.problem?.code
  expect(await problem(closed)).toBe('encrypted')
  expect(await problem(torn)).toBe('damaged')
  expect(await problem(short)).toBe('too_short')
  expect(await shown(text)).toBeNull()
  expect(await wanted()).toEqual([])
})

soakTest('everyone hears the beginning of an audio file', async () => {
  expect(findProgram('ffmpeg')).not.toBeNull()
  const sound = wav(40, (place) => 128 + 100 * Math.sin(place / 3))
  const track = await fileOf('waves.wav', sound)
  await change(track, { sample_seconds: 30 })
  await work()
  const answer = await fetchSample(await pathOf(track))
  expect(answer.headers.get('content-type')).toBe('audio/mpeg')
  const { parseBuffer } = await import('music-metadata')
  const { format } = await parseBuffer(await answer.bytes(), { mimeType: 'audio/mpeg' })
  // At most half of it.
  expect(Math.round(present(format.duration, 'The duration'))).toBe(20)
})
