import { describe, expect, it } from 'vitest'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { FinishedItem, Notifier, OperationView, WriteContext } from '../contract.ts'
import { notify } from './plugin.ts'

const finished = (id: string, given: Partial<FinishedItem>): FinishedItem => ({
  ...importItem(id),
  status: 'done',
  error: null,
  product_mapped: true,
  warnings: [],
  ...given,
})
const items = [
  finished('mapped', {}),
  finished('unmapped', {
    product_mapped: false,
    warnings: [{ code: 'sku_not_found', message: 'Product SKU not found' }],
  }),
  finished('lost', { status: 'failed', error: { code: 'url_not_accessible', message: 'File URL not accessible' } }),
]
const operation = (given: Partial<OperationView> = {}): OperationView => ({
  id: 'import_1',
  action: 'import',
  total: 3,
  done: 2,
  failed: 1,
  skipped: 0,
  cancelled: 0,
  status: 'partial',
  started_at: new Date(0),
  async *items() {
    yield items
  },
  ...given,
})

function outbox() {
  const messages = new Map<string, unknown>()
  const keep = (message: unknown) => void messages.set(JSON.stringify(message), message)
  const collected: Notifier = { email: keep, notice: keep }
  return { notify: collected, all: () => [...messages.values()] as Record<string, unknown>[] }
}

const sent = async (view: OperationView, given: Partial<WriteContext> = {}) => {
  const box = outbox()
  await notify.run(view, {}, { ...writeContext(given), notify: box.notify })
  return {
    email: box.all().find((message) => 'template' in message),
    notice: box.all().find((message) => 'level' in message),
  }
}

pluginSuite(notify, () => {
  const box = outbox()
  return Promise.resolve({
    operation: operation(),
    context: writeContext(),
    notify: box.notify,
    state: () => box.all(),
  })
})

describe('notify', () => {
  it('says what came in, what failed and what has no product', async () => {
    const { notice, email } = await sent(operation())
    expect(notice).toMatchObject({
      level: 'warning',
      body: '2 of 3 files imported, 1 failed, 1 not mapped to a product.',
    })
    expect(email).toMatchObject({
      template: 'operation-finished',
      data: {
        done: 2,
        failures: { listed: [{ filename: 'lost.pdf', message: 'File URL not accessible' }], more: 0 },
        unmapped: { listed: ['unmapped.pdf'] },
        warned: { listed: [{ message: 'Product SKU not found' }] },
      },
    })
  })

  it('sends the e-mail as the caller asked, else as the settings say; the notice always', async () => {
    const settings = { auto_map: true, email_on_complete: false, email_on_errors: true, recipients: ['a@example.com'] }
    const shop = { name: 'Harbour', domain: 'harbour.myshopify.com', settings }
    const complete = operation({ status: 'success' })
    expect((await sent(complete, { shop })).email).toBeUndefined()
    expect((await sent(complete, { shop })).notice).toMatchObject({ level: 'success' })
    expect((await sent(operation(), { shop })).email).toBeDefined()
    expect((await sent(complete, { shop, request: { notify: true } })).email).toBeDefined()
    expect((await sent(operation(), { shop, request: { notify: false } })).email).toBeUndefined()
    const nobody = { ...shop, settings: { ...settings, recipients: [] } }
    expect((await sent(operation(), { shop: nobody, request: { notify: true } })).email).toBeUndefined()
  })
})
