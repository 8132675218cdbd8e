// The server is killed while a workflow collects events, calls a program, waits, asks and is confirmed:
// each file is in one run and changed once, the program gets it under one key, and each mail is sent at
// most twice. An undo of the three parts of a run restores the rows of its files.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startMailFake, type MailFake } from '../fakes/smtp.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { entries, startProgram, type Program } from '../fakes/program.ts'
import { randomOf } from '../scale.ts'
import { importUntilEnd } from './imports.ts'
import { makeDataDir, removeDataDir, SECRET, startServer, type ServerProcess } from './server.ts'

const KILLS = 6
const FILES = 12
const UNTIL_MS = 600_000
const random = randomOf('workflow-kills')

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
let pool: pg.Pool
let smtp: MailFake
let origin: Origin
let program: Program
let webhook: string
let server: ServerProcess
const start = () =>
  startServer({
    dataDir,
    env: {
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      APP_SECRET: SECRET,
      SMTP_URL: smtp.url,
    },
  })
beforeAll(async () => {
  dataDir = await makeDataDir()
  ;[database, smtp, origin, program] = await Promise.all([
    createTestDatabase(),
    startMailFake(),
    startOrigin(),
    startProgram(),
  ])
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
  // The database is dropped at the end.
  pool.on('error', () => {})
  server = await start()
  await send('PATCH', '/api/settings', { recipients: ['ben@example.com'] })
  const hook = { url: program.url, events: ['workflow.call'] }
  const made = await send<{ id: string; secret: string }>('POST', '/api/webhooks', hook)
  webhook = made.id
  program.secret = made.secret
  program.answer = async (request) => {
    await delay(random(0, 300))
    return entries(request, () => ({ change: { tags: { add: ['called'] } } }))
  }
})
afterAll(async () => {
  await server.stop()
  await pool.end()
  await Promise.all([smtp.close(), origin.close(), program.close(), database.drop()])
  await removeDataDir(dataDir)
})

interface Run {
  id: string
  status: string
  total: number
  continues: string | null
  waits: object | null
  asks: { until: string | null } | null
}

async function send<T>(method: string, route: string, body?: unknown): Promise<T> {
  const answer = await server.call(method, route, body)
  if (answer.status >= 300) throw new Error(`${method} ${route}: ${await answer.text()}`)
  return (await answer.json()) as T
}
const runsOf = async (workflow: string) =>
  (await send<{ data: Run[] }>('GET', `/api/operations?limit=100&workflow=${workflow}`)).data
const tag = (name: string) => ({ plugin: 'tag-files', options: { mode: 'add', tags: [name] } })

async function makeFiles(name: string): Promise<string[]> {
  const given = Array.from({ length: FILES }, (_, n) => ({
    filename: `${name}-${n}.pdf`,
    url: `${origin.url}/bytes/500/${n}`,
  }))
  const { files } = await importUntilEnd(server, { files: given, auto_map: false })
  return files.map(({ file_id }) => file_id!)
}

async function makeWorkflow(name: string, when: object[] = []): Promise<string> {
  const steps = [
    tag('first'),
    { plugin: 'call', options: { webhook } },
    { plugin: 'wait', options: { for: 1, unit: 'minutes' } },
    tag('second'),
    { plugin: 'ask' },
    tag('third'),
  ]
  const made = { name, kind: 'bulk', steps, when }
  return (await send<{ id: string }>('POST', '/api/workflows', made)).id
}

/** Ends the waits and approves what is asked. Requests that a kill interrupts are sent again. */
async function advance(workflow: string): Promise<void> {
  for (const { id, waits, asks } of await runsOf(workflow)) {
    if (waits) void server.call('POST', `/api/operations/${id}/continue`).catch(() => {})
    if (asks?.until)
      void server
        .call('POST', `/api/operations/${id}/answer`, { answer: 'approve' })
        .catch(() => {})
  }
}
const textOf = (raw: string) => raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')

