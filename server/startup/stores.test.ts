import fs from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startLine } from '../../test/fakes/line.ts'
import { startS3, type FakeS3 } from '../../test/fakes/s3.ts'
import { ConfigError } from '../core/config-error.ts'
import { createLogger } from '../core/log.ts'
import { openStores } from './stores.ts'

let s3: FakeS3
let folder: string
beforeAll(async () => {
  s3 = await startS3()
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-stores-'))
})
afterAll(async () => {
  await s3.close()
  await rm(folder, { recursive: true })
})

const backup = () => ({ kind: 'disk' as const, folder: path.join(folder, 'backup') })
const open = async (change: Parameters<FakeS3['location']>[0]) => {
  const lines: string[] = []
  const stores = await openStores(
    { primary: s3.location(change), backup: backup() },
    createLogger('info', (line) => lines.push(line)),
  )
  return { stores, lines }
}

describe('the storage locations', () => {
  test('are opened by their names', async () => {
    const { stores, lines } = await open({})
    expect([...stores.keys()]).toEqual(['primary', 'backup'])
    expect(lines).toEqual([])
  })
  test.each([
    ['NoSuchBucket', { bucket: 'nowhere' }],
    [
      'SignatureDoesNotMatch',
      { credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'not the secret' } },
    ],
    [
      'InvalidAccessKeyId',
      { credentials: { accessKeyId: 'nobody', secretAccessKey: 'not the secret' } },
    ],
  ])('invalid ones are named at the start: %s', async (name, change) => {
    const error = await open(change).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).toContain(
      `STORAGE_PRIMARY: the bucket can't be used (${name}: `,
    )
    expect((error as Error).message).not.toContain('not the secret')
  })
  test('a folder in which the system cannot create folders is named at the start', async () => {
    const opening = openStores(
      { primary: { kind: 'disk', folder: '/proc/stevedore' } } as never,
      createLogger('info', () => {}),
    )
    await expect(opening).rejects.toThrow("STORAGE_PRIMARY: the folder can't be used (ENOENT")
  })
  test('unavailable ones are logged, and do not prevent the start', async () => {
    const line = await startLine(s3.port)
    line.cut()
    const { stores, lines } = await open({ endpoint: line.url })
    expect(stores.size).toBe(2)
    expect(lines).toEqual([expect.stringContaining('a storage location does not answer')])
    await line.close()
  })
  test('a failed write is logged for the operator, and not for each file', async () => {
    const lines: string[] = []
    const log = createLogger('info', (line) => lines.push(line))
    const primary = { kind: 'disk' as const, folder: path.join(folder, 'unmounted') }
    const store = (await openStores({ primary, backup: backup() }, log)).get('primary')!
    await rm(primary.folder, { recursive: true })
    const bytes = async function* () {
      yield Buffer.from('x')
    }
    for (let file = 0; file < 3; file++)
      await expect(store.write(1, bytes())).rejects.toMatchObject({ code: 'unavailable' })
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        level: 'error',
        location: 'primary',
        message: 'a storage location cannot be written: check its disk or bucket',
      }),
    ])
  })
  test('a folder that can only be read is logged, and its files can still be downloaded', async () => {
    const lines: string[] = []
    const log = createLogger('info', (line) => lines.push(line))
    const readOnly = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' })
    vi.spyOn(fs.promises, 'access').mockRejectedValueOnce(readOnly)
    onTestFinished(() => void vi.restoreAllMocks())
    const stores = await openStores({ backup: backup() } as never, log)
    expect([...stores.keys()]).toEqual(['backup'])
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        level: 'error',
        location: 'backup',
        error: readOnly.message,
        message: expect.stringContaining(
          'a storage location refuses writes: check its permissions',
        ),
      }),
    ])
  })
  test('a folder that cannot be made is named with its setting', async () => {
    const file = path.join(folder, 'a file')
    await writeFile(file, '')
    const primary = { kind: 'disk' as const, folder: path.join(file, 'files') }
    const opened = openStores({ primary, backup: backup() }, createLogger('error'))
    await expect(opened).rejects.toThrow(/STORAGE_PRIMARY: the folder can't be used \(ENOTDIR/)
  })
})
