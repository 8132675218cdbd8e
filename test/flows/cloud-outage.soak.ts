// A provider that is down: reported in time, and synced again soon.
import { expect, test } from 'vitest'
import { useClouds } from '../cloud.ts'
import { promisedMs } from '../scale.ts'

const { app, bucket, clouds } = await useClouds()

const PROMISED_MS = promisedMs(120_000)
const HOUR = 3_600_000

/** Syncs while the provider is down, and checks what the connection says. */
async function expectReported(id: string, promised = PROMISED_MS): Promise<void> {
  const { body } = await app.owner.call('POST', `/api/connections/${id}/sync`, {})
  await expect
    .poll(() => app.get(`/api/operations/${body.id}`), { timeout: promised, interval: 500 })
    .toMatchObject({ status: 'failed', total: 0 })
  const connection = await app.get(`/api/connections/${id}`)
  expect(connection).toMatchObject({ state: 'failing', error: { code: 'cloud_unreachable' } })
  expect(Date.parse(connection.next_sync_at)).toBeLessThanOrEqual(Date.now() + HOUR)
}

test('a bucket that answers only 500 is reported within two minutes', async () => {
  bucket.put('down/file.txt', 'file')
  const id = await app.connect({ ...bucket.connection('down'), frequency_hours: 24 })
  bucket.intercept = () => ({ status: 500, code: 'InternalError' })
  await expectReported(id)
  bucket.intercept = () => null
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
})

test('a Google Drive that answers only 503 is reported within two minutes', async () => {
  clouds.put('down/file.txt', 'file')
  const id = await app.connect({ provider: 'google_drive', folder: 'down', frequency_hours: 24 })
  await app.authorize(id)
  clouds.intercept = ({ path }) =>
    path.startsWith('/drive/') ? { status: 503, body: { error: { code: 503 } } } : null
  await expectReported(id)
  clouds.intercept = () => null
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
})

test('a bucket that accepts connections and never answers is reported within four minutes', async () => {
  bucket.put('silent/silent.txt', 'file')
  const id = await app.connect({ ...bucket.connection('silent'), frequency_hours: 24 })
  const released = Promise.withResolvers<null>()
  bucket.intercept = () => released.promise
  await expectReported(id, promisedMs(240_000))
  bucket.intercept = () => null
  released.resolve(null)
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
})
