import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RemoteFile, RemoteFiles } from '../rclone/remote-files.ts'
import { folderFiles } from './folder-files.ts'

const { signal } = new AbortController()
let place: string
let root: string
let files: RemoteFiles
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'stevedore-folder-'))
  root = path.join(place, 'root')
  await mkdir(path.join(root, 'sub/deep'), { recursive: true })
  await writeFile(path.join(root, 'one.txt'), 'one')
  await writeFile(path.join(root, 'sub/deep/two.txt'), 'two')
  await writeFile(path.join(place, 'secret.txt'), 'secret')
  files = folderFiles(root)
})
afterEach(() => rm(place, { recursive: true }))

async function list(of = files, page = 1000): Promise<RemoteFile[][]> {
  const pages: RemoteFile[][] = []
  await of.list({ signal, page, onPage: async (found) => void pages.push(found) })
  return pages
}
const fetched = (paths: string[]) =>
  Array.fromAsync(files.fetch(paths, { folder: place, bytes: 0, signal }))

it('lists all files with their hashes, in pages', async () => {
  const found = (await list(files, 1)).map(([one]) => one!)
  expect(found.sort((a, b) => (a.path < b.path ? -1 : 1))).toMatchObject([
    { path: 'one.txt', size_bytes: 3, hash: 'f97c5d29941bfb1b2fdab0874906ab82' },
    { path: 'sub/deep/two.txt', size_bytes: 3, modified_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  ])
  expect(await files.folders('', { signal, most: 10 })).toEqual(['sub'])
  expect(await files.folders('sub', { signal, most: 10 })).toEqual(['deep'])
})

it('a missing root is a missing folder', async () => {
  const missing = folderFiles(path.join(place, 'nowhere'))
  const refused = { code: 'cloud_folder_not_found' }
  await expect(list(missing)).rejects.toMatchObject(refused)
  await expect(missing.probe(signal)).rejects.toMatchObject(refused)
  await expect(missing.folders('', { signal, most: 1 })).rejects.toMatchObject(refused)
  await expect(files.probe(signal)).resolves.toBeUndefined()
})

it('copies objects, and reports those that are missing', async () => {
  const [one, gone] = await fetched(['one.txt', 'gone.txt'])
  expect(await readFile((one as { file: string }).file, 'utf8')).toBe('one')
  expect(gone).toMatchObject({ path: 'gone.txt', error: { code: 'cloud_file_not_found' } })
})

it('creates, replaces, renames and deletes objects', async () => {
  const put = await files.put('new/name.txt', path.join(root, 'one.txt'), signal)
  expect(put).toMatchObject({ path: 'new/name.txt', size_bytes: 3 })
  expect(await files.put('new/name.txt', path.join(place, 'secret.txt'), signal)).toMatchObject({
    size_bytes: 6,
  })
  expect(await files.move('new/name.txt', 'other/name.txt', signal)).toMatchObject({
    path: 'other/name.txt',
    size_bytes: 6,
  })
  await expect(files.move('new/name.txt', 'x.txt', signal)).rejects.toMatchObject({
    code: 'cloud_file_not_found',
  })
  await files.remove('other/name.txt', signal)
  await files.remove('other/name.txt', signal)
  await expect(files.stat('other/name.txt', signal)).rejects.toMatchObject({
    code: 'cloud_file_not_found',
  })
})

it('reaches nothing through a symbolic link or above the root', async () => {
  await symlink(place, path.join(root, 'out'))
  await symlink(path.join(place, 'secret.txt'), path.join(root, 'link.txt'))
  expect(
    (await list())
      .flat()
      .map(({ path: name }) => name)
      .sort(),
  ).toEqual(['one.txt', 'sub/deep/two.txt'])
  for (const name of ['link.txt', 'out/secret.txt', '../secret.txt']) {
    await expect(files.stat(name, signal)).rejects.toMatchObject({ code: 'cloud_name_unusable' })
    expect(await fetched([name])).toMatchObject([{ error: { code: 'cloud_name_unusable' } }])
  }
  await expect(
    files.put('out/planted.txt', path.join(root, 'one.txt'), signal),
  ).rejects.toMatchObject({ code: 'cloud_name_unusable' })
})
