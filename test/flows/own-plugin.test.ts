// The plugin that docs/plugins.md teaches. Its code is extracted from that page, type-checked,
// listed, and used for everything that the page promises, so that the page stays correct.
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plugin } from '../../plugins/contract/index.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { openTestApp, untilEnded, type Client, type TestApp } from '../app.ts'
import { makeFiles } from '../files.ts'
import { TSC } from '../programs.ts'
import { soakTest } from '../scale.ts'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '../..')
/**
 * Has the layout of the checkout, so that the page's imports resolve; git and the linters ignore
 * it.
 */
const HOUSE = path.join(ROOT, '.test', 'own-plugin')
const SHARED = ['plugins/contract/index.ts', 'test/fakes/context.ts', 'test/suites/plugins.ts']

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(HOUSE, file)), { recursive: true })
  await writeFile(path.join(HOUSE, file), text)
}

/** Writes the page's code blocks that begin with their file name; returns the names. */
async function writeHouse(): Promise<string[]> {
  const page = await readFile(path.join(ROOT, 'docs/plugins.md'), 'utf8')
  const blocks = [...page.matchAll(/^```ts\n\/\/ (plugins\/\S+)\n(.*?)^```$/gms)]
  for (const [, file, code] of blocks) await put(file!, code!)
  for (const file of SHARED)
    await put(
      file,
      `export * from '${path.relative(path.join(HOUSE, file, '..'), path.join(ROOT, file))}'\n`,
    )
  return blocks.map(([, file]) => file!)
}

const files = await writeHouse()
const { retireEditions } = (await import(path.join(HOUSE, files[0]!))) as { retireEditions: Plugin }
// The plugin's own test, with the shared suite, becomes part of this file.
await import(path.join(HOUSE, files[1]!))

