// Plans with the demo's billing: read from the platform, enforced where files and links are
// created, changed by a charge that the merchant confirms; and no limits if the operator has no
// plans.
import { afterEach, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { addFile } from '../../../test/deliveries.ts'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { toPublicId } from '../../core/ids.ts'
import { readShopPlan } from '../../files/quotas.ts'
import { planProblems, type Plans } from '../../core/configuration/plan-list.ts'

const FREE = {
  id: 'small',
  title: 'Small',
  limits: { files: 2, storage_bytes: 1000, monthly_downloads: 1 },
  features: [],
}
const STUDIO = {
  id: 'studio',
  title: 'Studio',
  limits: { files: null, storage_bytes: null, monthly_downloads: null },
  features: ['workflows'] as const,
  price: { amount: 19, currency: 'EUR', interval: 'EVERY_30_DAYS' as const },
  trialDays: 14,
}
const MANUAL: Plans = { pricing: 'manual', free: 'small', list: [FREE, STUDIO], test: true }
const MANAGED: Plans = {
  pricing: 'managed',
  free: 'small',
  list: [FREE, STUDIO],
  partner: { organization: '42', token: 'prtapi_test', app: '7' },
}

let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  app = undefined
})
const openWith = async (plans: Plans | null): Promise<TestApp> =>
  (app = await openTestApp({ plans }))
const plan = async ({ demo }: TestApp, refresh = '?refresh=1') =>
  (await demo.call('GET', `/api/plan${refresh}`)).body
const post = (url: string) => fetch(url, { method: 'POST', redirect: 'manual' })
const workflow = {
  name: 'Own',
  kind: 'bulk',
  steps: [{ plugin: 'tag-files', options: { tags: ['own'] } }],
}

soakTest('without plans nothing is limited, and there is nothing to choose', async () => {
  const opened = await openWith(null)
  expect(await plan(opened)).toMatchObject({ enabled: false, plan: null, limits: null, plans: [] })
  expect(await readShopPlan(opened.demo.scope)).toBeNull()
  const choice = await opened.demo.call('POST', '/api/plan', { plan: 'small' })
  expect(choice).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
})

test('a plan limits files, storage, links and features, and its errors say what to do', async () => {
  const opened = await openWith(MANUAL)
  const { demo: owner, engine } = opened
  const house = { ...engine, scope: owner.scope }
  expect(await plan(opened)).toMatchObject({ plan: 'small', title: 'Small', features: [] })
  const refused = (name: string, bytes: number, why: RegExp) =>
    expect(addFile(house, name, Buffer.alloc(bytes, name))).rejects.toThrow(why)
  const file = await addFile(house, 'a.txt', Buffer.alloc(600, 'a'))
  await refused('large.txt', 600, /plan_limit.*The plan “Small” allows .* of storage/)
  await addFile(house, 'b.txt', Buffer.alloc(10, 'b'))
  await refused('c.txt', 10, /plan_limit.*The plan “Small” allows 2 files: .*Settings, Plan/)

  const gated = await owner.call('POST', '/api/workflows', workflow)
  expect(gated.body.error).toMatchObject({
    code: 'plan_limit',
    message: expect.stringContaining('The plan “Small” does not include workflows') as string,
  })

  const make = () => owner.call('POST', '/api/links', { file_ids: [toPublicId('file', file)] })
  const [link] = (await make()).body.data
  const download = opened.url + new URL(link.url).pathname + new URL(link.url).search
  expect((await fetch(download)).status).toBe(200)
  await expect.poll(async () => (await plan(opened, '')).used.monthly_downloads).toBe(1)
  expect((await make()).body.error).toMatchObject({
    code: 'plan_limit',
    message: expect.stringContaining('allows 1 downloads a month') as string,
  })
  // Existing links keep working.
  expect((await fetch(download)).status).toBe(200)
  expect(await plan(opened, '')).toMatchObject({ used: { files: 2, storage_bytes: 610 } })
})

