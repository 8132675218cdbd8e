import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { createPackLink } from '../links/model/pack-links.ts'
import { ensurePack } from '../../files/packs.ts'
import { eventStatements, wantEvent } from '../../../test/told-events.ts'
import { toPublicId } from '../../core/ids.ts'
import type { MailPayload } from '../../core/outbox/outbox.ts'
import { renderMail } from '../mail/buyer-mail.ts'
import { askForMore, get, openDepot, visit, type Depot } from '../../../test/delivery.ts'

const SMALL = randomBytes(1000)
const DAY_MS = 86_400_000
const STRANGER = 'A'.repeat(43)

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let port: number
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  port = await depot.serve({ trustProxy: true })
  await database.pool.query(`update shops set settings = '{"recipients": ["owner@example.com"]}'`)
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})
beforeEach(() =>
  database.pool.query('delete from outbox; delete from notices; delete from rate_limits'),
)

const notices = () =>
  depot.scope.query<{ title: string; body: string }>(
    'select title, body from notices where shop_id = :shop order by id',
  )
const mails = () =>
  depot.scope.query<{ payload: MailPayload }>(
    'select payload from outbox where shop_id = :shop order by id',
  )

/** Creates a used-up link. */
async function usedUp(filename: string): Promise<{ key: string; id: string }> {
  const link = await depot.addLink(
    SMALL,
    { download_limit: 1, email: 'buyer@example.com' },
    { filename },
  )
  await get(port, link.key)
  return link
}

test('the page of an ended link has the form, whose content reaches the shop as text', async () => {
  const { key } = await usedUp('plan.pdf')
  const { text: page } = await get(port, key)
  expect(page).toContain(`<input type='hidden' name='key' value='${key}' />`)
  expect(page).toContain("<form method='post' action='download/ask'>")
  const message =
    'My disk <img src=x onerror=alert(1)> broke\r\n\r\nSubject: fake\n{{shop}} https://evil.example/'
  const answer = await askForMore(port, { key, message, email: ' me@example.com ' })
  expect(answer.status).toBe(200)
  expect(answer.text).toContain('<h1>Your message was sent</h1>')
  expect(answer.text).toContain('They can answer you at me@example.com.')
  const [{ payload }] = (await mails()) as [{ payload: MailPayload }]
  const { subject, text, html } = renderMail(payload, 'https://files.example.com')
  expect(subject).toBe('A customer asks for more: plan.pdf')
  for (const line of [
    'reached its download limit',
    'made for: buyer@example.com',
    'answered at: me@example.com',
  ])
    expect(text).toContain(line)
  expect(text).toContain('  > My disk <img src=x onerror=alert(1)> broke\n')
  expect(text).toContain('  > Subject: fake\n  > {{shop}} https://evil.example/\n')
  expect(html).toContain('My disk &lt;img src&#x3D;x onerror&#x3D;alert(1)&gt; broke')
  expect(html).not.toContain('<img')
  expect(html.match(/href='[^']*'/g)).toEqual([
    expect.stringMatching(/^href='https:\/\/files\.example\.com\/files\/file_/),
  ])
  expect(await notices()).toMatchObject([
    { title: subject, body: expect.stringContaining('Their link has reached its download limit') },
  ])
  expect(JSON.stringify([await mails(), await notices()])).not.toContain(key)
})

test('a link accepts one request a day, also of two concurrent ones', async () => {
  const { key } = await usedUp('once.pdf')
  const answers = await Promise.all([1, 2, 3].map(() => askForMore(port, { key })))
  expect(answers.map(({ text }) => text.includes('was sent</h1>')).filter(Boolean)).toHaveLength(1)
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(await mails()).toHaveLength(1)
  const page = await get(port, key)
  expect(page.text).toContain('has been asked for more')
  expect(page.text).not.toContain('<form')
  const start = depot.time.now
  depot.time.now = new Date(+start + DAY_MS)
  expect((await askForMore(port, { key })).text).toContain('was sent</h1>')
  depot.time.now = start
  expect(await mails()).toHaveLength(2)
})

