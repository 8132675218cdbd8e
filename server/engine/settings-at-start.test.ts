import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Workflow } from '../../plugins/contract/index.ts'
import { watermarkPdf } from '../../plugins/watermark-pdf/plugin.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { changeShopSettings } from '../files/shop-settings.ts'

let house: TestEngine
beforeAll(async () => {
  house = await createTestEngine([watermarkPdf], [])
})
afterAll(() => house.close())

test('an operation has the watermark that the shop had when it started', async () => {
  const workflow = {
    id: 'mark',
    title: 'Mark',
    action: 'mark',
    kind: 'bulk',
    parallel: 1,
    steps: [{ id: 'mark', plugin: 'watermark-pdf', options: { saved: true } }],
  } as const satisfies Workflow
  const optionsOf = async (id: string) =>
    (await house.engine.get(house.scope, id))?.workflow.steps[0]?.options
  const without = await house.startOn(workflow)
  const watermark = { text: 'First edition', position: 'center', opacity: 0.4 } as const
  await changeShopSettings(house.scope, { watermark })
  const first = await house.startOn(workflow)
  await changeShopSettings(house.scope, { watermark: { ...watermark, text: 'Second' } })
  expect(await optionsOf(first)).toEqual(watermark)
  // Without a watermark the files fail, and say so.
  expect(await optionsOf(without)).toMatchObject({ saved: true })
})
