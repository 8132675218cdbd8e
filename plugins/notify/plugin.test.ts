import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Notifier, OperationView, ReportedItem, WriteContext } from '../contract/index.ts'
import { notify } from './plugin.ts'

const finished = (id: string, given: Partial<ReportedItem>): ReportedItem => ({
  filename: `${id}.pdf`,
  url: null,
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
  finished('lost', {
    status: 'failed',
    error: {
      code: 'url_not_accessible',
      message: 'File URL not accessible',
      detail: 'The server answered 404',
    },
    url: 'https://cdn.example.com/lost.pdf',
  }),
]
const operation = (given: Partial<OperationView> = {}) =>
  operationView({
    id: 'import_1',
    action: 'import',
    title: 'API import',
    total: 3,
    done: 2,
    failed: 1,
    status: 'partial',
    async *reported() {
      yield items
    },
    ...given,
  })
const bulk = (given: Partial<OperationView> = {}) =>
  operation({
    id: 'op_1',
    action: 'tag-files',
    title: 'Tag files',
    total: 1204,
    done: 1200,
    failed: 4,
    ...given,
  })
const well = { status: 'success', failed: 0 } as const

function outbox() {
  const messages = new Map<string, unknown>()
  const keep = (message: unknown) => void messages.set(JSON.stringify(message), inEnglish(message))
  const collected: Notifier = { email: keep, notice: keep, sms: (text) => keep({ sms: text }) }
  return { notify: collected, all: () => [...messages.values()] as Record<string, unknown>[] }
}

type When = 'always' | 'background' | 'errors' | 'matched' | 'never'
const sent = async (
  view: OperationView,
  given: Partial<WriteContext> = {},
  when: When = 'always',
) => {
  const box = outbox()
  await notify.run(view, { when }, operationContext({ ...given, notify: box.notify }))
  return {
    email: box.all().find((message) => 'template' in message),
    notice: box.all().find((message) => 'level' in message),
    sms: box.all().find((message) => 'sms' in message)?.sms as string | undefined,
  }
}
const told = async (view: OperationView, when: When, given: Partial<WriteContext> = {}) =>
  Object.values(await sent(view, given, when)).filter(Boolean).length
const planned = async (when: When, given: Partial<WriteContext> = {}, view = operation()) =>
  inEnglish(await Array.fromAsync(notify.plan(view, { when }, writeContext(given))))

const shopWith = (settings: Partial<WriteContext['shop']['settings']>): Partial<WriteContext> => {
  const { shop } = writeContext()
  return { shop: { ...shop, settings: { ...shop.settings, ...settings } } }
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
  it('reports a large import by text message if the shop wants it', async () => {
    const wants = shopWith({ sms_on_large_import: true, sms_recipients: ['+4915112345678'] })
    const large = operation({ total: 1000, done: 990, failed: 10 })
    expect((await sent(large, wants)).sms).toBe(
      'Harbour: Import partly complete. 990 of 1,000 files imported, 10 failed, 1 not mapped to a product.',
    )
    const without = [
      await sent(operation({ total: 999 }), wants),
      await sent(bulk(), wants),
      await sent(large),
      await sent(large, shopWith({ sms_on_large_import: true })),
      await sent(large, { ...wants, request: { notify: false } }),
      await sent(large, wants, 'never'),
    ]
    expect(without.map(({ sms }) => sms)).toEqual(without.map(() => undefined))
    expect(await planned('always', wants, large)).toContain('A text message when it has ended')
  })

  it('cuts a long text message between characters', async () => {
    const { shop } = shopWith({ sms_on_large_import: true, sms_recipients: ['+4915112345678'] })
    const large = operation({ total: 1000, done: 990, failed: 10 })
    const name = `x${'📦'.repeat(100)}`
    expect((await sent(large, { shop: { ...shop!, name } })).sms).toBe(`x${'📦'.repeat(79)}`)
  })

  it('lists imported files, failures, files without a product, and what to do next', async () => {
    const { notice, email } = await sent(operation())
    expect(notice).toMatchObject({
      level: 'warning',
      title: 'Import partly complete',
      body: expect.stringMatching(
        /^2 of 3 files imported, 1 failed, 1 not mapped to a product\. Not mapped: unmapped\.pdf\. Open the URLs/,
      ),
    })
    expect(email).toMatchObject({
      template: 'operation-finished',
      data: {
        counts: [
          { label: 'Imported', count: 2 },
          { label: 'Failed', count: 1 },
          { label: 'Total', count: 3 },
        ],
        failures: {
          listed: [
            {
              filename: 'lost.pdf',
              code: 'url_not_accessible',
              message: 'File URL not accessible',
              detail: 'The server answered 404',
              url: 'https://cdn.example.com/lost.pdf',
            },
          ],
          more: 0,
        },
        unmapped: { listed: ['unmapped.pdf'] },
        warned: { listed: [{ message: 'Product SKU not found' }] },
        next: [expect.stringMatching(/^Open the URLs/), expect.stringMatching(/^Correct the SKUs/)],
      },
    })
  })

  it.each([
    [bulk(), 'Tag files partly complete', '1,200 of 1,204 files changed, 4 failed.'],
    [
      bulk({
        ...well,
        action: 'optimize-image',
        title: 'Optimize images',
        total: 9,
        done: 9,
        bytes_saved: 12_345_678,
      }),
      'Optimize images complete',
      '9 of 9 files optimized, 12 MB saved.',
    ],
    [
      bulk({
        ...well,
        action: 'optimize-image',
        title: 'Optimize images',
        total: 1,
        done: 1,
        bytes_saved: 900,
      }),
      'Optimize images complete',
      '1 of 1 file optimized, 900 bytes saved.',
    ],
    [
      bulk({
        ...well,
        action: 'watermark-pdf',
        title: 'Watermark',
        total: 1,
        done: 1,
        bytes_saved: -900,
      }),
      'Watermark complete',
      '1 of 1 file watermarked.',
    ],
    [
      bulk({ ...well, action: 'delete-files', title: 'Delete files', total: 1, done: 1 }),
      'Delete files complete',
      '1 of 1 file moved to the trash.',
    ],
    [
      bulk({ ...well, action: 'restore-files', title: 'Restore files', done: 1100, skipped: 104 }),
      'Restore files complete',
      '1,100 of 1,204 files restored, 104 skipped.',
    ],
    [
      bulk({ status: 'failed', action: 'frob-files', title: 'Frob files', done: 0, failed: 1204 }),
      'Frob files failed',
      '0 of 1,204 files done, 1,204 failed.',
    ],
    [
      bulk({ status: 'cancelled', failed: 0, done: 4, cancelled: 1200 }),
      'Tag files cancelled',
      '4 of 1,204 files changed, 1,200 not processed.',
    ],
    [
      bulk({ done: 1200, unchanged: 1100 }),
      'Tag files partly complete',
      '100 of 1,204 files changed, 1,100 unchanged, 4 failed.',
    ],
    [
      bulk({ ...well, done: 1204, title: 'Spring clean-up' }),
      'Spring clean-up complete',
      '1,204 of 1,204 files changed.',
    ],
  ])('has the right text for any action: %#', async (view, title, headline) => {
    const { notice, email } = await sent(view)
    expect(notice!.title).toBe(title)
    expect((email!.data as { headline: string }).headline).toBe(headline)
    expect(notice!.body).toMatch(new RegExp(`^${headline.replaceAll('.', '\\.')}`))
  })

  it.each([
    ['Import', 'import', { label: 'a.pdf and 2 more' }, 'Import of “a.pdf and 2 more” complete'],
    ['Sync', 'import', { label: 'Gallery' }, 'Sync of “Gallery” complete'],
    [
      'Import',
      'import',
      { label: 'prices.csv', schedule: 'Nightly' },
      'Import of “prices.csv” by the schedule “Nightly” complete',
    ],
    ['Sync', 'tag-files', { label: 'new.csv' }, 'Tag files from “new.csv” complete'],
    ['Import', 'tag-files', { schedule: 'Monday' }, 'Tag files by the schedule “Monday” complete'],
    ['Import', 'import', { label: 'x'.repeat(90) }, `Import of “${'x'.repeat(80)}…” complete`],
  ])('names what a message is about: %#', async (importWord, action, given, title) => {
    const about = { importWord, label: null, schedule: null, ...given }
    const { notice, email } = await sent(operation({ ...well, action, title: 'Tag files', about }))
    expect(notice!.title).toBe(title)
    expect(email!.data).toMatchObject({ title })
  })

  it('counts what a sync changed, trashed and sent apart from what it imported', async () => {
    const sync = operation({
      ...well,
      total: 55,
      done: 54,
      skipped: 1,
      present: () => Promise.resolve({ changed: 0, trashed: 2, unchanged: 51, unpacked: 0 }),
      async *reported() {},
    })
    const { notice, email } = await sent(sync)
    expect(notice!.body).toBe('1 of 55 files imported, 2 moved to the trash, 51 sent, 1 skipped.')
    expect(email!.data).toMatchObject({
      counts: [
        { label: 'Imported', count: 1 },
        { label: 'Moved to the trash', count: 2 },
        { label: 'Sent', count: 51 },
        { label: 'Skipped', count: 1 },
        { label: 'Total', count: 55 },
      ],
    })
  })

  it.each([
    [0, '9 of 9 files put back.'],
    [4, '5 of 9 files put back, 4 moved to the trash.'],
    // The undo of an import.
    [9, '9 of 9 files moved to the trash.'],
  ])('says how many files an undo moved to the trash: %i', async (trashed, headline) => {
    const undo = bulk({
      ...well,
      action: 'undo',
      title: 'Undo: API import',
      total: 9,
      done: 9,
      present: () => Promise.resolve({ changed: 9 - trashed, trashed, unchanged: 0, unpacked: 0 }),
      async *reported() {},
    })
    const { notice, email } = await sent(undo)
    expect(notice!.body).toBe(headline)
    expect((email!.data as { counts: { count: number }[] }).counts[0]!.count).toBe(
      trashed === 9 ? 9 : 9 - trashed,
    )
  })

  it('says that an undo left files as they are', async () => {
    const undo = bulk({
      ...well,
      action: 'undo',
      title: 'Undo: Tag files',
      total: 9,
      done: 2,
      skipped: 7,
      async *reported() {},
    })
    const { notice, email } = await sent(undo)
    const next = 'Open the operation to see why files were left as they are.'
    expect(notice).toMatchObject({
      level: 'warning',
      body: `2 of 9 files put back, 7 skipped. ${next}`,
    })
    expect(email!.data).toMatchObject({ next: [next] })
  })

  it('says how many paid deliveries a deletion affects', async () => {
    const deletion = bulk({
      ...well,
      action: 'delete-files',
      title: 'Delete files',
      total: 9,
      done: 9,
      lostDeliveries: () => Promise.resolve(3),
      async *reported() {},
    })
    const { notice, email } = await sent(deletion)
    expect(notice).toMatchObject({
      level: 'warning',
      body: expect.stringMatching(
        /^9 of 9 files moved to the trash\. 3 paid deliveries contain what was deleted: their buyers lost it\./,
      ),
    })
    expect(email!.data).toMatchObject({
      next: [
        expect.stringMatching(/^3 paid deliveries/),
        'Files in the trash can be restored for 7 days.',
      ],
    })
  })

  it('keeps the counts of a text message whose operation has a long label', async () => {
    const wants = shopWith({ sms_on_large_import: true, sms_recipients: ['+4915112345678'] })
    const about = {
      importWord: 'Import',
      label: `${'long '.repeat(40)}.csv`,
      schedule: 'x'.repeat(90),
    }
    const { sms } = await sent(operation({ total: 1000, done: 990, failed: 10, about }), wants)
    expect(sms).toContain('990 of 1,000 files imported')
  })

  it('lists files without a product only for imports and mapping', async () => {
    const unmapped = async (action: string) =>
      ((await sent(bulk({ action }))).email!.data as { unmapped: { length: number } }).unmapped
        .length
    expect(await unmapped('map-products')).toBe(1)
    expect(await unmapped('tag-files')).toBe(0)
  })

  it('names the first files without a product in the notice, and counts the rest', async () => {
    const many = operation({
      ...well,
      async *reported() {
        yield Array.from({ length: 9 }, (_, n) => finished(`f${n}`, { product_mapped: false }))
      },
    })
    expect((await sent(many)).notice!.body).toContain(
      'Not mapped: f0.pdf, f1.pdf, f2.pdf and 6 more. ',
    )
  })

  it('omits them after an import if the shop does not want them', async () => {
    const { notice, email } = await sent(operation(), shopWith({ notify_unmapped: false }))
    expect(notice!.body).toMatch(/^2 of 3 files imported, 1 failed\. Open the URLs/)
    expect((email!.data as { unmapped: unknown }).unmapped).toEqual({
      listed: [],
      more: 0,
      length: 0,
    })
    const mapping = await sent(
      bulk({ action: 'map-products' }),
      shopWith({ notify_unmapped: false }),
    )
    expect(mapping.notice!.body).toContain('Not mapped: unmapped.pdf.')
  })

  it('names the first fifty failures and counts the rest', async () => {
    const many = operation({
      total: 70,
      done: 0,
      failed: 70,
      async *reported() {
        const error = { code: 'file_in_use', message: 'File in use' }
        for (let page = 0; page < 7; page++)
          yield Array.from({ length: 10 }, (_, n) =>
            finished(`f${page}${n}`, { status: 'failed', error }),
          )
      },
    })
    const { failures, next } = (await sent(many)).email!.data as {
      failures: { listed: []; more: number }
      next: string[]
    }
    expect([failures.listed.length, failures.more]).toEqual([50, 20])
    expect(next).toEqual(['Choose Retry Failed once the other operation on those files has ended.'])
  })

  it('does not read a hundred thousand items to report success', async () => {
    const unread = bulk({
      ...well,
      reported: () => {
        throw new Error('nobody asked for these')
      },
    })
    expect((await sent(unread, shopWith({ recipients: [] }))).notice).toMatchObject({
      level: 'success',
    })
  })

  it('sends the email as the caller requested, else by the settings; and always the notice', async () => {
    const given = shopWith({ email_on_complete: false, recipients: ['a@example.com'] })
    const complete = operation(well)
    expect((await sent(complete, given)).email).toBeUndefined()
    expect((await sent(complete, given)).notice).toMatchObject({ level: 'success' })
    expect((await sent(operation(), given)).email).toBeDefined()
    expect((await sent(complete, { ...given, request: { notify: true } })).email).toBeDefined()
    expect(
      (await sent(operation(), { ...given, request: { notify: false } })).email,
    ).toBeUndefined()
    // A partial result counts as complete and as an error.
    const onlyComplete = shopWith({ email_on_errors: false })
    expect((await sent(operation(), onlyComplete)).email).toBeDefined()
    expect(
      (await sent(operation({ status: 'failed', done: 0, failed: 3 }), onlyComplete)).email,
    ).toBeUndefined()
    const nobody = { ...shopWith({ recipients: [] }), request: { notify: true } }
    expect((await sent(operation(), nobody)).email).toBeUndefined()
  })
})

