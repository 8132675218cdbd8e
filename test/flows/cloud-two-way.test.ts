// Two-way connections: changes go both ways, both versions are kept after a conflict, and nothing
// at the provider is replaced unless the sync has seen it.
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { untilEndedOrPreview, useSampleFolder } from '../cloud.ts'
import { soakTest, someOf } from '../scale.ts'

const app = await useSampleFolder()
const { lastSync } = app

/** Contents at the provider by path, and contents of the shop's files by name. */
async function there(folder: string): Promise<Record<string, string>> {
  const root = path.join(app.folder, folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const read = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name)
    return [path.relative(root, file), await readFile(file, 'utf8')]
  })
  return Object.fromEntries(await Promise.all(read)) as Record<string, string>
}

/**
 * Creates a connection with five more files, so that one deletion stays below the limit. The
 * `first` sync is confirmed, because it may send files.
 */
async function begin(folder: string, files: Record<string, string>, more: object = {}) {
  const fill = Object.fromEntries(
    Array.from({ length: 5 }, (_, n) => [`fill ${folder} ${n}`, `${n}`]),
  )
  for (const [name, content] of Object.entries({ ...files, ...fill }))
    await app.put({ [`${folder}/${name}`]: content })
  const include = [`*${folder}*`]
  const id = await app.connect({ provider: 'demo', folder, direction: 'two_way', include, ...more })
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
  return { id, files: await app.files() }
}

const rest = (folder: string, of: Record<string, string>) =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !name.startsWith(`fill ${folder}`)))
const nothingLeft = async (id: string) =>
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })

test('sends changes both ways, keeps both versions of a conflict, and replaces no other object', async () => {
  const given = {
    'a both.txt': 'a',
    'b both.txt': 'b',
    'c both.txt': 'c',
    'd both.txt': 'd',
    'twin both.txt': 'top',
    'x/twin both.txt': 'in x',
    'left both.tmp': 'theirs',
  }
  const { id, files } = await begin('both', given, { exclude: ['*.tmp'] })
  expect(files).not.toHaveProperty(['left both.tmp'])
  const [top, inner] = ['twin both.txt', 'twin both (2).txt']
  // The object that the first name belongs to.
  const [outer, other] = files[top].size_bytes === 3 ? [top, inner] : [inner, top]
  await app.owner.call('PATCH', `/api/files/${files[outer].id}`, { filename: 'free both.txt' })
  await app.replace(files['a both.txt'].id, 'ours of a')
  await app.replace(files['d both.txt'].id, 'ours of d')
  await app.put({ 'both/b both.txt': 'theirs of b', 'both/d both.txt': 'theirs of d' })
  await app.put({ 'both/free both.txt': 'theirs, new' })
  await app.owner.call('POST', '/api/files/bulk-delete', { file_ids: [files['c both.txt'].id] })
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
  expect(rest('both', await there('both'))).toEqual({
    'a both.txt': 'ours of a',
    'b both.txt': 'theirs of b',
    'd both.txt': 'theirs of d',
    'd both (from Stevedore).txt': 'ours of d',
    'free both.txt': 'theirs, new',
    'free both (from Stevedore).txt': 'top',
    'x/twin both.txt': 'in x',
    'left both.tmp': 'theirs',
  })
  const after = await app.files()
  expect(after).toHaveProperty('d both (from Sample folder).txt')
  expect(after).toHaveProperty([other])
  expect(after['d both.txt'].id).toBe(files['d both.txt'].id)
  expect(await lastSync(id)).toMatchObject({ uploaded: 2, changed: 1, conflicts: 1, removed: 1 })
  expect((await app.get('/api/notices')).data[0]).toMatchObject({
    title: 'Sync of “Sample folder/both” complete',
    body: expect.stringMatching(/^3 of 7 files imported, 3 sent, 1 skipped, 3 not mapped/),
  })
  await nothingLeft(id)
})

