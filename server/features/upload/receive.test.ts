import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noteArrival, receiveUpload } from './receive.ts'

const MB = 1024 ** 2
const CHUNK = 256 * 1024

test('uploads whose clients pause hold at most 32 MB together', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-receive-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const pause = Promise.withResolvers<void>()
  const paths = Array.from({ length: 200 }, (_, at) => path.join(folder, String(at)))
  const sent = async function* () {
    yield Buffer.alloc(CHUNK)
    await pause.promise
  }
  const received = paths.map(async (file) => {
    await writeFile(file, '')
    const chunk = { bytes: sent(), offset: 0, limit: CHUNK, checksum: null }
    return receiveUpload(file, chunk)
  })
  const written = async () => {
    const sizes = await Promise.all(paths.map(async (file) => (await stat(file)).size))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  await expect.poll(written).toBeGreaterThanOrEqual(paths.length * CHUNK - 32 * MB)
  pause.resolve()
  expect(await Promise.all(received)).toEqual(paths.map(() => CHUNK))
  expect(await written()).toBe(paths.length * CHUNK)
})

test('notes once a minute that bytes arrive, also if a note fails', async () => {
  let now = 0
  async function* bytes() {
    for (const seconds of [1, 50, 10, 30, 59, 300]) {
      now += seconds * 1000
      yield Buffer.alloc(1)
    }
  }
  const notes: number[] = []
  const note = () => {
    notes.push(now / 1000)
    return Promise.reject(new Error('no database'))
  }
  let received = 0
  for await (const { length } of noteArrival(bytes(), note, () => now)) received += length
  expect({ received, notes }).toEqual({ received: 6, notes: [1, 61, 150, 450] })
})
