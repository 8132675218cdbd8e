import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { inEnglish } from '../../test/english.ts'
import { documentItem, documentOf, encrypted, numberedPages } from '../../test/documents.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { FinishedItem, Notifier, OperationView, WriteContext } from '../contract/index.ts'
import { mergePdf } from './plugin.ts'

let house: TestEngine
beforeAll(async () => void (house = await createTestEngine([], [])))
afterAll(() => house.close())

const context = async (): Promise<WriteContext> => {
  const { bytes, sandbox, stage } = await house.parts.ports(house.scope)
  return writeContext({ bytes, sandbox, stage })
}
const silent: Notifier = { email: () => {}, notice: () => {}, sms: () => {} }
const document = documentOf(numberedPages(2))
async function item(filename: string, bytes: Uint8Array = document): Promise<FinishedItem> {
  const given = await documentItem(await context(), filename, bytes)
  return { ...given, status: 'done', error: null, product_mapped: false, warnings: [] }
}
const operation = (items: readonly FinishedItem[], total = items.length) =>
  operationView({
    action: 'merge-pdf',
    title: 'Merge PDF documents',
    total,
    done: total,
    async *items() {
      for (const one of items) yield [one]
    },
  })
const run = async (view: OperationView, options: Record<string, unknown> = {}) =>
  mergePdf.run(
    view,
    mergePdf.options.parse(options),
    operationContext({ ...(await context()), notify: silent }),
  )

pluginSuite(mergePdf, async () => ({
  operation: operation([
    await item('one.pdf'),
    await item('two.pdf', documentOf(numberedPages(3))),
  ]),
  context: await context(),
  notify: silent,
  state: async () =>
    (await readdir(path.join(house.folder, 'primary', String(house.shop))).catch(() => [])).sort(),
}))

describe('merge-pdf', () => {
  it('creates one new file with the requested name', async () => {
    const items = [await item('one.pdf'), await item('two.pdf')]
    expect(await run(operation(items), { filename: 'All' })).toMatchObject({
      created: [{ filename: 'All.pdf', bytes: { content_type: 'application/pdf' } }],
      warnings: [],
    })
    expect((await run(operation(items), { filename: 'All.PDF' })).created).toMatchObject([
      { filename: 'All.pdf' },
    ])
  })
  it('names the document that cannot be merged, and the reason', async () => {
    const good = await item('good.pdf')
    const refused = async (bad: FinishedItem) =>
      run(operation([good, bad])).catch((error: unknown) => error)
    expect(await refused(await item('cover.png'))).toMatchObject({
      code: 'not_a_pdf',
      message: 'cover.png: It is not a PDF document',
    })
    expect(await refused(await item('cut.pdf', document.subarray(0, 300)))).toMatchObject({
      code: 'pdf_damaged',
      message: 'cut.pdf: The document is damaged and cannot be repaired',
    })
    expect(
      await refused(await item('closed.pdf', await encrypted(document, 'user', 'owner'))),
    ).toMatchObject({
      code: 'pdf_encrypted',
      message: 'closed.pdf: The document is encrypted: its password is needed to open it',
    })
    expect(await refused({ ...(await item('gone.pdf')), staged: null })).toMatchObject({
      code: 'file_not_found',
      message: 'gone.pdf: There is no such file',
    })
  })
  soakTest('previews what the names show, with the messages of the run', async () => {
    const planned = (view: OperationView) =>
      Array.fromAsync(mergePdf.plan(view, mergePdf.options.parse({}), writeContext())) as Promise<
        string[]
      >
    const [good, other] = [await item('good.pdf'), await item('other.pdf')]
    const cover = { code: 'not_a_pdf', message: 'cover.png: It is not a PDF document' }
    await expect(planned(operation([good, await item('cover.png')]))).rejects.toMatchObject(cover)
    await expect(planned(operation([good]))).rejects.toMatchObject({ code: 'too_few' })
    expect(inEnglish(await planned(operation([good, other])))).toEqual([
      'Makes one document of 2, in their order: Merged.pdf',
    ])
  })
  soakTest('leaves out files that an earlier step failed on, and reports them', async () => {
    const error = { code: 'memory_limit', message: 'It takes too much memory' }
    const bad: FinishedItem = { ...(await item('bad.png')), status: 'failed', error }
    const kept: FinishedItem = { ...(await item('two.pdf')), status: 'skipped' }
    const view = operation([await item('one.pdf'), bad, kept])
    const warning = {
      code: 'memory_limit',
      message: 'bad.png was left out: It takes too much memory',
    }
    expect(inEnglish(await run(view))).toMatchObject({
      warnings: [warning],
      created: [{ filename: 'Merged.pdf' }],
    })
    await expect(run(operation([kept, bad]))).rejects.toMatchObject({ code: 'too_few' })
  })
  it('requires at least two documents, and has a maximum', async () => {
    const one = await item('one.pdf')
    await expect(run(operation([one]))).rejects.toMatchObject({ code: 'too_few' })
    await expect(run(operation([one], 501))).rejects.toMatchObject({ code: 'too_many' })
  })
  it('requires a valid file name', () => {
    const accepts = (filename: string) => mergePdf.options.safeParse({ filename }).success
    expect(accepts('All of it.pdf')).toBe(true)
    for (const wrong of ['', ' ', 'a/b.pdf', 'a\\b', 'a\u0000b', 'x'.repeat(256)])
      expect(accepts(wrong)).toBe(false)
  })
  it('describes in a line what it does', () => {
    expect(inEnglish(mergePdf.summary!(mergePdf.options.parse({ filename: 'All' })))).toBe(
      'Makes one document, All.pdf',
    )
  })
})
