// What entries of the API name beside their addresses: products by SKUs, handles and ids, and hashes.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestApp, untilEnded, type TestApp } from '../../../test/app.ts'
import { contentOf, sha256Of } from '../../../test/fakes/content.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { fillMirror } from '../../../test/mirror.ts'

let app: TestApp
let origin: Origin
beforeAll(async () => {
  ;[app, origin] = await Promise.all([openTestApp(), startOrigin()])
})
afterAll(async () => {
  await Promise.all([app.close(), origin.close()])
})

it('all products that an entry names are attached, and an unknown one is a warning', async () => {
  await fillMirror(app.owner.scope, [
    { title: 'First', skus: ['A-1'] },
    { title: 'Second', skus: ['A-2'] },
  ])
  const [first, second] = await app.owner.scope.query<{ id: string; handle: string }>(
    'select id, handle from products where shop_id = :shop order by title',
  )
  const worker = await app.engine.startWorker()
  try {
    const { body } = await app.owner.call('POST', '/api/files/import', {
      files: [
        {
          filename: 'both.pdf',
          url: `${origin.url}/bytes/10/a`,
          product_skus: ['NO-1', 'NO-2'],
          product_handle: first!.handle,
          product_id: second!.id,
        },
      ],
    })
    await untilEnded(app.owner, body.job_id)
    const [file] = body.files
    expect(file).toMatchObject({
      status: 'imported',
      product_mapped: true,
      warnings: [
        { code: 'sku_not_found', message: 'Product SKU not found: NO-1' },
        { code: 'sku_not_found', message: 'Product SKU not found: NO-2' },
      ],
    })
    const { products } = (await app.owner.call('GET', `/api/files/${file.file_id}`)).body
    expect(products).toEqual([first!.id, second!.id])
  } finally {
    await worker.stop()
  }
})

it('an entry whose bytes have another SHA-256 fails alone', async () => {
  const worker = await app.engine.startWorker()
  try {
    const entry = (filename: string, sha256: string) => ({
      filename,
      url: `${origin.url}/bytes/10/hashed`,
      sha256,
    })
    const right = sha256Of(contentOf(10, 'hashed'))
    const { body } = await app.owner.call('POST', '/api/files/import', {
      files: [entry('right.pdf', right.toUpperCase()), entry('wrong.pdf', '0'.repeat(64))],
    })
    await untilEnded(app.owner, body.job_id)
    expect(body).toMatchObject({
      status: 'partial',
      files: [
        { status: 'imported' },
        { status: 'failed', error: { code: 'sha256_mismatch', retryable: false } },
      ],
    })
    const malformed = { files: [entry('no-hash.pdf', 'abc')] }
    expect((await app.owner.call('POST', '/api/files/import', malformed)).status).toBe(422)
  } finally {
    await worker.stop()
  }
})

soakTest(
  'settings and the pack of an entry are those of the file, also of one that has its bytes',
  async () => {
    const worker = await app.engine.startWorker()
    const read = async (id: string) => (await app.owner.call('GET', `/api/files/${id}`)).body
    const imports = async (entry: object, on_conflict = 'error') => {
      const files = [{ filename: 'whole.pdf', url: `${origin.url}/bytes/10/whole`, ...entry }]
      const { body } = await app.owner.call('POST', '/api/files/import', { files, on_conflict })
      await untilEnded(app.owner, body.job_id)
      return body.files[0]
    }
    const settings = {
      visibility: 'public',
      cdn: false,
      download_notification: true,
      download_tracking: false,
      allowed_referrers: ['shop.example.com'],
      sample_pages: 3,
      sample_seconds: 30,
    }
    try {
      const { file_id: id } = await imports({ ...settings, pack: 'Kit' })
      const file = await read(id)
      expect(file).toMatchObject({ ...settings, pack: { name: 'Kit' } })
      expect(file.public_url).toContain('/files/')
      const changed = { visibility: 'private', allowed_referrers: [], pack: 'Box' }
      await imports(changed, 'new_version')
      const { pack, ...stated } = changed
      expect(await read(id)).toMatchObject({
        ...stated,
        cdn: false,
        pack: { name: pack },
        version: 1,
      })
      await imports({ pack: null, url: `${origin.url}/bytes/11/whole` }, 'new_version')
      expect(await read(id)).toMatchObject({ pack: null, version: 2 })
      await imports({ pack: 'Kit', url: `${origin.url}/bytes/12/whole` }, 'overwrite')
      expect(await read(id)).toMatchObject({ pack: { name: 'Kit' } })
      await imports({ pack: null, url: `${origin.url}/bytes/13/whole` }, 'overwrite')
      expect(await read(id)).toMatchObject({ pack: null })
    } finally {
      await worker.stop()
    }
  },
)
