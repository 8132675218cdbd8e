import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, untilEnded, type TestApp } from '../../../test/app.ts'
import { sendFile } from '../../../test/uploads.ts'
import { storeSums } from '../../files/sha256-sums.ts'
import type { EngineWorker } from '../../engine/worker.ts'

let app: TestApp
let worker: EngineWorker
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

const sumOf = (text: string) => createHash('sha256').update(text).digest('hex')
const offer = (filename: string, text: string) => ({
  filename,
  size_bytes: Buffer.byteLength(text),
  sha256: sumOf(text),
})
const check = async (...files: object[]) =>
  (await app.owner.call('POST', '/api/uploads/check', { files })).body.data

test('files are compared with those of the shop by name and bytes before they are sent', async () => {
  const { body: batch } = await app.owner.call('POST', '/api/uploads/batches', {})
  await sendFile({ url: app.url, key: app.owner.key }, Buffer.from('first'), {
    metadata: { filename: 'a.txt', batch: batch.id },
  }).done
  const { body } = await app.owner.call('POST', `/api/uploads/batches/${batch.id}/start`)
  await untilEnded(app.owner, body.id)
  expect(await check(offer('b.txt', 'first'))).toEqual([
    { status: 'new', file: null, same_bytes_as: null, reason: 'digest_pending' },
  ])
  // The digest of a file that has the name and the size is computed for the request.
  const file = { file_id: expect.any(String) as unknown, filename: 'a.txt' }
  expect(await check(offer('a.txt', 'first'))).toEqual([
    { status: 'unchanged', file, same_bytes_as: file },
  ])
  const { scope } = app.owner
  await scope.query('update blobs set sha256 = null where shop_id = :shop')
  const { hash } = await scope.one<{ hash: string }>(
    `select encode(hash, 'hex') as hash from blobs where shop_id = :shop`,
  )
  await storeSums(scope, [{ hash, sha256: sumOf('first') }])
  const answers = await check(
    offer('A.txt', 'first'),
    offer('b.txt', 'first'),
    offer('a.txt', 'other'),
    offer('c.txt', 'third one'),
  )
  expect(answers).toEqual([
    { status: 'unchanged', file, same_bytes_as: file },
    { status: 'same_bytes_as', file, same_bytes_as: file },
    { status: 'name_taken', file, same_bytes_as: null },
    { status: 'new', file: null, same_bytes_as: null },
  ])
})
