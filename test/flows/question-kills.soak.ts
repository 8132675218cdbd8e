// The server is killed while workflows ask: each question is asked once and answered once, each file
// is changed once, and each mail is sent at most twice.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startMailFake, type MailFake } from '../fakes/smtp.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { randomOf } from '../scale.ts'
import { importUntilEnd } from './imports.ts'
import { makeDataDir, removeDataDir, SECRET, startServer, type ServerProcess } from './server.ts'

const KILLS = 8
const RUNS = 12
const UNTIL_MS = 600_000
const random = randomOf('question-kills')

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
let smtp: MailFake
let origin: Origin
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
  ;[database, smtp, origin] = await Promise.all([
    createTestDatabase(),
    startMailFake(),
    startOrigin(),
  ])
  server = await start()
})
afterAll(async () => {
  await server.stop()
  await Promise.all([smtp.close(), origin.close(), database.drop()])
  await removeDataDir(dataDir)
})

interface Run {
  id: string
  status: string
  continued_by: string[]
  asks: { until: string | null } | null
}

async function send<T>(method: string, route: string, body?: unknown): Promise<T> {
  const answer = await server.call(method, route, body)
  expect(answer.status).toBeLessThan(300)
  return (await answer.json()) as T
}
const listed = async (query: string) =>
  (await send<{ data: Run[] }>('GET', `/api/operations?limit=100&${query}`)).data
/** Approves what is asked now. Answers that a kill interrupts are given again. */
async function approve(): Promise<void> {
  for (const { id, asks } of await listed('waiting=true'))
    if (asks?.until)
      void server
        .call('POST', `/api/operations/${id}/answer`, { answer: 'approve' })
        .catch(() => {})
}

test('kills lose no question, and ask, answer and mail nothing twice', async () => {
  await send('PATCH', '/api/settings', { recipients: ['ben@example.com'] })
  const given = Array.from({ length: RUNS }, (_, n) => ({
    filename: `asked-${n}.pdf`,
    url: `${origin.url}/bytes/500/${n}`,
  }))
  const { files } = await importUntilEnd(server, { files: given, auto_map: false })
  const tag = (name: string) => ({ plugin: 'tag-files', options: { mode: 'add', tags: [name] } })
  const steps = [tag('first'), { plugin: 'ask' }, tag('second')]
  const made = { name: 'Killed', kind: 'bulk', steps }
  const { id: workflow } = await send<Run>('POST', '/api/workflows', made)
  for (const { file_id } of files)
    await send('POST', '/api/operations', { workflow, select: { file_ids: [file_id] } })
  for (let kill = 0; kill < KILLS; kill++) {
    await approve()
    await delay(random(20, 1500))
    await server.kill()
    server = await start()
  }
  const until = Date.now() + UNTIL_MS
  const isDone = (runs: readonly Run[]) =>
    runs.length === 2 * RUNS && runs.every(({ status }) => status === 'success')
  let runs = await listed(`workflow=${workflow}`)
  while (!isDone(runs) && Date.now() < until) {
    await approve()
    await delay(500)
    runs = await listed(`workflow=${workflow}`)
  }
  expect(isDone(runs)).toBe(true)
  expect(runs.filter(({ asks }) => asks === null).map((run) => run.continued_by.length)).toEqual(
    Array.from({ length: RUNS }, () => 1),
  )
  for (const { file_id } of files)
    expect((await send<{ tags: string[] }>('GET', `/api/files/${file_id}`)).tags).toEqual([
      'first',
      'second',
    ])
  const mailed = smtp.mails.map(({ raw }) => /\/operations\/(op_\w+)/.exec(raw)?.[1])
  for (const sent of Map.groupBy(mailed, (id) => id).values())
    expect(sent.length).toBeLessThanOrEqual(2)
})
