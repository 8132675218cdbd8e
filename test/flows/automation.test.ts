// Workflows, schedules and settings over HTTP, on the real process: created, checked, attached,
// run, refused.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { findShop, forShop } from '../../server/core/db/for-shop.ts'
import { createApiKey } from '../../server/http/auth.ts'
import { SCOPES, type Scope } from '../../server/http/endpoint.ts'
import { silent } from '../database.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd, listAll } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'
import { soakTest } from '../scale.ts'

let server: RunningServer
let origin: Origin
let database: Database
beforeAll(async () => {
  ;[server, origin] = await Promise.all([startLocalServer(), startOrigin()])
  database = openDatabase(server.databaseUrl, 2, silent)
})
afterAll(async () => {
  await database.close()
  await server.stop()
  await origin.close()
  await removeDataDir(server.dataDir)
})

type Json = Record<string, unknown>
interface Answer<Body> {
  status: number
  body: Body
}

async function ask<Body = Json>(
  method: string,
  route: string,
  body?: unknown,
  key?: string,
): Promise<Answer<Body>> {
  const response = await server.call(
    method,
    route,
    body,
    key ? { authorization: `Bearer ${key}` } : {},
  )
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body }
}

const keyWithout = async (...missing: Scope[]) => {
  const { id } = (await findShop(database, server.shop))!
  const scopes = SCOPES.filter((scope) => !missing.includes(scope))
  return (await createApiKey(forShop(database, id), { name: 'test', scopes, demo: true })).key
}

async function untilEnd(id: string): Promise<Json> {
  const read = async () => (await ask('GET', `/api/operations/${id}`)).body
  await expect.poll(async () => (await read()).status).toMatch(/success|partial|failed|cancelled/)
  return read()
}

const tagging = (name: string, tag: string) => ({
  name,
  kind: 'bulk',
  steps: [
    { plugin: 'tag-files', options: { mode: 'add', tags: [tag] }, when: { search: 'guide' } },
    { plugin: 'notify', on_failure: 'drop' },
  ],
})