soakTest('keeps a second conflict of the same file too', async () => {
  const { id, files } = await begin('again', { 'a again.txt': 'a' })
  const { id: file } = files['a again.txt']
  await app.replace(file, 'ours, first')
  await app.put({ 'again/a again.txt': 'theirs, first' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
  await app.replace(file, 'ours, second')
  await app.put({ 'again/a again (from Stevedore).txt': 'theirs, second' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
  expect(rest('again', await there('again'))).toEqual({
    'a again.txt': 'theirs, first',
    'a again (from Stevedore).txt': 'theirs, second',
    'a again (from Stevedore 2).txt': 'ours, second',
  })
  await nothingLeft(id)
})

soakTest(
  'a file that was moved at the provider and changed in the shop is sent by the next sync',
  async () => {
    const { id, files } = await begin('moved', { 'a moved.txt': 'a', 'x/b moved.txt': 'b' })
    await app.replace(files['a moved.txt'].id, 'ours of a')
    await app.owner.call('PATCH', `/api/files/${files['b moved.txt'].id}`, {
      filename: 'c moved.txt',
    })
    const move = async (from: string, to: string) => {
      await mkdir(path.join(app.folder, 'moved', path.dirname(to)), { recursive: true })
      await rename(path.join(app.folder, 'moved', from), path.join(app.folder, 'moved', to))
    }
    await move('a moved.txt', 'renamed moved.txt')
    await move('x/b moved.txt', 'y/b moved.txt')
    expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
    expect((await app.files())['renamed moved.txt'].id).toBe(files['a moved.txt'].id)
    expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
    expect(rest('moved', await there('moved'))).toEqual({
      'renamed moved.txt': 'ours of a',
      'y/c moved.txt': 'b',
    })
    await nothingLeft(id)
  },
)

test.each(someOf(['keep', 'unmap'], (deletions) => deletions === 'unmap'))(
  '%s: a file deleted at the provider is kept in the shop and not sent again',
  async (deletions) => {
    const folder = `gone ${deletions}`
    const { id, files } = await begin(folder, { [`a ${folder}.txt`]: 'a' }, { deletions })
    await rm(path.join(app.folder, folder, `a ${folder}.txt`))
    const { id: file } = files[`a ${folder}.txt`]
    await app.map(file)
    expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
    const { mappings } = await app.get(`/api/files/${file}`)
    expect(mappings).toHaveLength(deletions === 'keep' ? 1 : 0)
    await nothingLeft(id)
    expect(await there(folder)).not.toHaveProperty([`a ${folder}.txt`])
    // A change in the shop overrides the deletion.
    await app.replace(file, 'ours')
    expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
    expect(await there(folder)).toHaveProperty([`a ${folder}.txt`], 'ours')
    await nothingLeft(id)
  },
)

soakTest('a first sync that would send files waits for confirmation, and names them', async () => {
  await mkdir(path.join(app.folder, 'sends'), { recursive: true })
  await app.put({ 'source/ours sends.txt': 'ours' })
  const source = await app.connect({ provider: 'demo', folder: 'source' })
  await app.sync(source)
  await app.owner.call('DELETE', `/api/connections/${source}`)
  const given = {
    provider: 'demo',
    folder: 'sends',
    direction: 'two_way',
    include: ['* sends.txt'],
  }
  const id = await app.connect(given)
  const preview = await app.sync(id)
  expect(preview).toMatchObject({ status: 'previewed', total: 1 })
  expect(await lastSync(id)).toMatchObject({ preview_reason: 'uploads', uploaded: 1 })
  expect(await there('sends')).toEqual({})
  await app.owner.call('POST', `/api/operations/${preview.id}/confirm`)
  expect(await untilEndedOrPreview(app, preview.id)).toMatchObject({ status: 'success', failed: 0 })
  expect(await there('sends')).toEqual({ 'ours sends.txt': 'ours' })
  await nothingLeft(id)
})
