// `search` has one meaning: lists of files, packs, links, tags, products and items of an operation, and
// the selection of an operation find words in any order, in any case and with any accents.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { someOf } from '../../../test/scale.ts'
import { openTestApp, untilEnded, type TestApp } from '../../../test/app.ts'
import { makeFiles } from '../../../test/files.ts'
import { fillMirror } from '../../../test/mirror.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { toPublicId } from '../../core/ids.ts'

const NAME = 'Café Über-Straße'
let app: TestApp
let worker: EngineWorker
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
  const { owner } = app
  await fillMirror(owner.scope, [{ title: NAME }, { title: 'Other' }])
  const [file] = await makeFiles(owner.scope, [
    { filename: 'one.pdf', tags: [NAME] },
    { filename: 'other.pdf', tags: ['Other'] },
  ])
  const file_ids = [toPublicId('file', file!)]
  for (const name of [NAME, 'Other']) await owner.call('POST', '/api/packs', { name })
  await owner.call('POST', '/api/links', { file_ids, email: 'a@example.com' })
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

const found = async (path: string, search: string): Promise<Record<string, unknown>[]> =>
  (await app.owner.call('GET', `${path}?search=${encodeURIComponent(search)}`)).body.data

describe.each(
  someOf(
    ['strasse cafe', 'ÜBER', 'CAFE\u0301', 'ｃａｆｅ uber', 'uber‐strasse'] as const,
    (_, at) => at < 1,
  ),
)('%s', (search) => {
  it.each([
    ['/api/files', 'filename', 'one.pdf'],
    ['/api/tags', 'tag', NAME],
    ['/api/packs', 'name', NAME],
    ['/api/products', 'title', NAME],
    ['/api/links', 'filename', 'one.pdf'],
  ])('is found in %s', async (path, field, value) => {
    expect((await found(path, search)).map((row) => row[field])).toEqual([value])
  })

  it('selects the files that the list shows, whose items are found by their names', async () => {
    const { body } = await app.owner.call('POST', '/api/operations', {
      action: 'tag-files',
      options: { mode: 'add', tags: ['x'] },
      select: { filter: { search } },
    })
    expect(await untilEnded(app.owner, body.id)).toMatchObject({ total: 1, done: 1 })
    expect(await found(`/api/operations/${body.id}/items`, 'PDF one')).toHaveLength(1)
    expect(await found(`/api/operations/${body.id}/items`, 'two')).toEqual([])
  })
})