describe('workflows', () => {
  test('built-in ones are readable and cannot be changed', async () => {
    const { body } = await ask<{ data: Json[] }>('GET', '/api/workflows')
    const api = body.data.find(({ id }) => id === 'import-api')
    expect(api).toMatchObject({
      name: 'API import',
      built_in: true,
      kind: 'import',
      channel: 'api',
      created_at: null,
    })
    expect((await ask('GET', '/api/workflows/import-api')).body).toEqual(api)
    expect((await ask('PUT', '/api/workflows/import-api', tagging('Mine', 'a'))).status).toBe(409)
    expect((await ask('DELETE', '/api/workflows/import-api')).status).toBe(409)
  })

  test('a shop’s workflow is created, read, run on files, changed and deleted', async () => {
    const files = ['guide.pdf', 'other.pdf'].map((filename) => ({
      filename,
      url: `${origin.url}/bytes/50/${filename}`,
    }))
    await importUntilEnd(server, { files })
    const made = await ask('POST', '/api/workflows', tagging('Guides', 'guide'))
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Guides',
        built_in: false,
        kind: 'bulk',
        parallel: 1,
        channel: null,
        cannot_undo: [],
      },
    })
    expect(made.body.steps).toMatchObject([
      {
        id: 'tag-files',
        title: 'Tag files',
        summary: expect.stringContaining('guide'),
        when: { search: 'guide' },
      },
      { id: 'notify', plugin: 'notify', options: {}, on_failure: 'drop' },
    ])
    const route = `/api/workflows/${made.body.id}`
    expect((await ask('GET', route)).body).toEqual(made.body)

    const started = await ask('POST', '/api/operations', {
      workflow: made.body.id,
      select: { filter: {} },
    })
    expect(started).toMatchObject({
      status: 202,
      body: { workflow: made.body.id, workflow_title: 'Guides' },
    })
    expect(await untilEnd(started.body.id as string)).toMatchObject({ status: 'success', total: 2 })
    const tagged = await listAll(server, '/api/files?tags=guide')
    expect(tagged.map(({ filename }) => filename)).toEqual(['guide.pdf'])

    const changed = await ask('PUT', route, { ...tagging('Guides', 'handbook'), parallel: 2 })
    expect(changed).toMatchObject({ status: 200, body: { id: made.body.id, parallel: 2 } })
    expect((await ask('DELETE', route)).status).toBe(204)
    expect((await ask('GET', route)).status).toBe(404)
  })

  test('an invalid one is refused with every problem, and drafts can be checked', async () => {
    const broken = {
      name: '',
      kind: 'bulk',
      steps: [{ plugin: 'tag-files', options: { tags: ['a;b'] } }, { plugin: 'fly' }],
    }
    const params = ['name', 'steps[0].options.tags[0]', 'steps[1].plugin']
    const refused = await ask<{ error: { details: { param: string }[] } }>(
      'POST',
      '/api/workflows',
      broken,
    )
    expect(refused.status).toBe(422)
    expect(refused.body.error.details.map(({ param }) => param)).toEqual(params)
    const checked = await ask<{ problems: { param: string }[]; steps: Json[] }>(
      'POST',
      '/api/workflows/check',
      broken,
    )
    expect(checked.status).toBe(200)
    expect(checked.body.problems.map(({ param }) => param)).toEqual(params)
    expect(checked.body.steps.length).toBe(2)
    const fine = await ask('POST', '/api/workflows/check', tagging('Fine', 'fine'))
    expect(fine.body).toMatchObject({
      problems: [],
      steps: [{ summary: expect.stringContaining('fine') }, {}],
    })
  })

  soakTest('a workflow attached to the API is used by every import over it', async () => {
    const own = {
      name: 'From our tool',
      kind: 'import',
      channel: 'api',
      steps: [
        { plugin: 'fetch-url' },
        { plugin: 'validate-file' },
        { plugin: 'tag-files', options: { mode: 'add', tags: ['tool'] } },
      ],
    }
    const { body: made } = await ask('POST', '/api/workflows', own)
    const files = [
      { filename: 'attached.bin', url: `${origin.url}/bytes/50/attached`, tags: ['mine'] },
    ]
    const { job_id } = await importUntilEnd(server, { files })
    expect((await ask('GET', `/api/jobs/${job_id}`)).body).toMatchObject({
      workflow: made.id,
      action: 'import',
    })
    const [file] = await listAll(server, '/api/files?tags=tool')
    expect(file).toMatchObject({ filename: 'attached.bin', tags: ['mine', 'tool'] })
    expect((await ask('DELETE', `/api/workflows/${made.id}`)).status).toBe(204)
    const after = await importUntilEnd(server, { files: [{ ...files[0], filename: 'plain.bin' }] })
    expect((await ask('GET', `/api/jobs/${after.job_id}`)).body).toMatchObject({
      workflow: 'import-api',
    })
  })

  test('a workflow cannot do more than the key that uses it allows', async () => {
    const deleting = { name: 'Away', kind: 'bulk', steps: [{ plugin: 'delete-files' }] }
    const refused = await ask('POST', '/api/workflows', deleting, await keyWithout('files:delete'))
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { details: [{ message: expect.stringContaining('files:delete') }] } },
    })
    const reader = await keyWithout('settings:write')
    expect((await ask('POST', '/api/workflows', tagging('No', 'no'), reader)).status).toBe(403)
    expect((await ask('GET', '/api/workflows', undefined, reader)).status).toBe(200)
  })
})

test('plugins describe their options as JSON Schema, with titles and help for a form', async () => {
  const { body } = await ask<{ data: Json[] }>('GET', '/api/plugins')
  const byId = Object.fromEntries(body.data.map((plugin) => [plugin.id, plugin]))
  expect(byId['delete-files']).toMatchObject({
    kind: 'act',
    works_on: 'files',
    scope: 'items',
    undo: 'fields',
    permission: 'files:delete',
    touches_bytes: false,
    options: {
      type: 'object',
      properties: {
        remove_mappings: {
          type: 'boolean',
          default: false,
          title: expect.any(String),
          description: expect.any(String),
        },
      },
    },
  })
  expect(byId['fetch-url']).toMatchObject({ works_on: 'imports', touches_bytes: true })
  expect(byId.notify).toMatchObject({ scope: 'operation', works_on: null })
  const options = body.data.map((plugin) => plugin.options)
  expect(JSON.stringify(options)).not.toContain('"help"')
})

