import { expect, it, test } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Documents, Notifier } from '../contract/index.ts'
import { sendDocument } from './plugin.ts'

const CONNECTION = `connection_${'a'.repeat(32)}`
const operation = operationView({ title: 'Nightly export', total: 2, done: 2 })

function desk(document: Awaited<ReturnType<Documents['written']>>) {
  const sent = new Map<string, unknown>()
  const keep = (message: unknown) => void sent.set(JSON.stringify(message), message)
  const notify: Notifier = { email: keep, notice: keep, sms: keep }
  const documents: Documents = {
    connection: (id) => Promise.resolve(id === CONNECTION ? 'Archive' : null),
    written: () => Promise.resolve(document),
    send: keep,
  }
  return { sent, notify, documents }
}
const SMALL = { filename: 'files-2026-03-02.csv', size_bytes: 1000 }

pluginSuite(sendDocument, () => {
  const { sent, notify, documents } = desk(SMALL)
  return Promise.resolve({
    operation,
    context: writeContext(),
    notify,
    options: { connection: CONNECTION },
    ports: { documents },
    state: () => [...sent.values()],
  })
})

async function run(options: object, document: typeof SMALL | null = SMALL) {
  const { sent, ...ports } = desk(document)
  const parsed = sendDocument.options.parse(options)
  const { warnings } = await sendDocument.run(operation, parsed, operationContext(ports))
  return warnings ?? [...sent.values()]
}

test.each([
  [{}, 'exports/files-2026-03-02.csv'],
  [{ folder: '' }, 'files-2026-03-02.csv'],
  [{ folder: 'a/b', name: 'stock {year} {month} {date}' }, 'a/b/stock 2026 2026-03 2026-03-02.csv'],
])('writes it into a connection: %j', async (options, path) => {
  expect(await run({ connection: CONNECTION, ...options })).toEqual([
    { connection: CONNECTION, path },
  ])
})

test.each([
  [1000, true],
  [20_000_000, false],
])('attaches a document of %i bytes: %s', async (size_bytes, attached) => {
  expect(await run({ people: ['a@example.com'] }, { ...SMALL, size_bytes })).toMatchObject([
    { template: 'document', to: ['a@example.com'], data: { attached, filename: SMALL.filename } },
  ])
})

it('says that there is no document, or no connection any more', async () => {
  expect(await run({ people: ['a@example.com'] }, null)).toMatchObject([{ code: 'no_document' }])
  const gone = { connection: `connection_${'b'.repeat(32)}` }
  await expect(run(gone)).rejects.toMatchObject({ code: 'connection_not_found' })
})

it('says in a preview where it goes, and its name if that is known', async () => {
  const plan = async (options: object) => {
    const { documents } = desk(null)
    const parsed = sendDocument.options.parse(options)
    const sentences = sendDocument.plan(operation, parsed, { ...writeContext(), documents })
    return inEnglish(await Array.fromAsync(sentences))
  }
  expect(await plan({ connection: CONNECTION, name: 'stock-{date}' })).toEqual([
    'The document to the folder exports of the connection Archive',
    'Its name: stock-2026-03-02',
  ])
  expect(await plan({ people: ['a@example.com'] })).toEqual([
    'The document as an email to a@example.com',
  ])
})

test.each([
  {},
  { people: [] },
  { people: ['a@example.com'], connection: CONNECTION },
  { connection: CONNECTION, folder: '../up' },
  { connection: CONNECTION, folder: 'a//b' },
  { connection: CONNECTION, name: 'a/b' },
  { connection: CONNECTION, name: '{buyer}' },
  { address: 'https://example.com/' },
])('refuses %j', (options) => {
  expect(sendDocument.options.safeParse(options).success).toBe(false)
})