soakTest('the page has a plugin and its test, and both type-check', async () => {
  expect(files).toEqual([
    'plugins/retire-editions/plugin.ts',
    'plugins/retire-editions/plugin.test.ts',
  ])
  await put(
    'tsconfig.json',
    JSON.stringify({ extends: '../../tsconfig.json', include: [], exclude: [], files }),
  )
  const args = [TSC, '--pretty', 'false', '--project', HOUSE]
  const problems = await run(process.execPath, args, { cwd: ROOT }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
  expect(problems).toBe('')
})

describe('once it is listed', () => {
  let app: TestApp
  let worker: EngineWorker
  let owner: Client
  beforeAll(async () => {
    app = await openTestApp({ plugins: [retireEditions] })
    owner = app.owner
    worker = await app.engine.startWorker()
    const names = [
      'planner-2024.pdf',
      'planner-2025.pdf',
      'planner-2026.pdf',
      'planner stickers.zip',
      'poster-2020.pdf',
    ]
    await makeFiles(
      owner.scope,
      names.map((filename) => ({ filename, tags: ['mine'] })),
    )
    await owner.scope.query(
      `update files set visibility = 'public', expiry_days = 60 where shop_id = :shop`,
    )
  })
  afterAll(async () => {
    await worker.stop()
    await app.close()
  })

  const start = async (body: object) => {
    const { status, body: operation } = await owner.call('POST', '/api/operations', {
      action: 'retire-editions',
      options: { before: 2026 },
      select: { filter: { search: 'planner' } },
      ...body,
    })
    expect([status, operation.error]).toEqual([202, undefined])
    return operation
  }
  const itemsOf = async (id: string) =>
    (await owner.call('GET', `/api/operations/${id}/items`)).body.data
  const shop = () =>
    owner.scope.query(
      `select filename, visibility, expiry_days, tags, updated_at from files where shop_id = :shop
        order by 1`,
    )

  test('it has a form', async () => {
    const { body } = await owner.call('GET', '/api/plugins')
    const listed = body.data.find(({ id }: Plugin) => id === 'retire-editions')
    expect(listed).toMatchObject({
      title: 'Retire old editions',
      kind: 'act',
      undo: 'fields',
      options: {
        type: 'object',
        required: ['before'],
        properties: {
          before: {
            title: 'Editions before',
            description: 'A year. Newer editions stay as they are.',
            type: 'integer',
            minimum: 1900,
          },
          tag: { title: 'Tag them', default: 'old edition' },
          expiry_days: { widget: 'never', default: 7 },
        },
      },
    })
  })

  test('invalid options are refused by name', async () => {
    const { status, body } = await owner.call('POST', '/api/operations', {
      action: 'retire-editions',
      options: { before: 'soon', tag: 'a;b', colour: 'red' },
      select: { filter: {} },
    })
    expect(status).toBe(422)
    expect(body.error.details.map(({ param }: { param: string }) => param).sort()).toEqual([
      'options.before',
      'options.colour',
      'options.tag',
    ])
  })

  const preview = [
    {
      filename: 'planner-2024.pdf',
      status: 'done',
      before: { visibility: 'public' },
      after: { visibility: 'private' },
    },
    {
      filename: 'planner-2025.pdf',
      status: 'done',
      after: { tags: { added: ['old edition'], removed: [] } },
    },
    {
      filename: 'planner-2026.pdf',
      status: 'skipped',
      error: { message: 'It is the edition of 2026' },
    },
    {
      filename: 'planner stickers.zip',
      status: 'skipped',
      error: { message: 'There is no year in its name' },
    },
  ]

  test('it has a preview, which changes nothing until it is confirmed', async () => {
    const before = await shop()
    const { id } = await start({ dry_run: true })
    await expect
      .poll(async () => (await owner.call('GET', `/api/operations/${id}`)).body)
      .toMatchObject({
        status: 'previewed',
        done: 2,
        skipped: 2,
        actions: expect.arrayContaining(['confirm']),
      })
    expect(await itemsOf(id)).toMatchObject(preview)
    expect(await shop()).toEqual(before)

    expect((await owner.call('POST', `/api/operations/${id}/confirm`)).status).toBe(200)
    expect(await untilEnded(owner, id)).toMatchObject({
      status: 'success',
      done: 2,
      skipped: 2,
      percentage: 100,
    })
    expect(await shop()).toMatchObject([
      { filename: 'planner stickers.zip', visibility: 'public' },
      {
        filename: 'planner-2024.pdf',
        visibility: 'private',
        expiry_days: 7,
        tags: ['mine', 'old edition'],
      },
      { filename: 'planner-2025.pdf', visibility: 'private', expiry_days: 7 },
      { filename: 'planner-2026.pdf', visibility: 'public', expiry_days: 60, tags: ['mine'] },
      { filename: 'poster-2020.pdf', visibility: 'public' },
    ])

    expect((await owner.call('POST', `/api/operations/${id}/undo`)).status).toBe(202)
    const undone = await owner.call('GET', `/api/operations/${id}`)
    expect(await untilEnded(owner, undone.body.undone_by)).toMatchObject({
      status: 'success',
      done: 2,
    })
    expect(await shop()).toEqual(before)
  })

  test('it runs, shows progress, can be read back and undone', async () => {
    const { id } = await start({ options: { before: 2025, tag: 'retired', expiry_days: null } })
    const events = (await owner.call('GET', `/api/operations/${id}/events`)).body as string
    expect(events).toMatch(/^event: end\ndata: /m)
    const record = await untilEnded(owner, id)
    expect(record).toMatchObject({
      status: 'success',
      action: 'retire-editions',
      workflow_title: 'Retire old editions',
      steps: [
        {
          plugin: 'retire-editions',
          summary: 'Makes editions before 2025 private and tags them retired',
        },
        {},
      ],
      actions: ['undo'],
    })
    expect((await itemsOf(id))[0]).toMatchObject({
      before: { visibility: 'public', expiry_days: 60, tags: ['mine'] },
      after: {
        visibility: 'private',
        expiry_days: null,
        tags: { added: ['retired'], removed: [] },
      },
    })
    const history = await owner.call('GET', '/api/operations?action=retire-editions')
    expect(history.body.data[0]).toMatchObject({ id, requested_by: 'test', total: 4 })
    const log = (await owner.call('GET', `/api/operations/${id}/log.csv`)).body as string
    expect(log).toContain('planner-2026.pdf')
    expect(log).toContain('It is the edition of 2026')
  })

  test('it can be a step of a merchant’s workflow, on some of the files', async () => {
    const steps = [
      {
        plugin: 'retire-editions',
        options: { before: 2100, tag: 'archive' },
        when: { search: 'poster' },
      },
      { plugin: 'notify', options: { when: 'never' } },
    ]
    const made = await owner.call('POST', '/api/workflows', {
      name: 'Archive posters',
      kind: 'bulk',
      parallel: 1,
      steps,
    })
    expect([made.status, made.body.steps?.[0]?.summary]).toEqual([
      201,
      expect.stringContaining('before 2100'),
    ])
    const { status, body } = await owner.call('POST', '/api/operations', {
      workflow: made.body.id,
      select: { filter: {} },
    })
    expect(status).toBe(202)
    expect(await untilEnded(owner, body.id)).toMatchObject({ status: 'success', done: 5 })
    const tagged = await owner.call('GET', '/api/files?tags=archive')
    expect(tagged.body.data).toMatchObject([{ filename: 'poster-2020.pdf' }])
  })

  test('it can be scheduled', async () => {
    const made = await owner.call('POST', '/api/schedules', {
      name: 'New year',
      cron: '0 3 1 1 *',
      action: 'retire-editions',
      options: { before: 2026, tag: 'by schedule' },
      filter: { search: 'planner' },
    })
    expect([made.status, made.body.error]).toEqual([201, undefined])
    expect(made.body).toMatchObject({
      enabled: true,
      next_runs: expect.arrayContaining([expect.stringMatching(/-01-01T/)]),
    })
    const { status, body } = await owner.call('POST', `/api/schedules/${made.body.id}/run`)
    expect(status).toBe(202)
    expect(await untilEnded(owner, body.id)).toMatchObject({
      status: 'success',
      schedule_id: made.body.id,
      done: 2,
    })
    expect((await owner.call('GET', '/api/files?tags=by schedule')).body.data).toHaveLength(2)
  })
})