describe('when', () => {
  it('background: imports, deletions above 100 files, others above 500', async () => {
    const of = (action: string, total: number) => bulk({ ...well, action, total, done: total })
    expect(await told(operation(), 'background')).toBe(2)
    expect(await told(of('delete-files', 100), 'background')).toBe(0)
    expect(await told(of('delete-files', 101), 'background')).toBe(2)
    expect(await told(of('tag-files', 500), 'background')).toBe(0)
    expect(await told(of('tag-files', 501), 'background')).toBe(2)
    const limits = { ...writeContext().limits, background: { delete: 1, update: 2 } }
    expect(await told(of('delete-files', 2), 'background', { limits })).toBe(2)
    expect(await told(of('tag-files', 2), 'background', { limits })).toBe(0)
    expect(await told(of('tag-files', 2), 'background', { request: { notify: true } })).toBe(2)
  })
  it('errors: an email unless everything succeeded; never: none; the notice always', async () => {
    const emailed = async (...given: [OperationView, When, Partial<WriteContext>?]) => {
      const { notice, email } = await sent(given[0], given[2], given[1])
      expect(notice).toBeDefined()
      return email !== undefined
    }
    expect(await emailed(operation(), 'errors')).toBe(true)
    expect(await emailed(operation(well), 'errors')).toBe(false)
    expect(await emailed(operation(well), 'errors', { request: { notify: true } })).toBe(false)
    expect(await emailed(operation(), 'never', { request: { notify: true } })).toBe(false)
  })
  it('matched: only if a file got a product', async () => {
    const mapping = (done: number, given: Partial<OperationView> = {}) =>
      told(
        bulk({ ...well, action: 'map-products', done, skipped: 1204 - done, ...given }),
        'matched',
      )
    expect(await mapping(2)).toBe(2)
    // The item without a product is the one that the action may only map.
    expect(await mapping(1)).toBe(0)
    expect(await mapping(0, { async *reported() {} })).toBe(0)
  })
  it('is described in the preview', async () => {
    const to = 'owner@example.com'
    expect(await planned('always')).toEqual([
      'A notice in the page when it has ended',
      `An email to ${to} when it has ended`,
    ])
    expect(await planned('errors')).toEqual([
      'A notice in the page when it has ended',
      `An email to ${to} when something failed`,
    ])
    expect((await planned('always', shopWith({ email_on_complete: false })))[1]).toBe(
      `An email to ${to} when something failed`,
    )
    expect((await planned('always', shopWith({ email_on_errors: false })))[1]).toBe(
      `An email to ${to} when it is complete or partly complete`,
    )
    expect((await planned('always', { request: { notify: false } })).length).toBe(1)
    expect(await planned('background', {}, bulk({ total: 3 }))).toEqual([])
    expect(await planned('never')).toEqual(['A notice in the page when it has ended'])
  })
})
