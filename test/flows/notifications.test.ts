// Notifications of the shop and of its tools, with a real mail server; a killed process sends
// nothing twice.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startReceiver, type Receiver } from '../fakes/receiver.ts'
import { startMailFake, type Behaviour, type MailFake } from '../fakes/smtp.ts'
import { sized, soakTest } from '../scale.ts'
import { EVENTS } from '../../server/features.ts'
import { importUntilEnd, jobUntilEnd, listAll, type ImportReply } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import {
  makeDataDir,
  removeDataDir,
  startServer,
  type RunningServer,
  type ServerProcess,
} from './server.ts'
import { WAIT_MS } from '../wait.ts'

interface MessageRecord {
  id: string
  to: string[]
  subject: string
  text: string
  status: string
  operation_id: string
}

const TO = 'owner@example.com'
let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
let sql: pg.Client
let origin: Origin
let smtp: MailFake
let receiver: Receiver
let server: RunningServer

/** In this process, except for the tests that kill it. */
const start = () =>
  startLocalServer({ DATABASE_URL: database.url, DATA_DIR: dataDir, SMTP_URL: smtp.url })

async function moveToProcess(): Promise<ServerProcess> {
  await server.stop()
  const env = { DATABASE_URL: database.url, SMTP_URL: smtp.url }
  const own = await startServer({ dataDir, env })
  server = own
  return own
}

beforeAll(async () => {
  ;[dataDir, database, origin, smtp, receiver] = await Promise.all([
    makeDataDir(),
    createTestDatabase(),
    startOrigin(),
    startMailFake(),
    startReceiver(),
  ])
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  server = await start()
  await sql.query(`update shops set settings = settings || $1`, [
    JSON.stringify({ recipients: [TO] }),
  ])
})
afterAll(async () => {
  await server.stop()
  await Promise.all([smtp.close(), origin.close(), receiver.close(), sql.end()])
  await database.drop()
  await removeDataDir(dataDir)
})

/** Imports, and returns the job once it has ended. */
async function importOf(name: string, given: object = {}): Promise<string> {
  const files = [
    { filename: `${name}.bin`, url: `${origin.url}/bytes/100/${name}` },
    { filename: `${name}-gone.bin`, url: `${origin.url}/status/404?secret=canary#part` },
  ]
  const response = await server.call('POST', '/api/files/import', { files, notify: true, ...given })
  const { job_id } = (await response.json()) as ImportReply
  await jobUntilEnd(server, job_id)
  return job_id
}

const messages = async (route = '/api/messages') =>
  (await listAll(server, route)) as unknown as MessageRecord[]
const messageOf = async (job: string) =>
  (await messages()).find(({ operation_id }) => operation_id === job)!

