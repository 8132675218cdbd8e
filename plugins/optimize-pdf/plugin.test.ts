import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { inEnglish } from '../../test/english.ts'
import { documentItem, documentOf, encrypted, numberedPages } from '../../test/documents.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Item, Outcome, WriteContext } from '../contract/index.ts'
import { optimizePdf } from './plugin.ts'

let house: TestEngine
beforeAll(async () => void (house = await createTestEngine([], [])))
afterAll(() => house.close())

const context = async (): Promise<WriteContext> => {
  const { bytes, sandbox, stage } = await house.parts.ports(house.scope)
  return writeContext({ bytes, sandbox, stage })
}
// Uncompressed, so that it can be made smaller.
const wordy = documentOf(
  numberedPages(40).map(({ draws = '' }) => ({ draws: `${draws}\n${'% words '.repeat(200)}` })),
)
const item = async (filename: string, bytes: Uint8Array = wordy) =>
  documentItem(await context(), filename, bytes)
const run = async (items: readonly Item[], options: Record<string, unknown> = {}) => {
  const outcomes = optimizePdf.run!(items, optimizePdf.options.parse(options), await context())
  return new Map<string, Outcome>(
    (await Array.fromAsync(outcomes)).map((outcome) => [outcome.item, outcome]),
  )
}

pluginSuite(optimizePdf, async () => ({
  items: [
    await item('guide.pdf'),
    await item('broken.pdf', wordy.subarray(0, 400)),
    await item('words.txt'),
  ],
  context: await context(),
  state: async () => (await readdir(path.join(house.folder, 'primary', String(house.shop)))).sort(),
}))

describe('optimize-pdf', () => {
  it('creates a smaller document, and keeps the previous version unless told otherwise', async () => {
    const outcome = (await run([await item('guide.pdf')])).get('guide.pdf')
    expect(outcome).toMatchObject({
      status: 'ok',
      bytes: { content_type: 'application/pdf' },
      warnings: [],
    })
    expect(outcome).not.toHaveProperty('drop_previous')
    const dropped = (await run([await item('guide.pdf')], { preserve_original: false })).get(
      'guide.pdf',
    )
    expect(dropped).toMatchObject({ drop_previous: true })
  })
  soakTest('gives the reason for each skipped file', async () => {
    const first = (await run([await item('a.PDF')], { linearize: false })).get('a.PDF') as {
      bytes: Item['staged']
    }
    const again = { ...(await item('a.pdf')), staged: first.bytes }
    const outcomes = await run([again, await item('a.docx')], { linearize: false })
    expect(outcomes.get('a.pdf')).toMatchObject({ unchanged: 'It would not become smaller' })
    expect(outcomes.get('a.docx')).toMatchObject({ unchanged: 'It is not a PDF document' })
  })
  soakTest('opens encrypted documents only with their password', async () => {
    const secret = await encrypted(wordy, 'open sesame', 'owner')
    const without = (await run([await item('a.pdf', secret)])).get('a.pdf')
    expect(without).toMatchObject({ status: 'failed', code: 'pdf_encrypted', retryable: false })
    const wrong = (await run([await item('a.pdf', secret)], { password: 'sesame' })).get('a.pdf')
    expect(wrong).toMatchObject({
      code: 'pdf_encrypted',
      message: 'The password does not open this document',
    })
    const right = (await run([await item('a.pdf', secret)], { password: 'open sesame' })).get(
      'a.pdf',
    )
    expect(right).toMatchObject({ status: 'ok', bytes: { content_type: 'application/pdf' } })
  })
  it('never reveals the password', () => {
    const options = optimizePdf.options.parse({ password: 'canary' })
    expect(inEnglish(optimizePdf.summary!(options))).toBe(
      'Images up to 2000 px, 75 % quality, for web viewing',
    )
  })
})
