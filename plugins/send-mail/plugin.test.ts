import { expect, test } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { FinishedItem, Notifier } from '../contract/index.ts'
import { sendMail } from './plugin.ts'

const finished = (filename: string, error: FinishedItem['error'] = null): FinishedItem => ({
  ...fileItem(filename, { filename, tags: ['new', 'guide'] }),
  status: error ? 'failed' : 'done',
  error,
  product_mapped: false,
  warnings: [],
})
const items = [
  finished('book.pdf'),
  finished('map {shop}.pdf'),
  finished('lost.pdf', { code: 'internal', message: 'It is broken' }),
]
const operation = operationView({
  title: 'Supplier',
  total: 3,
  done: 2,
  failed: 1,
  status: 'partial',
  async *items() {
    yield items
  },
})
function outbox() {
  const sent = new Map<string, unknown>()
  const keep = (message: unknown) => void sent.set(JSON.stringify(message), message)
  const notify: Notifier = { email: keep, notice: keep, sms: keep }
  return {
    notify,
    all: () => [...sent.values()] as { data: { subject: string; lines: string[] } }[],
  }
}
const TEXT = {
  to: ['anna@example.com'],
  subject: '{files} files of {workflow}',
  text: 'These:\n{list}',
}
const run = async (given: object, view = operation, recipients = ['shop@example.com']) => {
  const box = outbox()
  const options = sendMail.options.parse({ ...TEXT, ...given })
  const { shop } = writeContext()
  const context = { shop: { ...shop, settings: { ...shop.settings, recipients } } }
  const report = await sendMail.run(
    view,
    options,
    operationContext({ notify: box.notify, ...context }),
  )
  return { mails: box.all(), report }
}

pluginSuite(sendMail, () => {
  const { notify, all } = outbox()
  return Promise.resolve({
    operation,
    options: TEXT,
    context: writeContext(),
    notify,
    state: all,
  })
})

test('one mail lists the files of the run, and a value with braces is no variable', async () => {
  const { mails } = await run({})
  expect(mails).toMatchObject([
    {
      template: 'workflow-mail',
      to: ['anna@example.com'],
      data: { subject: '2 files of Supplier', lines: ['These:', '- book.pdf', '- map {shop}.pdf'] },
    },
  ])
  const failed = await run({ about: 'failed', text: '{list}' })
  expect(failed.mails[0]?.data.lines).toEqual(['- lost.pdf: It is broken'])
})

test('one mail for each file is limited, and says what it leaves out', async () => {
  const each = { each: true, subject: '{name}', text: '{tags} {reason}', about: 'all', most: 2 }
  const { mails, report } = await run(each)
  expect(mails.map(({ data }) => data.subject)).toEqual(['book.pdf', 'map {shop}.pdf'])
  expect(inEnglish(report.warnings)).toMatchObject([
    { message: 'One file has no email of their own' },
  ])
})

test('nothing is sent about no files, about a cancelled run, or to nobody', async () => {
  const none = operationView({ total: 2, done: 2 })
  expect((await run({ about: 'failed' }, none)).mails).toEqual([])
  const cancelled = operationView({ ...operation, status: 'cancelled' })
  expect((await run({}, cancelled)).mails).toEqual([])
  const nobody = await run({ to: [] }, operation, [])
  expect(nobody.mails).toEqual([])
  expect(nobody.report.warnings).toMatchObject([{ code: 'no_recipients' }])
})

test('a preview shows the people and the text', async () => {
  const options = sendMail.options.parse(TEXT)
  const said = await Array.fromAsync(sendMail.plan(operation, options, writeContext()))
  expect(inEnglish(said)).toEqual([
    'An email to anna@example.com',
    'Subject: 2 files of Supplier',
    'Text: These:\n- book.pdf\n- map {shop}.pdf',
  ])
})

test.each([
  { text: '{name}' },
  { each: true, text: '{list}' },
  { subject: '{buyer}' },
  { subject: 'a\nb' },
  { to: ['anna'] },
  { to: ['a@example.com', 'A@example.com'] },
  { most: 51 },
])('%j is refused', (given) => {
  expect(sendMail.options.safeParse({ ...TEXT, ...given }).success).toBe(false)
})
