// One flipped bit, and every plugin that reads bytes: the damage becomes neither a new version, nor a
// new file, nor a part of a document. With a good copy at hand, the plugin gets that.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import { parsePublicId, toPublicId } from '../../server/core/ids.ts'
import { openTestApp, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { documentOf } from '../documents.ts'
import { soakTest } from '../scale.ts'

let app: TestApp
let stop: () => Promise<void>
beforeAll(async () => {
  app = await openTestApp()
  stop = (await app.engine.startWorker()).stop
})
afterAll(async () => {
  await stop()
  await app.close()
})

/** The options of each plugin that reads the bytes of files; `null`: an import or a delivery. */
const OPTIONS: Readonly<Record<string, Record<string, unknown> | null>> = {
  'back-up-files': {},
  'change-storage': { location: 'backup', keep: false },
  'merge-pdf': { filename: 'merged.pdf' },
  'optimize-image': { max_px: 16 },
  'optimize-pdf': {},
  'split-pdf': { every: 1 },
  'watermark-pdf': { text: 'SAMPLE' },
  'zip-files': {},
  // The same port as the documents above, in a delivery: server/ports/repair.test.ts.
  'stamp-pdf': null,
  // Reads a ZIP archive: plugins/unpack-zip/plugin.test.ts.
  'unpack-zip': null,
}
const READING = appConfig({})
  .plugins.filter(
    ({ id, needs }) =>
      id === 'zip-files' || (needs ?? []).some((need) => /^(?:bytes|stored)$/.test(need)),
  )
  .map(({ id }) => id)

/** The plugins that get the bytes in different ways: by a port, in the store, in an archive. */
const WAYS_TO_BYTES = ['merge-pdf', 'change-storage', 'zip-files']

test('each plugin that reads bytes is tried', () => {
  expect(Object.keys(OPTIONS).sort()).toEqual([...READING].sort())
})

/** A small document, because most of the time is the plugins' own; no two are equal. */
const twoPages = async (text: string) =>
  Buffer.from(await documentOf([1, 2].map((n) => ({ draws: pageText(`${n} of ${text}`) }))))
const pageText = (text: string) => `BT /F 24 Tf 40 150 Td (${text}) Tj ET`

let made = 0
async function addTwo(plugin: string) {
  const at = made++
  const isImage = plugin === 'optimize-image'
  const bytes = isImage
    ? await sharp({ create: { width: 40, height: 40 + at, channels: 3, background: 'red' } })
        .png()
        .toBuffer()
    : await twoPages(`${at} first`)
  const names = [1, 2].map((one) => `${plugin}-${at}-${one}.${isImage ? 'png' : 'pdf'}`)
  const other = isImage ? bytes : await twoPages(`${at} second`)
  const ids = [
    await addFile(app.engine, names[0]!, bytes),
    await addFile(app.engine, names[1]!, other),
  ]
  const { hash } = await app.owner.scope.one<{ hash: string }>(
    `select encode(hash, 'hex') as hash from versions where shop_id = :shop and file_id = :id`,
    { id: ids[0]! },
  )
  return {
    ids,
    bytes,
    blob: path.join(app.engine.folder, 'primary', String(app.owner.scope.shop), hash),
  }
}

async function flipBit(blob: string): Promise<void> {
  const bytes = await readFile(blob)
  const at = bytes.length >> 1
  bytes[at]! ^= 1
  await writeFile(blob, bytes)
}

async function act(plugin: string, ids: readonly string[]) {
  const { status, body } = await app.owner.call('POST', '/api/operations', {
    action: plugin,
    select: { file_ids: ids.map((id) => toPublicId('file', id)) },
    options: OPTIONS[plugin],
  })
  expect([status, body.error]).toEqual([202, undefined])
  const ended = await app.engine.untilEnd(parsePublicId('op', body.id)!)
  return JSON.parse(JSON.stringify(ended)) as {
    operation: { status: string }
    items: { status: string; file_id: string | null }[]
  }
}
const counted = () =>
  app.owner.scope.one<{ versions: number; files: number; artifacts: number; blobs: number }>(
    `select (select count(*)::int from versions where shop_id = :shop) as versions,
       (select count(*)::int from files where shop_id = :shop) as files,
       (select count(*)::int from artifacts where shop_id = :shop) as artifacts,
       (select count(*)::int from blob_locations where shop_id = :shop and location = 'backup'
         and unneeded_since is null) as blobs`,
  )

describe.each(Object.keys(OPTIONS).filter((plugin) => OPTIONS[plugin] !== null))('%s', (plugin) => {
  test('refuses a damaged file by a stable code', async () => {
    const { ids, blob } = await addTwo(plugin)
    await flipBit(blob)
    const before = await counted()
    const given = plugin === 'merge-pdf' || plugin === 'zip-files' ? ids : ids.slice(0, 1)
    const ended = await act(plugin, given)
    expect(JSON.stringify(ended)).toContain('file_damaged')
    expect(await counted()).toEqual(before)
  })

  const repaired = WAYS_TO_BYTES.includes(plugin) ? test : soakTest
  repaired('works on the good copy of the backup', async () => {
    const { ids, bytes, blob } = await addTwo(plugin)
    const backup = app.stores.get('backup')!
    await backup.write(app.owner.scope.shop, Readable.from([bytes]))
    await flipBit(blob)
    const { operation, items } = await act(plugin, ids)
    expect([
      operation.status,
      items.map(({ status }) => status).filter((one) => one === 'failed'),
    ]).toEqual(['success', []])
    if (plugin !== 'change-storage') expect(await readFile(blob)).toEqual(bytes)
  })
})