describe('schedules', () => {
  const nightly = {
    name: 'Nightly',
    cron: '0 3 * * *',
    action: 'tag-by-rule',
    filter: { search: 'manual' },
  }

  test('one is created with its next runs, changed, run now, and deleted', async () => {
    const made = await ask<Json & { next_runs: string[] }>('POST', '/api/schedules', nightly)
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...nightly,
        enabled: true,
        workflow: null,
        options: {},
        notify: 'always',
        cap: 100,
        time_zone: 'Europe/London',
        schedule_text: 'Daily at 03:00',
        last_run: null,
      },
    })
    expect(made.body.next_runs.length).toBe(5)
    const route = `/api/schedules/${made.body.id}`
    const off = await ask('PUT', route, { ...nightly, cron: '0 2 1 * *', enabled: false })
    expect(off.body).toMatchObject({
      enabled: false,
      next_runs: [],
      schedule_text: 'Monthly on the 1st at 02:00',
    })

    await importUntilEnd(server, {
      files: [{ filename: 'manual.pdf', url: `${origin.url}/bytes/50/manual` }],
    })
    const run = await ask('POST', `${route}/run`)
    expect(run).toMatchObject({
      status: 202,
      body: { action: 'tag-by-rule', schedule_id: made.body.id, total: 1 },
    })
    await untilEnd(run.body.id as string)
    expect((await ask('GET', route)).body).toMatchObject({
      last_run: { operation_id: run.body.id, status: 'success' },
    })
    expect((await listAll(server, `/api/operations?schedule_id=${made.body.id}`)).length).toBe(1)
    expect((await listAll(server, '/api/files?search=manual'))[0]).toMatchObject({ tags: ['pdf'] })

    expect((await ask('DELETE', route)).status).toBe(204)
    expect((await ask('GET', route)).status).toBe(404)
    expect((await ask('GET', `/api/operations/${run.body.id}`)).status).toBe(200)
  })

  test('the templates can be posted unchanged', async () => {
    const { body } = await ask<{ data: Json[] }>('GET', '/api/schedules/templates')
    expect(body.data.length).toBe(2)
    for (const template of body.data) {
      const made = await ask('POST', '/api/schedules', template)
      expect(made).toMatchObject({ status: 201, body: template })
      await ask('DELETE', `/api/schedules/${made.body.id}`)
    }
  })

  test('a cron line is described in words, and an invalid one is refused', async () => {
    const told = await ask<{ next_runs: string[] }>('POST', '/api/schedules/check', {
      cron: '30 8 * * 1',
      time_zone: 'Asia/Tokyo',
    })
    expect(told.body).toMatchObject({
      schedule_text: 'Weekly on Monday at 08:30',
      time_zone: 'Asia/Tokyo',
    })
    const times = told.body.next_runs.map((run) => run.slice('2026-01-01'.length))
    expect(times).toEqual(Array.from({ length: 5 }, () => 'T23:30:00.000Z'))
    expect((await ask('POST', '/api/schedules/check', { cron: 'soon' })).status).toBe(422)
    const mars = await ask('POST', '/api/schedules/check', {
      cron: '0 3 * * *',
      time_zone: 'Mars/Olympus',
    })
    expect(mars).toMatchObject({ status: 422, body: { error: { param: 'time_zone' } } })
  })

  soakTest('lists the number of files that it would find', async () => {
    await importUntilEnd(server, {
      files: [{ filename: 'match.pdf', url: `${origin.url}/bytes/50/match` }],
    })
    const filter = { search: 'match', mapped: false }
    const found = { total: 1, total_is_exact: true, sample: ['match.pdf'] }
    const matched = async (action?: string) =>
      (await ask('POST', '/api/schedules/match', { filter, ...(action ? { action } : {}) })).body
    expect(await matched()).toEqual({ ...found, impact: null })
    const impact = { files: 1, mapped: 0, products: 0, live_links: 0, paid_deliveries: 0 }
    expect(await matched('delete-files')).toEqual({ ...found, impact })
    expect(await matched('purge-files')).toMatchObject({ total: 0, sample: [] })
  })

  test('keep a workflow from being deleted, and are named', async () => {
    const { body: workflow } = await ask('POST', '/api/workflows', tagging('Kept', 'kept'))
    const { body: schedule } = await ask('POST', '/api/schedules', {
      name: 'Keeper',
      cron: '0 3 * * *',
      workflow: workflow.id,
    })
    expect(schedule).toMatchObject({ action: null, workflow: workflow.id })
    const refused = await ask('DELETE', `/api/workflows/${workflow.id}`)
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { code: 'workflow_in_use', message: expect.stringContaining('Keeper') } },
    })
    await ask('DELETE', `/api/schedules/${schedule.id}`)
    expect((await ask('DELETE', `/api/workflows/${workflow.id}`)).status).toBe(204)
  })

  test('do nothing that the key of their creator or caller may not do', async () => {
    const key = await keyWithout('files:delete')
    const cleaning = { name: 'Clean', cron: '0 3 * * *', action: 'delete-files' }
    expect((await ask('POST', '/api/schedules', cleaning, key)).status).toBe(403)
    const { body: made } = await ask('POST', '/api/schedules', cleaning)
    expect((await ask('POST', `/api/schedules/${made.id}/run`, undefined, key)).status).toBe(403)
    expect((await ask('PUT', `/api/schedules/${made.id}`, cleaning, key)).status).toBe(403)
    expect((await ask('DELETE', `/api/schedules/${made.id}`)).status).toBe(204)
  })
})

