// A workflow that is not saved, tried on files: what it would do, and that it leaves nothing behind.
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest } from '../../../../test/scale.ts'
import { openTestApp, type TestApp } from '../../../../test/app.ts'
import { addFile } from '../../../../test/deliveries.ts'
import { photo } from '../../../../test/images.ts'
import { paidOrder } from '../../../../test/orders.ts'
import { toPublicId } from '../../../core/ids.ts'
import { addMappings } from '../../../files/mappings.ts'
import { reconcileOrder } from '../../orders/reconcile.ts'

const PRODUCT = 'gid://shopify/Product/1'
let app: TestApp
let picture: string
let notes: string
beforeAll(async () => {
  app = await openTestApp()
  const jpeg = await photo(1600, 1200).jpeg({ quality: 95 }).toBuffer()
  picture = toPublicId('file', await addFile(app.engine, 'Harbour.jpg', jpeg))
  notes = toPublicId('file', await addFile(app.engine, 'Notes.txt', Buffer.from('notes')))
})
afterAll(() => app.close())

const attempt = (steps: object[], more: object = {}, workflow: object = {}) =>
  app.owner.call('POST', '/api/workflows/try', {
    workflow: { name: '', kind: 'bulk', steps, ...workflow },
    ...more,
  })

interface Tried {
  file_id: string
  problem: string | null
  before: { size_bytes: number }
  after: { size_bytes: number }
  steps: { step: number; result: string }[]
  picture: { content_type: string; base64: string } | null
}

/** Everything that a trial must not change. */
async function state() {
  const rows = await app.owner.scope.query(
    `select (select json_agg(f order by id) from files f where shop_id = :shop) as files,
       (select count(*)::int from operations where shop_id = :shop) as operations,
       (select count(*)::int from workflows where shop_id = :shop) as workflows,
       (select count(*)::int from blobs where shop_id = :shop) as blobs,
       (select count(*)::int from packs where shop_id = :shop) as packs,
       (select count(*)::int from outbox where shop_id = :shop) as messages`,
  )
  const stored = await readdir(app.engine.folder, { recursive: true })
  return { rows, stored: stored.toSorted() }
}
const workFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('stevedore-work-'))

