// A ZIP file of selected files, from the operation to the programs that unpack it.
import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inEnglish } from '../../../test/english.ts'
import type { Workflow } from '../../../plugins/contract/index.ts'
import { zipFiles } from '../../../plugins/zip-files/plugin.ts'
import { addFile } from '../../../test/deliveries.ts'
import { createTestEngine, type TestEngine } from '../../../test/engine.ts'
import { locateArtifact } from '../../files/artifacts.ts'

const run = promisify(execFile)

const workflow: Workflow = {
  id: 'zip',
  title: 'ZIP',
  action: 'zip-files',
  kind: 'bulk',
  parallel: 1,
  steps: [{ id: 'zip', plugin: 'zip-files' }],
}

let house: TestEngine
let stop: () => Promise<void>
beforeAll(async () => {
  house = await createTestEngine([zipFiles], [])
  stop = (await house.startWorker()).stop
})
afterAll(async () => {
  await stop()
  await house.close()
})

/** The path of a blob in the store. */
async function blobPath(hash: string): Promise<string> {
  const files = await readdir(house.folder, { recursive: true })
  const found = files.find((file) => file.includes(hash))
  if (!found) throw new Error(`There is no blob ${hash}`)
  return path.join(house.folder, found)
}

test('a selection becomes one ZIP file without the files that were deleted; names are unique and safe', async () => {
  const large = Buffer.alloc(600_000, 'pages ')
  const ids = [
    await addFile(house, 'Tide tables.pdf', large),
    await addFile(house, 'what?.txt', Buffer.from('first')),
    await addFile(house, 'what*.txt', Buffer.from('second')),
    await addFile(house, 'gone.txt', Buffer.from('gone')),
  ]
  await house.scope.query(
    `update files set deleted_at = now() where shop_id = :shop and filename = 'gone.txt'`,
  )
  const preview = await house.startOn(workflow, { ids, dryRun: true })
  await expect
    .poll(async () => inEnglish((await house.engine.get(house.scope, preview))?.intentions))
    .toEqual([expect.stringMatching(/^files-\d{4}-\d\d-\d\d\.zip: 3 files, 586 KB$/)])
  for (const round of [1, 2]) {
    const { operation } = await house.untilEnd(await house.startOn(workflow, { ids }))
    expect([round, operation.status, operation.done, operation.skipped]).toEqual([
      round,
      'success',
      3,
      1,
    ])
    const artifact = (await locateArtifact(house.scope, operation.id))!
    expect(artifact.content_type).toBe('application/zip')
    const file = path.join(house.folder, 'made.zip')
    await writeFile(file, await readFile(await blobPath(artifact.hash)))
    const { stdout } = await run('unzip', ['-Z1', file])
    expect(stdout.trim().split('\n')).toEqual(['Tide tables.pdf', 'what_.txt', 'what_ (2).txt'])
    const { stdout: second } = await run('unzip', ['-p', file, 'what_ (2).txt'])
    expect(second).toBe('second')
    await run('unzip', ['-tq', file])
  }
})

test('a file that cannot be read is named, and there is no ZIP file', async () => {
  const id = await addFile(house, 'lost.bin', Buffer.alloc(300_000, 7))
  const [row] = await house.scope.query<{ hash: string }>(
    `select encode(hash, 'hex') as hash from versions where shop_id = :shop and file_id = :id`,
    { id },
  )
  await rm(await blobPath(row!.hash))
  const { operation } = await house.untilEnd(await house.startOn(workflow, { ids: [id] }))
  expect(operation).toMatchObject({
    status: 'failed',
    stopped: { code: 'storage_failed', message: '“lost.bin” could not be read' },
  })
  expect(await locateArtifact(house.scope, operation.id)).toBeNull()
})