describe('settings', () => {
  test('are read with their defaults, and changed one by one', async () => {
    expect((await ask('GET', '/api/settings')).body).toMatchObject({
      expiry_days: 60,
      download_limit: 5,
      visibility: 'private',
      cdn: true,
      auto_map: true,
      time_zone: 'Europe/London',
    })
    const changed = await ask('PATCH', '/api/settings', {
      expiry_days: null,
      recipients: ['ann@example.com'],
    })
    expect(changed.body).toMatchObject({
      expiry_days: null,
      download_limit: 5,
      recipients: ['ann@example.com'],
    })
    expect((await ask('PATCH', '/api/settings', {})).body).toEqual(changed.body)
    expect((await ask('GET', '/api/settings')).body).toEqual(changed.body)
  })

  test.each([
    [{ expiry_days: 0 }, 'expiry_days'],
    [{ recipients: ['nobody'] }, 'recipients'],
    [{ time_zone: '+02:00' }, 'time_zone'],
    [{ colour: 'red' }, 'colour'],
  ])('%j is refused', async (change, param) => {
    expect(await ask('PATCH', '/api/settings', change)).toMatchObject({
      status: 422,
      body: { error: { param } },
    })
  })

  test('a new time zone moves the next run of every schedule', async () => {
    const { body: made } = await ask('POST', '/api/schedules', {
      name: 'Moved',
      cron: '0 3 * * *',
      action: 'tag-by-rule',
    })
    await ask('PATCH', '/api/settings', { time_zone: 'Asia/Tokyo' })
    const moved = await ask<Json & { next_runs: string[] }>('GET', `/api/schedules/${made.id}`)
    expect(moved.body).toMatchObject({ time_zone: 'Asia/Tokyo' })
    expect(moved.body.next_runs[0]).toMatch(/T18:00:00.000Z$/)
    const { rows } = await database.pool.query<{ next_run_at: Date }>(
      'select next_run_at from triggers',
    )
    expect(rows.map(({ next_run_at }) => next_run_at.toISOString())).toEqual([
      moved.body.next_runs[0],
    ])
    await ask('PATCH', '/api/settings', { time_zone: 'UTC' })
  })

  test('are changed with settings:write only', async () => {
    const key = await keyWithout('settings:write')
    expect((await ask('PATCH', '/api/settings', { cdn: false }, key)).status).toBe(403)
    expect((await ask('GET', '/api/settings', undefined, key)).status).toBe(200)
  })
})
