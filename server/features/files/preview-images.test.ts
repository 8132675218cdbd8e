import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { makeFiles } from '../../../test/files.ts'
import { present } from '../../core/present.ts'
import { toPublicId } from '../../core/ids.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

/** A file with these bytes. */
async function addFile(filename: string, content_type: string, bytes: Buffer): Promise<string> {
  const { scope } = app.owner
  const store = present(app.stores.get('primary'), 'The primary storage')
  const written = await store.write(scope.shop, ReadableStream.from([bytes]))
  const hash = Buffer.from(written.hash, 'hex')
  const [id = ''] = await makeFiles(scope, [{ filename, size_bytes: bytes.length }])
  await scope.transaction(async (tx) => {
    await tx.insert('blobs', { hash, size_bytes: bytes.length })
    await tx.insert('blob_locations', { hash, location: 'primary' })
    await tx.query('delete from versions where shop_id = :shop and file_id = :id', { id })
    const version = { file_id: id, number: 1, hash, location: 'primary' }
    await tx.insert('versions', { ...version, size_bytes: bytes.length, content_type })
    await tx.query('update files set content_type = :content_type where shop_id = :shop and id = :id', { id, content_type }) // oxfmt-ignore
  })
  return toPublicId('file', id)
}

const preview = (id: string) => app.owner.call('GET', `/api/files/${id}/preview`)
const kept = () =>
  app.owner.scope.query<{ made: boolean }>(
    'select image is not null as made from preview_images where shop_id = :shop order by 1',
  )

test('makes a small picture of an image once; other files and damaged images have none', async () => {
  const large = { width: 2400, height: 1200, channels: 3, background: '#a33' } as const
  const png = await sharp({ create: large }).png().toBuffer()
  const image = await addFile('photo.png', 'image/png', png)
  const first = await preview(image)
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(first.headers.get('cache-control')).toBe('private, max-age=86400')
  const [row] = await app.owner.scope.query<{ image: Buffer }>(
    'select image from preview_images where shop_id = :shop',
  )
  expect(await sharp(row?.image).metadata()).toMatchObject({ width: 160, height: 80 })
  expect((await preview(image)).status).toBe(200)
  const damaged = await addFile('torn.png', 'image/png', png.subarray(0, 60))
  const text = await addFile('notes.pdf', 'application/pdf', Buffer.from('%PDF-1.7'))
  for (const id of [damaged, damaged, text]) expect((await preview(id)).status).toBe(404)
  expect(await kept()).toEqual([{ made: false }, { made: true }])
})
