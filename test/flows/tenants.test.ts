// One shop requests the data of another with every documented request that names something, next to
// the same request of the owner, which succeeds. A route with an id that no example names fails
// here.
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ShopScope } from '../../server/core/db/for-shop.ts'
import { IDS, type Example } from '../../server/http/example.ts'
import { EXAMPLES } from '../../server/features.ts'
import { untilEnded, type Client } from '../app.ts'
import {
  expectDocumented,
  expectLogged,
  hasIds,
  openExamples,
  type ExampleHouse,
} from '../examples.ts'

let house: ExampleHouse
let stranger: Client
let tables: string[]
let dumper: pg.PoolClient
beforeAll(async () => {
  house = await openExamples()
  stranger = await house.app.stranger('stranger.myshopify.com')
  const { pool } = house.app.engine.parts.database
  dumper = await pool.connect()
  await dumper.query('set plan_cache_mode = force_generic_plan')
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'shop_id'
       -- Leases of the worker's tasks, which end at any time.
       and table_name <> 'background_tasks' order by 1`,
  )
  tables = rows.map(({ name }) => name)
})
afterAll(async () => {
  dumper.release(true)
  await house.close()
})

/**
 * Every row of the shop, with all columns. Prepared once: planning a statement that names each table
 * takes far longer than executing it.
 */
async function dumpOf({ shop }: ShopScope): Promise<unknown[]> {
  const rowsOf = (table: string) =>
    `select '${table}' as table, to_jsonb(t)::text as row from ${table} t where shop_id = $1`
  const text = `${tables.map(rowsOf).join(' union all ')} order by 1, 2`
  const { rows } = await dumper.query<object>({ name: 'dump', text, values: [shop] })
  return rows
}

/** Whether its address alone names what it requests. */
const isAddressed = ({ params, query }: Example) => hasIds([params, query])
const withIds = Object.entries(EXAMPLES).filter(([, example]) => hasIds(example))

/** Its address has a name, which may be any shop's. */
const BY_NAME = '/api/workflows/by-name/{name}'

test('every route with an id is requested', () => {
  for (const { name, path } of house.documented)
    if (path.includes('{') && path !== BY_NAME)
      expect([name, EXAMPLES[name] && isAddressed(EXAMPLES[name])]).toEqual([name, true])
  expect(tables.length).toBeGreaterThan(30)
})

describe('another shop’s data', () => {
  test.each(withIds)('%s', async (name, given) => {
    const { owner, example } = await house.prepare(name)
    const before = await dumpOf(owner.scope)
    const theirs = await house.send(stranger, name, example)
    if (!isAddressed(given)) expect(PASSED_OVER).toContain(theirs.status)
    else if (name.startsWith('head ')) expect(theirs.status).toBe(404)
    else expect(theirs).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    expect(await dumpOf(owner.scope)).toEqual(before)

    expectDocumented(house, name, await house.send(owner, name, example))
    await expectLogged(house, name, owner)
  })
})

describe('ids inside requests', () => {
  /** Runs an operation in each of two shops on the data of one of them. */
  async function operate(body: Record<string, unknown>) {
    const name = 'post /api/operations'
    const { owner, example } = await house.prepare(name, { body, status: 202 })
    const before = await dumpOf(owner.scope)
    const run = async (client: Client) => {
      const { id } = (await house.send(client, name, example)).body
      const { status, total } = await untilEnded(client, id)
      const { body: items } = await client.call('GET', `/api/operations/${id}/items`)
      return {
        status,
        total,
        errors: items.data.map((item: { error: { code: string } | null }) => item.error?.code),
      }
    }
    const theirs = await run(stranger)
    expect(await dumpOf(owner.scope)).toEqual(before)
    return { theirs, own: await run(owner) }
  }
  const tagging = { action: 'tag-files', options: { mode: 'add', tags: ['mine'] } }

  test('files of an operation do not exist for another shop', async () => {
    const { theirs, own } = await operate({ ...tagging, select: { file_ids: [IDS.file] } })
    expect(theirs).toEqual({ status: 'failed', total: 1, errors: ['file_not_found'] })
    expect(own).toMatchObject({ status: 'success', total: 1 })
  })
  test('a filter by a pack of another shop is refused', async () => {
    const name = 'post /api/operations'
    const body = { ...tagging, select: { filter: { pack: IDS.pack } } }
    const { owner, example } = await house.prepare(name, { body, status: 202 })
    const before = await dumpOf(owner.scope)
    const theirs = await house.send(stranger, name, example)
    expect(theirs).toMatchObject({ status: 422 })
    expect(JSON.stringify(theirs.body)).toContain('not_found')
    expect(await dumpOf(owner.scope)).toEqual(before)
    const { body: started } = await house.send(owner, name, example)
    expect(await untilEnded(owner, started.id)).toMatchObject({ status: 'success', total: 2 })
  })
  test('nothing of one shop can be added to a pack, a version or a link of another', async () => {
    const mine = await house.prepare('get /api/files/{id}')
    const requests = {
      'patch /api/files/{id}': { pack_id: IDS.pack },
      'post /api/files/{id}/versions': { upload_id: IDS.received_upload },
      'post /api/links': { pack_id: IDS.pack },
    }
    for (const [name, body] of Object.entries(requests)) {
      const theirs = await house.prepare(name, { body, status: 200 })
      const refused = await house.send(mine.owner, name, {
        ...theirs.example,
        params: mine.example.params!,
      })
      expect([404, 422]).toContain(refused.status)
      expect(JSON.stringify(refused.body)).toContain('not_found')
    }
    const select = { file_ids: [mine.example.params!.id] }
    const move = { action: 'move-to-pack', options: { pack: IDS.pack }, select }
    const { example } = await house.prepare('post /api/operations', { body: move, status: 202 })
    const refused = await house.send(mine.owner, 'post /api/operations', example)
    expect(refused).toMatchObject({ status: 422 })
    expect(JSON.stringify(refused.body)).toContain('not_found')
  })
})

describe('ids in saved settings', () => {
  const PRODUCT = 'gid://shopify/Product/7007'
  const VARIANT = 'gid://shopify/ProductVariant/7007'
  const bulk = (plugin: string, options: object) => ({
    path: '/api/workflows',
    param: (name: string) => `steps[0].options.${name}`,
    body: (name: string) => ({ name, kind: 'bulk', steps: [{ plugin, options }] }),
  })
  const schedule = (more: object) => ({
    path: '/api/schedules',
    param: (name: string) =>
      name === 'filter' ? 'filter.pack' : name === 'workflow' ? name : `options.${name}`,
    body: (name: string) => ({ name, enabled: true, cron: '0 2 * * *', ...more }),
  })
  const tagging = { action: 'tag-files', options: { mode: 'add', tags: ['mine'] } }
  const CASES = {
    'a workflow, a pack': [bulk('move-to-pack', { pack: IDS.pack }), 'pack'],
    'a workflow, a product': [bulk('map-products', { product_id: PRODUCT }), 'product_id'],
    'a workflow, products': [bulk('unmap-products', { product_ids: [PRODUCT] }), 'product_ids[0]'],
    'a workflow, a variant': [
      bulk('map-products', { product_id: PRODUCT, variant_id: VARIANT }),
      'variant_id',
    ],
    'a schedule, a pack': [
      schedule({ action: 'move-to-pack', options: { pack: IDS.pack } }),
      'pack',
    ],
    'a schedule, a filter': [schedule({ ...tagging, filter: { pack: IDS.pack } }), 'filter'],
    'a schedule, a product': [
      schedule({ action: 'unmap-products', options: { product_ids: [PRODUCT] } }),
      'product_ids[0]',
    ],
    'a schedule, a workflow': [schedule({ workflow: IDS.workflow }), 'workflow'],
  } as const

  test.each(Object.entries(CASES))(
    '%s: refused with its field, as one that does not exist',
    async (title, [kind, name]) => {
      const example = { body: kind.body(title), status: 201 }
      const { owner, example: given } = await house.prepare(`post ${kind.path}`, example)
      await catalogOf(owner.scope)
      const theirs = await stranger.call('POST', kind.path, given.body)
      expect(theirs).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } })
      const problems = (answer: typeof theirs) =>
        answer.body.error.details.map(({ param, message }: { param: string; message: string }) => ({
          param,
          message,
        }))
      expect(problems(theirs).map(({ param }: { param: string }) => param)).toContain(
        kind.param(name),
      )
      // An id that no shop has is answered in the same words.
      // oxfmt-ignore
      const nowhere = JSON.parse(JSON.stringify(given.body).replaceAll('7007', '7999').replaceAll(/(pack|workflow)_[0-9a-f]{32}/g, `$1_${'0'.repeat(32)}`))
      expect(problems(await stranger.call('POST', kind.path, nowhere))).toEqual(problems(theirs))
      expect((await owner.call('POST', kind.path, given.body)).status).toBe(201)
    },
  )

  async function catalogOf(scope: ShopScope) {
    await scope.query(
      `insert into products (shop_id, id, title, title_key, handle, status)
       values (:shop, :id, 'Guide', 'guide', 'guide', 'ACTIVE') on conflict do nothing`,
      { id: PRODUCT },
    )
    await scope.query(
      `insert into variants (shop_id, id, product_id, position, title)
       values (:shop, :id, :product, 1, 'Default') on conflict do nothing`,
      { id: VARIANT, product: PRODUCT },
    )
  }
})

/** With other ids in the request, the foreign one fails the request or its own item. */
const PASSED_OVER = [200, 201, 202, 404, 422]