soakTest(
  'what a plan does not include cannot be changed either, except to switch it off',
  async () => {
    const opened = await openWith(MANUAL)
    await plan(opened)
    const { demo: owner, endpoints } = opened
    const call = (method: string, route: string, body: object) => owner.call(method, route, body)
    const schedule = {
      name: 'Night',
      cron: '0 3 * * *',
      action: 'tag-files',
      options: { tags: ['a'] },
    }
    await owner.scope.query(`update shop_plans set features = :all where shop_id = :shop`, {
      all: ['workflows', 'schedules', 'connections', 'webhooks', 'realtime'],
    })
    const made = await Promise.all([
      call('POST', '/api/schedules', schedule),
      call('POST', '/api/workflows', workflow),
      call('POST', '/api/webhooks', { url: 'http://127.0.0.1:1/hook' }),
      call('POST', '/api/connections', { provider: 'demo' }),
    ])
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const [scheduled, built, hook, connection] = made.map(({ body }) => body.id as string)
    await owner.scope.query(`update shop_plans set features = '{}' where shop_id = :shop`)
    const refused = [
      await call('PUT', `/api/schedules/${scheduled}`, { ...schedule, name: 'Day' }),
      await call('PUT', `/api/workflows/${built}`, workflow),
      await call('PATCH', `/api/webhooks/${hook}`, { enabled: true }),
      await call('PATCH', `/api/connections/${connection}`, { frequency_hours: 1 }),
    ]
    expect(refused.map(({ body }) => body.error?.code)).toEqual(Array(4).fill('plan_limit'))
    const switched = [
      await call('PUT', `/api/schedules/${scheduled}`, { ...schedule, enabled: false }),
      await call('PATCH', `/api/webhooks/${hook}`, { enabled: false }),
      await call('PATCH', `/api/connections/${connection}`, { frequency_hours: null }),
    ]
    expect(switched.map(({ status }) => status)).toEqual([200, 200, 200])

    // What creates a record and what changes it need the same feature.
    const features = new Map(endpoints.map((one) => [`${one.method} ${one.path}`, one.feature]))
    const edits = endpoints.filter(
      ({ method, path }) => ['put', 'patch'].includes(method) && path.endsWith('{id}'),
    )
    expect(edits.length).toBeGreaterThan(5)
    for (const { path, feature } of edits)
      expect([path, feature]).toEqual([path, features.get(`post ${path.replace(/\/\{id\}$/, '')}`)])
  },
)

test('manual pricing: a charge that the merchant approves changes the plan', async () => {
  const opened = await openWith(MANUAL)
  const choose = async (id: string) => opened.demo.call('POST', '/api/plan', { plan: id })
  expect((await choose('nothing')).body.error.details).toMatchObject([{ param: 'plan' }])
  expect((await choose('small')).status).toBe(409)
  const declined = (await choose('studio')).body.confirmation_url as string
  expect(await (await fetch(declined)).text()).toContain('Studio: 19.00 EUR')
  expect((await post(`${declined}/decline`)).headers.get('location')).toContain('/settings/plan')
  expect(await plan(opened)).toMatchObject({ plan: 'small' })

  await post(`${(await choose('studio')).body.confirmation_url}/approve`)
  const shown = await plan(opened)
  expect(shown).toMatchObject({ plan: 'studio', features: ['workflows'], ends: false })
  expect(Date.parse(shown.trial_ends_at)).toBeGreaterThan(Date.now())
  expect((await opened.demo.call('POST', '/api/workflows', workflow)).status).toBe(201)
})

soakTest('managed pricing: the plan is read through the Partner API', async () => {
  const opened = await openWith(MANAGED)
  expect(await plan(opened)).toMatchObject({ plan: 'small', pricing: 'managed' })
  const choice = await opened.demo.call('POST', '/api/plan', { plan: 'studio' })
  expect(choice.body.confirmation_url).toBe(
    'https://admin.shopify.com/store/harbour-press/charges/stevedore/pricing_plans',
  )
  await post(`${opened.shopFrontUrl}/demo/plan/studio`)
  expect(await plan(opened)).toMatchObject({ plan: 'studio', limits: { files: null } })
  // A plan that the operator no longer offers has the limits of the free plan.
  await post(`${opened.shopFrontUrl}/demo/plan/gold`)
  expect(await plan(opened)).toMatchObject({ plan: 'small' })
})

test('invalid plans are named at the start', () => {
  expect(planProblems(MANUAL)).toEqual([])
  const bad = { ...FREE, limits: { ...FREE.limits, files: -1 } }
  expect(planProblems({ ...MANAGED, partner: null, free: 'none', list: [bad, bad] })).toEqual([
    'plan small is listed twice',
    'plans.free: “none” is not in the list',
    ...Array<string>(2).fill('plans.small.limits.files: set a number, or null for no limit'),
    'plans.partner: set organization, token and app, or use the pricing “manual”',
  ])
})
