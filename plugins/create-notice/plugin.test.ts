import { expect, test } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Notifier } from '../contract/index.ts'
import { createNotice } from './plugin.ts'

const operation = operationView({
  title: 'Supplier',
  total: 2,
  done: 2,
  async *items() {
    yield ['a.pdf', 'b.pdf'].map((filename) => ({
      ...fileItem(filename, { filename }),
      status: 'done' as const,
      error: null,
      product_mapped: true,
      warnings: [],
    }))
  },
})
const notices = () => {
  const made = new Map<string, unknown>()
  const keep = (notice: unknown) => void made.set(JSON.stringify(notice), inEnglish(notice))
  const notify: Notifier = { email: keep, notice: keep, sms: keep }
  return { notify, all: () => [...made.values()] }
}
const TEXT = { level: 'success', title: '{workflow}: {done} new', text: '{list}' }

pluginSuite(createNotice, () => {
  const { notify, all } = notices()
  return Promise.resolve({ operation, options: TEXT, context: writeContext(), notify, state: all })
})

test('it creates one notice for a run, or one for each file', async () => {
  const run = async (given: object) => {
    const { notify, all } = notices()
    const options = createNotice.options.parse({ ...TEXT, ...given })
    await createNotice.run(operation, options, operationContext({ notify }))
    return all()
  }
  expect(await run({})).toEqual([
    { level: 'success', title: 'Supplier: 2 new', body: '- a.pdf\n- b.pdf' },
  ])
  expect(await run({ each: true, title: '{name}', text: 'New' })).toMatchObject([
    { title: 'a.pdf' },
    { title: 'b.pdf' },
  ])
})