async function until<T>(
  look: () => Promise<T | false | undefined> | T | false | undefined,
): Promise<T> {
  const end = Date.now() + WAIT_MS
  while (true) {
    const found = await look()
    if (found) return found
    if (Date.now() > end) throw new Error(`The expected state was not reached:\n${server.output()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const untilStatus = (job: string, ...statuses: string[]) =>
  until(async () => {
    const message = await messageOf(job)
    return statuses.includes(message?.status) && message
  })

/** Kills the server, sets its unfinished messages two minutes back, and starts it again. */
async function killAndStart({ kill }: ServerProcess): Promise<void> {
  await kill()
  smtp.release()
  smtp.behaviour = 'accept'
  await sql.query(
    `update outbox set taken_at = taken_at - interval '3 minutes' where status = 'sending'`,
  )
  server = await start()
}

test('an import with errors sends an email and a notice that links to it', async () => {
  const job = await importOf('told')
  const message = await untilStatus(job, 'sent')
  expect(message).toMatchObject({
    to: [TO],
    subject: expect.stringMatching(
      /^Import of “told.bin and 1 more” partly complete: 1 of 2 files imported/,
    ),
  })
  expect(message.text).toContain(
    // Its address has a fragment, which is tried as part of the name.
    'told-gone.bin: File URL not accessible. The server answered 404: file not found. Write # in the name of a file as %23 (url_not_accessible)\n',
  )
  expect(message.text).toContain(`    ${origin.url}/status/404\n`)
  expect(message.text).not.toContain('canary')
  const log = await (await server.call('GET', `/api/operations/${job}/log.csv`)).text()
  expect(log).toContain(`${origin.url}/status/404,`)
  expect(log).toContain('The server answered 404')
  expect(log).not.toContain('canary')
  expect(message.text).toContain(`/operations/${job}`)
  const mail = smtp.mails.find(({ messageId }) => messageId.includes(message.id))
  expect(mail).toMatchObject({ to: [TO], raw: expect.stringMatching(/Content-Type: text\/html/) })
  const notices = (await (await server.call('GET', '/api/notices')).json()) as {
    data: object[]
    unread: number
  }
  expect(notices.data[0]).toMatchObject({
    level: 'warning',
    title: 'Import of “told.bin and 1 more” partly complete',
    operation_id: job,
  })
  expect(notices.unread).toBeGreaterThan(0)
})

test('without notify, only what the settings request is sent', async () => {
  const job = await importOf('quiet', { notify: false })
  expect(await messageOf(job)).toBeUndefined()
})

test('the end is posted to callback_url, signed with the shop’s secret', async () => {
  const job = await importOf('called', { callback_url: receiver.url })
  const post = await until(() => receiver.posts[0])
  const { secret } = (await (await server.call('GET', '/api/webhooks/secret')).json()) as {
    secret: string
  }
  const event = new Webhook(secret).verify(post.body, post.headers) as { data: object }
  const record = (await (await server.call('GET', `/api/jobs/${job}`)).json()) as object
  expect(event).toMatchObject({ type: 'operation.finished', data: record })
  const [message] = await until(async () => {
    const sent = await messages('/api/messages?kind=callback&status=sent')
    return sent.length > 0 && sent
  })
  expect(message).toMatchObject({ operation_id: job, text: post.body })
  const again = await server.call('POST', `/api/messages/${message!.id}/send`)
  expect(again.status).toBe(202)
  const second = await until(() => receiver.posts[1])
  expect(second).toMatchObject({ body: post.body })
  expect(second.headers['webhook-id']).toBe(message!.id)
})

soakTest(
  'names that every object inherits reach the mail, the notice, the webhook and the lists',
  async () => {
    const names = Object.getOwnPropertyNames(Object.prototype)
    receiver.posts.length = 0
    const jobs = await Promise.all(
      names.map(async (name) => {
        const files = [{ filename: name, url: `${origin.url}/bytes/100/${name}`, tags: [name] }]
        const { job_id } = await importUntilEnd(server, {
          files,
          notify: true,
          callback_url: receiver.url,
        })
        return { name, job_id }
      }),
    )
    const notices = await listAll(server, '/api/notices')
    for (const { name, job_id } of jobs) {
      const { subject } = await untilStatus(job_id, 'sent')
      expect(subject).toContain(`Import of “${name}” complete`)
      expect(notices).toContainEqual(
        expect.objectContaining({ title: `Import of “${name}” complete`, operation_id: job_id }),
      )
      const [file] = await listAll(server, `/api/files?search=${name}&tags=${name}`)
      expect(file).toMatchObject({ filename: name, tags: [name] })
      const log = await (await server.call('GET', `/api/operations/${job_id}/log.csv`)).text()
      expect(log).toContain(name)
      await until(() => receiver.posts.some(({ body }) => body.includes(job_id)))
    }
    const listed = (await listAll(server, '/api/operations')) as unknown as { id: string }[]
    expect(listed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(jobs.map(({ job_id }) => job_id)),
    )
  },
)

soakTest(
  'a failed import is reported in German if the shop wants that, and its notice as data',
  async () => {
    await server.call('PATCH', '/api/settings', { mail_language: 'de' })
    onTestFinished(async () => {
      await server.call('PATCH', '/api/settings', { mail_language: null })
    })
    const job = await importOf('verloren')
    const { subject, text } = await untilStatus(job, 'sent')
    expect(subject).toBe(
      'Import von „verloren.bin und 1 weitere“: teilweise fertig: 1 von 2 Dateien importiert, 1 fehlgeschlagen, 1 ohne Produkt',
    )
    expect(text).toContain(
      '\nImportiert: 1\nFehlgeschlagen: 1\nInsgesamt: 2\n'.replaceAll('\n', '\n  ').trimEnd(),
    )
    expect(text).toContain(
      'verloren-gone.bin: Datei-URL nicht zugänglich. Der Server antwortete 404',
    )
    expect(text).toContain('Du bekommst diese E-Mail, weil')
    expect(text).not.toMatch(/\b(the|files?|failed)\b/)
    const notices = await listAll(server, '/api/notices')
    expect(notices.find(({ operation_id }) => operation_id === job)).toMatchObject({
      title: 'Import of “verloren.bin and 1 more” partly complete',
      title_text: {
        message: '{title} partly complete',
        values: { title: { message: '{title} of “{label}”' } },
      },
    })
  },
)

soakTest('the end of a cloud sync is posted to a webhook for sync.finished', async () => {
  const folder = path.join(dataDir, 'demo-cloud', 'told')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'tides.txt'), 'tides')
  const hook = await startReceiver()
  const post = async (route: string, body: object) =>
    (await (await server.call('POST', route, body)).json()) as { id: string; secret: string }
  try {
    const { id: webhook, secret } = await post('/api/webhooks', {
      url: hook.url,
      events: ['sync.finished'],
    })
    const connection = await post('/api/connections', { provider: 'demo', folder: 'told' })
    const sync = await post(`/api/connections/${connection.id}/sync`, {})
    const { body, headers } = await until(() => hook.posts[0])
    const event = new Webhook(secret).verify(body, headers) as { data: object }
    expect(event).toMatchObject({
      type: 'sync.finished',
      data: { id: sync.id, status: 'success', total: 1, done: 1, failed: 0 },
    })
    const declared = EVENTS.find(({ name }) => name === 'sync.finished')!
    expect(declared.data.strict().parse(event.data)).toEqual(event.data)
    await server.call('DELETE', `/api/webhooks/${webhook}`)
    expect(hook.posts).toHaveLength(1)
  } finally {
    await hook.close()
  }
})

test('a cancelled import is posted to its callback_url too', async () => {
  const before = receiver.posts.length
  const files = [{ filename: 'never.bin', url: `${origin.url}/silent-body` }]
  const body = { files, callback_url: receiver.url }
  const response = await server.call('POST', '/api/files/import', body, { prefer: 'respond-async' })
  const { job_id } = (await response.json()) as ImportReply
  await until(() => origin.count('/silent-body') > 0)
  expect((await server.call('POST', `/api/operations/${job_id}/cancel`)).status).toBe(200)
  const post = await until(() => receiver.posts[before])
  expect(JSON.parse(post.body)).toMatchObject({ data: { id: job_id, status: 'cancelled' } })
})

soakTest(
  'a deletion of more than 100 files has its own message; a smaller one has none',
  async () => {
    const files = Array.from({ length: 102 }, (_, n) => ({
      filename: `gone-${n}.bin`,
      url: `${origin.url}/bytes/${10 + n}/gone-${n}`,
    }))
    const { files: imported } = await importUntilEnd(server, { files, notify: false })
    const ids = imported.map(({ file_id }) => file_id)
    const remove = async (file_ids: unknown[]) => {
      const answer = await server.call('POST', '/api/files/bulk-delete', { file_ids })
      const { job_id } = (await answer.json()) as { job_id: string }
      await jobUntilEnd(server, job_id)
      return job_id
    }
    const [few, many] = [await remove(ids.slice(0, 1)), await remove(ids.slice(1))]
    const message = await untilStatus(many, 'sent')
    expect(message.subject).toBe('Delete files complete: 101 of 101 files moved to the trash')
    expect(message.text).toContain('Files in the trash can be restored for 7 days.')
    expect(await messageOf(few)).toBeUndefined()
    const notices = await listAll(server, '/api/notices')
    expect(notices.filter(({ operation_id }) => operation_id === many).length).toBe(1)
    expect(notices.filter(({ operation_id }) => operation_id === few)).toEqual([])
  },
)

test('an invalid callback_url is refused', async () => {
  const files = [{ filename: 'x.bin', url: `${origin.url}/bytes/1/x` }]
  const response = await server.call('POST', '/api/files/import', {
    files,
    callback_url: 'ftp://example.com',
  })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({
    error: { param: 'callback_url', details: [{ code: 'invalid_url' }] },
  })
})

const HANGS: [Behaviour, number][] = [
  ['hang-after', 1],
  ['hang-before', 0],
]
test.each(sized([], HANGS))(
  'killed while the mail server does %s: the mail is unknown, reported, and only resent manually',
  async (behaviour, arrived) => {
    const killed = await moveToProcess()
    smtp.behaviour = behaviour
    const job = await importOf(`killed-${behaviour}`)
    await until(() => smtp.hanging === 1)
    await killAndStart(killed)
    const { id } = await untilStatus(job, 'unknown')
    const notices = (await (await server.call('GET', '/api/notices')).json()) as { data: object[] }
    expect(notices.data[0]).toMatchObject({
      title: 'An email may not have arrived',
      operation_id: job,
    })
    const marker = await untilStatus(await importOf(`after-${behaviour}`), 'sent')
    const mailsOf = (message: string) =>
      smtp.mails.filter(({ messageId }) => messageId.includes(message)).length
    expect([mailsOf(id), mailsOf(marker.id)]).toEqual([arrived, 1])
    expect((await server.call('POST', `/api/messages/${id}/send`)).status).toBe(202)
    await untilStatus(job, 'sent')
    expect(mailsOf(id)).toBe(arrived + 1)
  },
)

soakTest(
  'killed at the moment of acceptance, with more mail waiting: none is delivered twice, and none is lost unnoticed',
  async () => {
    const before = smtp.mails.length
    const { since } = (await sql.query<{ since: string }>('select now()::text as since')).rows[0]!
    const own = await moveToProcess()
    let killed = false
    smtp.onAccepted = () => void (killed ||= own.child.kill('SIGKILL'))
    const jobs = await Promise.all(
      Array.from({ length: 5 }, (_, n) => importOf(`many-${n}`).catch(() => null)),
    )
    await until(() => killed)
    smtp.onAccepted = null
    await killAndStart(own)
    // As many as were accepted before the kill: the first may have ended before the others arrived.
    const all = await until(async () => {
      const { rows } = await sql.query<{ id: string; status: string }>(
        `select o.id, coalesce(o.status, 'none yet') as status from operations p
         left join outbox o on o.operation_id = p.id and o.kind = 'email' where p.created_at > $1`,
        [since],
      )
      return (
        rows.length > 0 && rows.every(({ status }) => ['sent', 'unknown'].includes(status)) && rows
      )
    })
    const arrived = smtp.mails.slice(before).map(({ messageId }) => messageId)
    expect(new Set(arrived).size).toBe(arrived.length)
    for (const { id, status } of all)
      if (status === 'sent')
        expect(arrived.some((one) => one.includes(id.replaceAll('-', '')))).toBe(true)
    expect(jobs.length).toBe(5)
  },
)
