import { expect, test } from 'vitest'
import { createSftpHandles, MAX_HANDLES, type SftpHandle } from './sftp-handles.ts'

const ended: string[] = []
const reading = (path: string): SftpHandle => ({
  kind: 'read',
  path,
  file: { close: async () => void ended.push(path) } as never,
})
const writing = (path: string): SftpHandle => ({
  kind: 'write',
  path,
  append: false,
  readable: false,
  transfer: { abandon: async () => void ended.push(path) } as never,
})

test('files that are still being opened count towards the limit', async () => {
  const handles = createSftpHandles({ count: 0 }, () => {})
  const opened = Promise.withResolvers<SftpHandle>()
  const asked = Array.from({ length: MAX_HANDLES + 5 }, () => handles.open(() => opened.promise))
  opened.resolve(reading('a'))
  const refused = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(5)
  handles.remove((await asked[0])!)
  await expect(handles.open(() => Promise.reject(new Error('no such file')))).rejects.toThrow()
  await handles.open(() => Promise.resolve(reading('a')))
  await expect(handles.open(() => Promise.resolve(reading('a')))).rejects.toThrow(/Too many/)
})

test('the end of the channel closes its files, also one that was being opened', async () => {
  const failed: unknown[] = []
  const connection = { count: 0 }
  const handles = createSftpHandles(connection, (error) => failed.push(error))
  const opened = Promise.withResolvers<SftpHandle>()
  const late = handles.open(() => opened.promise)
  await handles.open(() => Promise.resolve(reading('read')))
  await handles.open(() => Promise.resolve(writing('written')))
  const broken = { close: () => Promise.reject(new Error('EIO')) } as never
  await handles.open(() => Promise.resolve({ kind: 'read', path: 'broken', file: broken }))
  ended.length = 0
  handles.close()
  opened.resolve(reading('late'))
  await expect(late).rejects.toThrow()
  expect(ended).toEqual(['read', 'written', 'late'])
  expect(failed).toEqual([new Error('EIO')])
})

test('a file that its client closes is not interrupted by the end of the channel', async () => {
  const connection = { count: 0 }
  const handles = createSftpHandles(connection, () => {})
  const given = await handles.open(() => Promise.resolve(writing('whole')))
  await handles.open(() => Promise.resolve(writing('half')))
  ended.length = 0
  handles.closing(given)
  handles.close()
  expect(ended).toEqual(['half'])
  expect(handles.remove(given)).toMatchObject({ path: 'whole' })
  expect(connection.count).toBe(0)
})