soakTest('a request for more is an event about the files of its link', async () => {
  const quiet = await usedUp('unasked.pdf')
  expect(await eventStatements(database, () => askForMore(port, { key: quiet.key }))).toBe(0)
  const told = await wantEvent(depot.scope, 'buyer.asked')
  const link = await usedUp('asked.pdf')
  await askForMore(port, { key: link.key, message: 'Once more', email: 'me@example.com' })
  expect(await told()).toMatchObject([
    { link_id: toPublicId('link', link.id), email: 'me@example.com', message: 'Once more' },
  ])
  await depot.scope.from('webhook_endpoints').delete()
})

test('invalid fields show their error and the entered text; nothing is sent', async () => {
  const { key } = await usedUp('wrong.pdf')
  const answer = await askForMore(port, {
    key,
    email: '"><script>',
    message: `${'x'.repeat(1001)}`,
  })
  expect(answer.status).toBe(422)
  expect(answer.text).toContain('Enter an email address')
  expect(answer.text).toContain('Enter at most 1000 characters')
  expect(answer.text).toContain("value='&quot;&gt;&lt;script&gt;'")
  expect(answer.text).toContain("action='ask'")
  const program = await askForMore(port, { key, email: 'no' }, { accept: 'application/json' })
  expect(JSON.parse(program.text)).toMatchObject({
    error: { code: 'validation_failed', details: [{ param: 'email', code: 'invalid_value' }] },
  })
  expect(await mails()).toEqual([])
  const blank = await askForMore(port, { key, email: ' ', message: '\n' })
  expect(blank.text).toContain('the address to which they sent you the link')
})

test('a request without a valid key, or too frequent, too large or malformed, reveals nothing', async () => {
  const unknown = await get(port, STRANGER)
  for (const key of [STRANGER, 'short', ''])
    expect(await askForMore(port, { key })).toMatchObject({ status: 404, text: unknown.text })
  const { key } = await usedUp('often.pdf')
  expect((await askForMore(port, { key, message: 'x'.repeat(20_000) })).status).toBe(413)
  expect((await askForMore(port, { key }, { 'content-type': 'text/plain' })).status).toBe(415)
  expect(
    (await visit(port, '/download/ask', { 'content-type': 'application/json' }, 'POST', '['))
      .status,
  ).toBe(400)
  expect((await visit(port, '/download/ask')).headers.allow).toBe('POST')
  for (let more = 0; more < 4; more++) await askForMore(port, { key: STRANGER })
  const refused = await askForMore(port, { key })
  expect([refused.status, Number(refused.headers['retry-after']) > 3000]).toEqual([429, true])
  expect(await mails()).toEqual([])
  expect((await askForMore(port, { key }, { 'x-forwarded-for': '198.51.100.7' })).status).toBe(200)
})

soakTest('an IPv6 network counts as one address', async () => {
  const from = (address: string) =>
    askForMore(port, { key: STRANGER }, { 'x-forwarded-for': address })
  for (let host = 0; host < 10; host++) await from(`2001:db8:1:2:${host}::1`)
  expect((await from('2001:db8:1:2::')).status).toBe(429)
  expect((await from('2001:db8:1:3::1')).status).toBe(404)
})

soakTest(
  'a pack’s link and a working link accept requests too; an uninstalled shop gets none',
  async () => {
    const pack = await ensurePack(depot.scope, 'Spring course')
    const { key, id } = await createPackLink(
      depot.scope,
      depot.secrets,
      { pack_id: pack },
      depot.time.now,
    )
    const json = { accept: 'application/json', 'content-type': 'application/json' }
    const asked = await visit(
      port,
      '/download/ask',
      json,
      'POST',
      JSON.stringify({ key, message: 'More' }),
    )
    expect(JSON.parse(asked.text)).toEqual({ status: 'sent' })
    expect((await notices())[0]).toMatchObject({
      title: 'A customer asks for more: Spring course',
      body: 'Their link still works.\nThey write: More',
    })
    await depot.setLink(id, { asked_at: null })
    await database.pool.query('update shops set uninstalled_at = now()')
    expect((await askForMore(port, { key })).status).toBe(404)
    await database.pool.query('update shops set uninstalled_at = null')
  },
)

soakTest('creates only a notice without recipients', async () => {
  await database.pool.query(`update shops set settings = '{}'`)
  const { key } = await usedUp('quiet.pdf')
  expect((await askForMore(port, { key })).status).toBe(200)
  expect([(await notices()).length, (await mails()).length]).toEqual([1, 0])
})