async function untilDone(workflow: string, isDone: (runs: readonly Run[]) => boolean) {
  const until = Date.now() + UNTIL_MS
  for (;;) {
    const runs = await runsOf(workflow)
    if (isDone(runs) || Date.now() > until) return runs
    await advance(workflow)
    await delay(500)
  }
}
const filesIn = (runs: readonly Run[], isFirst: boolean) =>
  runs
    .filter(({ continues }) => (continues === null) === isFirst)
    .reduce((sum, { total }) => sum + total, 0)

test('kills while it collects, calls, waits, asks and is confirmed leave each file in one run', async () => {
  const files = await makeFiles('killed')
  const event = { kind: 'event', event: 'file.changed', which: { tags: ['go'] }, collect: 1 }
  const workflow = await makeWorkflow('Killed', [event])
  const left = [...files]
  for (let kill = 0; kill < KILLS; kill++) {
    for (const id of left.splice(0, 2)) await send('PATCH', `/api/files/${id}`, { tags: ['go'] })
    await advance(workflow)
    await delay(random(20, 2500))
    await server.kill()
    server = await start()
  }
  const runs = await untilDone(
    workflow,
    (all) => filesIn(all, false) === 2 * FILES && all.every(({ status }) => status === 'success'),
  )
  expect(filesIn(runs, true)).toBe(FILES)
  expect(filesIn(runs, false)).toBe(2 * FILES)
  for (const id of files) {
    const { tags } = await send<{ tags: string[] }>('GET', `/api/files/${id}`)
    expect(tags).toEqual(['go', 'first', 'called', 'second', 'third'])
  }
  const { rows } = await pool.query<{ runs: number; files: number }>(
    `select count(*)::int as runs, count(distinct i.file_id)::int as files from items i
     join operations o on o.shop_id = i.shop_id and o.id = i.operation_id
     where o.workflow ->> 'id' = $1 and o.continues is null and i.status = 'done'`,
    [workflow],
  )
  expect(rows).toEqual([{ runs: FILES, files: FILES }])
  const keys = program.requests
    .filter(({ data }) => !data.dry_run)
    .flatMap(({ data }) => data.files.map(({ id, key }) => [id, key] as const))
  expect(new Set(keys.map(([id]) => id)).size).toBe(FILES)
  expect(new Set(keys.map(([, key]) => key)).size).toBe(FILES)
  const mailed = smtp.mails.map(({ raw }) => /\/operations\/(op_\w+)/.exec(textOf(raw))?.[1])
  for (const sent of Map.groupBy(mailed, (id) => id).values())
    expect(sent.length).toBeLessThanOrEqual(2)
})

test('an undo of the three parts of a run restores the rows of its files', async () => {
  const files = await makeFiles('undone')
  const rowsOf = async () =>
    (
      await pool.query<Record<string, unknown>>(
        `select * from files where filename like 'undone-%' order by id`,
      )
    ).rows
  const before = await rowsOf()
  const workflow = await makeWorkflow('Undone')
  await send('POST', '/api/operations', { workflow, select: { file_ids: files } })
  const runs = await untilDone(
    workflow,
    (all) => all.length === 3 && all.every(({ status }) => status === 'success'),
  )
  expect(runs.map(({ status }) => status)).toEqual(Array(3).fill('success'))
  expect((await rowsOf()).map(({ tags }) => tags)).not.toEqual(before.map(({ tags }) => tags))
  // The list begins with the last part.
  for (const { id } of runs) {
    const undo = await send<Run>('POST', `/api/operations/${id}/undo`)
    const until = Date.now() + UNTIL_MS
    const ended = async () => (await send<Run>('GET', `/api/operations/${undo.id}`)).status
    while ((await ended()) !== 'success' && Date.now() < until) await delay(200)
    expect(await ended()).toBe('success')
  }
  expect(await rowsOf()).toEqual(before)
})
