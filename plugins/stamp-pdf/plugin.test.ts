import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentItem, documentOf, numberedPages } from '../../test/documents.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { DeliveryView } from '../contract/index.ts'
import { keysText, stampPdf, textOf } from './plugin.ts'

let house: TestEngine
beforeAll(async () => void (house = await createTestEngine([], [])))
afterAll(() => house.close())

const document = documentOf(numberedPages(2))
const context = async () => {
  const { bytes, sandbox, stage } = await house.parts.ports(house.scope)
  return writeContext({ bytes, sandbox, stage })
}

pluginSuite(stampPdf, async () => {
  const given = await context()
  return {
    items: [
      await documentItem(given, 'guide.pdf', document),
      await documentItem(given, 'broken.pdf', document.subarray(0, 100)),
      await documentItem(given, 'words.txt', document),
    ],
    context: given,
    state: async () =>
      (await readdir(path.join(house.folder, 'primary', String(house.shop)))).sort(),
  }
})

describe('the text of a stamp', () => {
  type Options = Parameters<typeof textOf>[0]
  const written = (
    options: object,
    buyer: Partial<DeliveryView['buyer']> = {},
    timeZone = 'UTC',
  ) => {
    const { delivery } = writeContext()
    const about = { ...delivery, buyer: { ...delivery.buyer, ...buyer } }
    return textOf(stampPdf.options.parse(options) as Options, about, timeZone)
  }
  it('names the buyer and the order', () => {
    expect(written({})).toBe('Ann O’Brien · ann@example.com · #1001')
    expect(written({ text: 'Licensed to', show: ['email', 'date'] })).toBe(
      'Licensed to ann@example.com · 2026-03-01',
    )
  })
  it('has the date in the shop’s time zone', () => {
    expect(written({ show: ['order', 'date'] }, {}, 'Pacific/Kiritimati')).toBe(
      '#1001 · 2026-03-02',
    )
  })
  it('omits unknown values, and is one line even if the buyer entered several', () => {
    expect(written({}, { name: null })).toBe('ann@example.com · #1001')
    expect(written({}, { name: 'Ann\n\u202eO’Brien\0  ' })).toMatch(/^Ann O’Brien · ann@/)
    expect(written({}, { name: 'x'.repeat(5000) }).length).toBeLessThan(200)
  })
  it('refuses a stamp that names neither buyer nor order', () => {
    const nobody = { name: null, email: '' }
    for (const show of [['name', 'email', 'order'], ['email']])
      expect(() => written({ show }, nobody)).toThrow(/Neither the name nor/)
    expect(written({ show: ['order'] }, nobody)).toBe('#1001')
  })
})

describe('licence keys in the text', () => {
  const stampWith = async (keys: readonly string[]) => {
    const given = { ...(await context()), licences: { ...writeContext().licences, keysOf } }
    const asked: string[] = []
    function keysOf(file: string) {
      asked.push(file)
      return Promise.resolve([...keys])
    }
    const item = await documentItem(given, 'keyed.pdf', document)
    const options = stampPdf.options.parse({ text: 'Key {licence},' })
    const outcomes = await Array.fromAsync(stampPdf.run!([item], options, given))
    expect(asked).toEqual([item.file.id])
    return outcomes
  }
  it('are those of the file', async () => {
    expect(await stampWith(['AAAA-1', '$&'])).toMatchObject([{ status: 'ok' }])
  })
  it('must have been assigned', async () => {
    expect(await stampWith([])).toMatchObject([
      {
        status: 'failed',
        code: 'licence_key_missing',
        retryable: false,
        message: expect.stringContaining('no step before it assigned one') as string,
      },
    ])
  })
  it('are as many as fit', () => {
    expect(keysText(['A', 'B'])).toBe('A, B')
    const long = (length: number) => Array.from({ length }, (_, n) => `${n}`.padStart(48, 'k'))
    expect(keysText(long(5))).toBe(`${long(4).join(', ')}, +1`)
    expect(keysText(['x'.repeat(300), 'y'])).toBe(`${'x'.repeat(300)}, +1`)
  })
})