describe('a trial', () => {
  it('shows what would happen to each file, step by step, and leaves nothing behind', async () => {
    const [before, folders] = [await state(), await workFolders()]
    const { status, body } = await attempt([
      {
        plugin: 'optimize-image',
        options: { max_px: 400 },
        when: { type: ['image'] },
      },
      { plugin: 'rename-files', options: { pattern: 'Web {original}' } },
      { plugin: 'tag-files', options: { mode: 'add', tags: ['web'] } },
      { plugin: 'move-to-pack', options: { new_pack: 'Course' } },
      { plugin: 'notify' },
    ])
    expect(status).toBe(200)
    const files = new Map((body.data as Tried[]).map((file) => [file.file_id, file]))
    const { before: was, after, steps, picture: made, problem } = files.get(picture)!
    expect(problem).toBeNull()
    expect(was).toMatchObject({ filename: 'Harbour.jpg' })
    expect(after).toMatchObject({
      filename: 'Web Harbour.webp',
      packs: { added: ['Course'], removed: [] },
      tags: { added: ['web'], removed: [] },
    })
    expect(after.size_bytes).toBeLessThan(was.size_bytes)
    expect(steps.map(({ step, result }) => [step, result])).toEqual([
      [0, 'done'],
      [1, 'done'],
      [2, 'done'],
      [3, 'done'],
    ])
    expect(made!.content_type).toBe('image/webp')
    expect(Buffer.from(made!.base64, 'base64').length).toBe(after.size_bytes)
    expect(files.get(notes)).toMatchObject({
      after: { filename: 'Web Notes.txt' },
      picture: null,
      steps: [{ step: 0, result: 'other_files' }, {}, {}, {}],
    })
    expect(await state()).toEqual(before)
    // Other tests have such folders for a moment.
    const left = async () => (await workFolders()).filter((name) => !folders.includes(name))
    await expect.poll(left).toEqual([])
  })

  soakTest(
    'says of a step for buyers that it does nothing only where a file has none',
    async () => {
      const { engine, owner } = app
      const id = await addFile(engine, 'Sold.txt', Buffer.from('sold'))
      const mapping = { product_id: PRODUCT, product_title: '', variant_id: null, sku: null }
      const found = { score: 1, reason: '', method: 'manual' as const }
      await addMappings(owner.scope, [{ fileId: id, mapping: { ...mapping, ...found } }])
      await owner.scope.query(
        `update files set mapping_state = 'mapped' where shop_id = :shop and id = :id`,
        { id },
      )
      const order = paidOrder({ products: [PRODUCT] })
      await reconcileOrder(owner.scope, order, { secrets: engine.parts.secrets, now: new Date() })
      const before = await state()
      const { body } = await attempt(
        [
          { plugin: 'tag-files', options: { mode: 'add', tags: ['new'] } },
          { plugin: 'tell-buyers' },
        ],
        { file_ids: [toPublicId('file', id), notes] },
      )
      const tagged = { result: 'done', message: null }
      const nobody = { result: 'unchanged', message: 'No buyer with an email address has it' }
      expect((body.data as Tried[]).map(({ steps }) => steps)).toMatchObject([
        [tagged, tagged],
        [tagged, nobody],
      ])
      expect(await state()).toEqual(before)
    },
  )

  it('names the step that ends a file, and names that are taken', async () => {
    const { body } = await attempt(
      [
        { plugin: 'rename-files', options: { pattern: '{sku}' }, when: { type: ['image'] } },
        { plugin: 'rename-files', options: { pattern: 'Harbour.jpg', keep_extension: false } },
      ],
      { file_ids: [picture, notes] },
    )
    expect(body.data).toMatchObject([
      {
        filename: 'Harbour.jpg',
        problem: 'It has no SKU to be named after',
        steps: [{ step: 0, result: 'skipped', message: 'It has no SKU to be named after' }],
      },
      { filename: 'Notes.txt', problem: '“Harbour.jpg” is taken', before: null, after: null },
    ])
  })

  it('is checked like a workflow that is saved, and needs no name', async () => {
    const wrong = await attempt([{ plugin: 'tag-files', options: { mode: 'add', tags: [] } }])
    expect([wrong.status, wrong.body.error.param]).toEqual([422, 'workflow.steps[0].options.tags'])
    const foreign = await attempt([
      { plugin: 'move-to-pack', options: { pack: toPublicId('pack', crypto.randomUUID()) } },
    ])
    expect(foreign.body.error.param).toBe('workflow.steps[0].options.pack')
    const delivery = await attempt([{ plugin: 'stamp-pdf' }], {}, { kind: 'delivery' })
    expect(delivery.body.error.param).toBe('workflow.kind')
    const many = Array.from({ length: 11 }, () => picture)
    expect((await attempt([{ plugin: 'merge-tag-case' }], { file_ids: many })).status).toBe(422)
  })

  it('tries the steps of an import after fetching, and shows no other shop’s files', async () => {
    const stranger = await app.stranger('stranger.myshopify.com')
    const { body } = await stranger.call('POST', '/api/workflows/try', {
      workflow: {
        name: 'Imports',
        kind: 'import',
        steps: [
          { plugin: 'fetch-url' },
          { plugin: 'validate-file' },
          { plugin: 'tag-files', options: { mode: 'add', tags: ['new'] } },
        ],
      },
      file_ids: [notes],
    })
    expect(body.data).toMatchObject([{ filename: '', problem: expect.any(String), steps: [] }])
    const own = await attempt(
      [{ plugin: 'fetch-url' }, { plugin: 'validate-file' }],
      { file_ids: [notes] },
      { kind: 'import' },
    )
    expect(own.body.data[0].steps).toMatchObject([{ step: 0, result: 'not_tried' }, { step: 1 }])
  })
})
