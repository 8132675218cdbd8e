// Ids of other shops, and ids of nothing, in each field that names something of the shop.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { toPublicId } from '../../core/ids.ts'
import { filterFields } from '../../files/filter.ts'

const KINDS = { pack: 'pack', file: 'file', 'licence-list': 'licences' } as const
const PREFIXES = ['pack', 'file', 'licences', 'connection', 'account'] as const
type Prefix = (typeof PREFIXES)[number]

let app: TestApp
let foreign: Record<'pack' | 'licences', string>
beforeAll(async () => {
  app = await openTestApp()
  const other = await app.stranger('other.myshopify.com')
  const made = async (route: string, body: object): Promise<string> =>
    (await other.call('POST', route, body)).body.id
  foreign = {
    pack: await made('/api/packs', { name: 'Theirs' }),
    licences: await made('/api/licence-lists', { name: 'Theirs' }),
  }
})
afterAll(() => app.close())

/** An id of nothing, and one of another shop. */
const idsOf = (kind: Prefix): string[] => [
  toPublicId(kind, randomUUID()),
  ...(kind === 'pack' || kind === 'licences' ? [foreign[kind]] : []),
]

/** The options that name something of the shop, by the metadata of their schemas. */
const namingOptions = () =>
  app.engine.parts.plugins.flatMap((plugin) => {
    const { properties = {} } = z.toJSONSchema(plugin.options, {
      io: 'input',
      unrepresentable: 'any',
    })
    return Object.entries(properties).flatMap(([name, property]) => {
      const widget = typeof property === 'object' ? String(property.widget) : ''
      const kind = Object.hasOwn(KINDS, widget) ? KINDS[widget as keyof typeof KINDS] : null
      return kind ? [{ plugin: plugin.id, name, kind }] : []
    })
  })

/** The conditions of a filter that name something of the shop. */
const namingFilters = () =>
  Object.entries(filterFields).flatMap(([name, schema]) => {
    const accepts = (value: string) => schema.safeParse(value).success
    const kind = PREFIXES.find((one) => accepts(`${one}_${'0'.repeat(32)}`))
    return kind && !accepts('x') ? [{ name, kind }] : []
  })

async function expectRefused(route: string, param: string, body: object, method = 'POST') {
  const { status, body: answer } = await app.owner.call(method, route, body)
  expect([route, status, answer.error?.details]).toEqual([
    route,
    422,
    expect.arrayContaining([expect.objectContaining({ param, code: 'not_found' })]),
  ])
}

test('an option names only what the shop has: in an action, a workflow and a schedule', async () => {
  const options = namingOptions()
  expect(options.map(({ plugin, name }) => `${plugin}.${name}`)).toEqual(
    expect.arrayContaining([
      'move-to-pack.pack',
      'watermark-pdf.picture',
      'assign-licence-key.list',
    ]),
  )
  const select = { file_ids: [toPublicId('file', randomUUID())] }
  for (const { plugin, name, kind } of options)
    for (const id of idsOf(kind)) {
      const given = { [name]: id }
      const steps = [{ plugin, options: given }]
      const named = { name: 'Named', kind: 'bulk', steps }
      await expectRefused('/api/workflows', `steps[0].options.${name}`, named)
      if (!app.engine.engine.workflow(plugin)) continue
      const action = { action: plugin, options: given }
      await expectRefused('/api/operations', `options.${name}`, { ...action, select })
      const schedule = { ...action, name: 'Named', cron: '0 3 * * *', filter: {} }
      await expectRefused('/api/schedules', `options.${name}`, schedule)
    }
})

test('a filter names only what the shop has: of an operation and a schedule', async () => {
  const filters = namingFilters()
  expect(filters.map(({ name }) => name)).toEqual([
    'pack',
    'drop_account',
    'connection',
    'licence_list',
  ])
  const action = { action: 'tag-files', options: { mode: 'add', tags: ['a'] } }
  for (const { name, kind } of filters)
    for (const id of idsOf(kind)) {
      const filter = { [name]: id }
      const operation = { ...action, select: { filter } }
      await expectRefused('/api/operations', `select.filter.${name}`, operation)
      const schedule = { ...action, name: 'Named', cron: '0 3 * * *', filter }
      await expectRefused('/api/schedules', `filter.${name}`, schedule)
    }
})

test('a saved view names only what the shop has, in its filter and in its query', async () => {
  const product = 'gid://shopify/Product/404'
  const named = [
    ...namingFilters().flatMap(({ name, kind }) => idsOf(kind).map((id) => ({ name, id }))),
    { name: 'product', id: product },
  ]
  const { body: view } = await app.owner.call('POST', '/api/views', { name: 'Mine' })
  for (const { name, id } of named) {
    const filter = { [name]: id }
    await expectRefused('/api/views', `filter.${name}`, { name: 'Named', filter })
    await expectRefused('/api/views', `query.${name}`, { name: 'Named', query: filter })
    // The alternatives of a filter have no list of licence keys.
    const any = { any: [name === 'licence_list' ? { pack: idsOf('pack')[0] } : filter] }
    const field = Object.keys(any.any[0]!)[0]
    await expectRefused('/api/views', `filter.any[0].${field}`, { name: 'Named', filter: any })
    await expectRefused(`/api/views/${view.id}`, `filter.${name}`, { filter }, 'PATCH')
  }
  const lists = { links: 'file_id', deliveries: 'file_id', operations: 'schedule_id' } as const
  for (const [list, name] of Object.entries(lists)) {
    const id = toPublicId(name === 'file_id' ? 'file' : 'schedule', randomUUID())
    await expectRefused('/api/views', `query.${name}`, {
      name: 'Named',
      list,
      query: { [name]: id },
    })
  }
})

test('a setting names only what the shop has, and keeps what it had', async () => {
  const [file] = idsOf('file')
  const mark = { picture: file }
  await expectRefused('/api/settings', 'watermark.picture', { watermark: mark }, 'PATCH')
  for (const pack of idsOf('pack')) {
    const pack_watermarks = { [pack]: { text: 'a' } }
    await expectRefused('/api/settings', `pack_watermarks.${pack}`, { pack_watermarks }, 'PATCH')
  }
  const own = (await app.owner.call('POST', '/api/packs', { name: 'Ours' })).body.id
  const kept = { pack_watermarks: { [own]: { text: 'a' } } }
  expect((await app.owner.call('PATCH', '/api/settings', kept)).status).toBe(200)
  await expectRefused(
    '/api/settings',
    `pack_watermarks.${own}.picture`,
    { pack_watermarks: { [own]: mark } },
    'PATCH',
  )
})
