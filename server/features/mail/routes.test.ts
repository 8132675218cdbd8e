// The sender and the texts of a shop's mails, over the API, a mail server on a socket, and name
// servers of the test.
import { createPublicKey, createVerify, hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { inEnglish } from '../../../test/english.ts'
import { silent } from '../../../test/database.ts'
import { startMailFake, type MailFake } from '../../../test/fakes/smtp.ts'
import { present } from '../../core/lazy.ts'
import { createSecrets } from '../../core/secrets.ts'
import { NO_MAIL_SETTINGS } from '../../core/configuration/mail-settings.ts'
import { createLink, makeFiles } from '../../../test/mail.ts'
import { openOutbox, type Outbox } from '../../startup/outbox.ts'

const PATH = '/api/settings/mail'
const secrets = createSecrets('the secret of the tests, long enough')

let app: TestApp
let installation: MailFake
let own: MailFake
let outbox: Outbox
const dns = {
  txt: new Map<string, string[][]>(),
  cname: new Map<string, string[]>(),
  silent: false,
}
const found = <Value>(records: Map<string, Value[]>, name: string): Promise<Value[]> => {
  const failure = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
  if (dns.silent) return failure('ETIMEOUT')
  return records.has(name) ? Promise.resolve(records.get(name) ?? []) : failure('ENODATA')
}

beforeAll(async () => {
  ;[installation, own] = await Promise.all([startMailFake(), startMailFake()])
  const settings = {
    returnAddress: 'bounces@mail.example.net',
    spfInclude: 'spf.example.net',
    bounceHost: 'mail.example.net',
  }
  app = await openTestApp({
    mail: {
      smtpUrl: installation.url,
      settings,
      dns: {
        resolveTxt: (name) => found(dns.txt, name),
        resolveCname: (name) => found(dns.cname, name),
      },
    },
  })
  const { database } = app.engine.parts
  outbox = openOutbox({
    database,
    smtpUrl: installation.url,
    twilio: null,
    secrets,
    log: silent,
    mail: { ...NO_MAIL_SETTINGS, ...settings },
    allowLoopback: true,
    from: 'Stevedore <files@example.net>',
    baseUrl: 'http://127.0.0.1',
    clock: () => new Date(),
    client: { post: () => Promise.reject(new Error('no callback in this test')) },
    operationRecord: () => Promise.resolve({}),
  })
  await makeFiles(app.owner.scope, ['Guide.pdf'])
})
afterAll(async () => {
  await outbox.close()
  await app.close()
  await Promise.all([installation.close(), own.close()])
})
beforeEach(() => {
  installation.mails.length = 0
  own.mails.length = 0
  own.behaviour = 'accept'
})

const call = (...args: Parameters<TestApp['owner']['call']>) => app.owner.call(...args)
const plain = (raw: string) => raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')
const headerOf = (raw: string, name: string) =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(raw)?.[1]?.replace(/\r\n\s+/g, ' ')

/** Mails a link to the address, and returns its message's status. */
async function mailLink(to = 'buyer@example.org') {
  const id = await createLink(app.owner.scope, secrets, to)
  await outbox.deliver({ shop: app.owner.scope.shop, message: id })
  const { body } = await call('GET', `/api/messages?limit=1`)
  return body.data[0] as { status: string; error: string | null }
}

it('a name and an address for replies count immediately, and the envelope has its own address', async () => {
  const { body } = await call('PATCH', PATH, {
    name: ' Harbour & Söns ',
    reply_to: 'help@harbour.example',
  })
  expect(body).toMatchObject({
    name: 'Harbour & Söns',
    used: 'installation',
    from: { name: 'Harbour & Söns', email: 'files@localhost' },
  })
  await mailLink()
  const { raw, from, messageId } = present(installation.mails[0], 'The mail')
  expect(headerOf(raw, 'From')).toMatch(/^=\?UTF-8\?.+ <files@example\.net>$/)
  expect(headerOf(raw, 'Reply-To')).toBe('help@harbour.example')
  expect(headerOf(raw, 'Auto-Submitted')).toBe('auto-generated')
  expect(raw).not.toMatch(/^List-Unsubscribe/im)
  expect(messageId).toMatch(/@example\.net>$/)
  expect(from).toMatch(/^bounces\+[a-z2-7]{48}@mail\.example\.net$/)
})

it.each([
  [{ name: 'Shop\r\nBcc: x@example.com' }, 'name'],
  [{ name: 'Bank <bank@example.com>' }, 'name'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ reply_to: 'a@example.com\r\nBcc: b@example.com' }, 'reply_to'],
  [{ way: 'pigeon' }, 'way'],
])('refuses %j', async (change, param) => {
  const { status, body } = await call('PATCH', PATH, change)
  expect(status).toBe(422)
  expect(body.error.details[0].param).toBe(param)
})

const server = () => ({
  host: '127.0.0.1',
  port: own.port,
  security: 'none',
  user: '',
  from: 'orders@harbour.example',
})

it('the shop’s own server is used once the code of a test mail is entered', async () => {
  const saved = await call('PUT', `${PATH}/server`, server())
  expect(saved.body).toMatchObject({ used: 'installation', server: { confirmed_at: null } })
  own.behaviour = 'refuse'
  const refused = await call('POST', `${PATH}/server/test`, { email: 'me@harbour.example' })
  expect(refused.status).toBe(422)
  expect(refused.body.error).toMatchObject({
    code: 'mail_server_failed',
    message: 'The mail server answered: 550 No such user me@harbour.example',
  })
  own.behaviour = 'accept'
  const test = await call('POST', `${PATH}/server/test`, { email: 'me@harbour.example' })
  expect(test.body.server.test).toMatchObject({ to: 'me@harbour.example' })
  const [mail] = own.mails
  const code = present(/\r\n(\d{6})\r\n/.exec(present(mail, 'The test mail').raw)?.[1], 'The code')
  const wrong = await call('POST', `${PATH}/server/confirm`, {
    code: code === '000000' ? '1' : '000000',
  })
  expect(wrong.body.error.code).toBe('wrong_code')
  await mailLink()
  expect(installation.mails.length).toBe(1)
  const confirmed = await call('POST', `${PATH}/server/confirm`, { code: ` ${code}` })
  expect(confirmed.body).toMatchObject({ used: 'server', way: 'server' })
  await mailLink()
  expect(installation.mails.length).toBe(1)
  const sent = present(own.mails.at(-1), 'The mail')
  expect(sent.from).toBe('orders@harbour.example')
  expect(sent.messageId).toMatch(/@harbour\.example>$/)
})

soakTest(
  'the shop’s own server has the address for reports as sender only if it accepted the test mail',
  async () => {
    const reporting = { ...server(), reports: true }
    const saved = await call('PUT', `${PATH}/server`, reporting)
    expect(saved.body).toMatchObject({ reports_offered: true, server: { reports: true } })
    own.refused.add('bounces@mail.example.net')
    const refused = await call('POST', `${PATH}/server/test`, { email: 'me@harbour.example' })
    expect(refused.body.error.message).toBe(
      'The mail server answered: 553 Not your address. If your server refuses the address for reports, switch off that the app is told about mails that come back.',
    )
    own.refused.clear()
    await call('POST', `${PATH}/server/test`, { email: 'me@harbour.example' })
    const [mail] = own.mails
    const { from, raw } = present(mail, 'The test mail')
    expect(from).toMatch(/^bounces\+[a-z2-7]{48}@mail\.example\.net$/)
    expect(headerOf(raw, 'From')).toContain('orders@harbour.example')
    const code = present(/\r\n(\d{6})\r\n/.exec(raw)?.[1], 'The code')
    await call('POST', `${PATH}/server/confirm`, { code })
    await mailLink()
    const sent = present(own.mails.at(-1), 'The mail')
    const token = present(/\+([a-z2-7]{48})@/.exec(sent.from)?.[1], 'The token')
    expect(headerOf(sent.raw, 'X-Stevedore-Message')).toBe(token)
    expect(headerOf(sent.raw, 'From')).toContain('orders@harbour.example')
    // Without it, or after a change of the server, reports go to the shop.
    await call('PUT', `${PATH}/server`, server())
    await call('POST', `${PATH}/server/test`, { email: 'me@harbour.example' })
    const again = present(own.mails.at(-1), 'The test mail')
    expect(again.from).toBe('orders@harbour.example')
    const next = present(/\r\n(\d{6})\r\n/.exec(again.raw)?.[1], 'The code')
    await call('POST', `${PATH}/server/confirm`, { code: next })
    await mailLink()
    expect(present(own.mails.at(-1), 'The mail').from).toBe('orders@harbour.example')
  },
)

it('a failing server of the shop fails its mails only, and mails to the shop go on', async () => {
  own.replies.set('RCPT', '554 5.7.1 Relay access denied')
  expect(await mailLink()).toMatchObject({
    status: 'waiting',
    error: expect.stringContaining('Relay access denied'),
  })
  own.replies.clear()
  expect(installation.mails.length).toBe(0)
  const { rows } = await app.engine.parts.database.pool.query<{ key: string }>(
    `select key from graphile_worker.jobs where key like 'message:%'`,
  )
  expect(rows.length).toBeGreaterThan(0)
  expect((await call('PATCH', PATH, { way: 'installation' })).body.used).toBe('installation')
})

it('a server that a merchant types must be public, and a password needs TLS', async () => {
  const put = async (change: object) => {
    const { status, body } = await call('PUT', `${PATH}/server`, { ...server(), ...change })
    return status === 200 ? null : body.error.details[0]
  }
  expect(await put({ user: 'me', password: 'pw' })).toMatchObject({ param: 'security' })
  expect(await put({ user: 'me', security: 'tls' })).toMatchObject({ param: 'password' })
  expect(await put({ host: 'a b' })).toMatchObject({ param: 'host' })
  for (const host of ['10.0.0.1', '169.254.169.254', '::ffff:192.168.0.1', '168.63.129.16']) {
    expect(await put({ host, port: 25 })).toBeNull()
    const { status, body } = await call('POST', `${PATH}/server/test`, { email: 'me@example.com' })
    expect(status).toBe(422)
    expect(body.error.message).toBe('The mail server could not be reached')
  }
  await put({ host: 'smtp.example.com', port: 465, security: 'tls', user: 'me', password: 'pw1' })
  const { rows } = await app.engine.parts.database.pool.query<{ row: string }>(
    'select row_to_json(m)::text as row from mail_settings m',
  )
  expect(JSON.stringify(rows)).not.toContain('pw1')
  // The saved password is not sent to another server.
  expect(await put({ host: 'evil.example', port: 465, security: 'tls', user: 'me' })).toMatchObject(
    {
      param: 'password',
    },
  )
  const removed = await call('DELETE', `${PATH}/server`)
  expect(removed.body).toMatchObject({ server: null, used: 'installation' })
})

it('a domain is signed for once its key is in the DNS', async () => {
  const { body } = await call('PUT', `${PATH}/domain`, { from: 'files@Shop.Example' })
  const records = body.domain.records as { kind: string; name: string; value: string }[]
  expect(records.map(({ kind }) => kind)).toEqual(['dkim', 'spf', 'dmarc', 'return_path'])
  const [key] = records
  dns.silent = true
  const states = async () => {
    const checked = await call('POST', `${PATH}/domain/check`)
    return [
      checked.body.used,
      ...checked.body.domain.records.map((one: { state: string }) => one.state),
    ]
  }
  expect(await states()).toEqual(['installation', ...Array(4).fill('unanswered')])
  dns.silent = false
  expect(await states()).toEqual(['installation', ...Array(4).fill('missing')])
  const { name, value } = present(key, 'The record')
  dns.txt.set(name, [['v=DKIM1; p=', 'AAAA']])
  dns.txt.set('shop.example', [['google-site-verification=1'], ['v=spf1 mx -all']])
  expect(await states()).toEqual(['installation', 'different', 'different', 'missing', 'missing'])
  // As providers of DNS store it: in pieces, with spaces, in another order.
  const pieces = value.replace('k=rsa;', 'k=rsa ; t=s;').match(/.{1,200}/gs) ?? []
  dns.txt.set(name, [pieces])
  dns.txt.set('shop.example', [['v=spf1 mx include:SPF.example.net -all']])
  dns.txt.set('_dmarc.shop.example', [['v=DMARC1; p=reject']])
  dns.cname.set('bounces.shop.example', ['MAIL.example.net.'])
  expect(await states()).toEqual(['domain', ...Array(4).fill('found')])
  await mailLink()
  const mail = present(installation.mails[0], 'The mail')
  expect(headerOf(mail.raw, 'From')).toContain('<files@shop.example>')
  expect(mail.from).toMatch(/^bounces\+[a-z2-7]{48}@bounces\.shop\.example$/)
  expect(isSigned(mail.raw, present(/p=(.*)/.exec(value)?.[1], 'The key'))).toBe(true)
  // Without its key the installation's address is used again.
  dns.txt.delete(name)
  expect((await states())[0]).toBe('installation')
  expect((await call('DELETE', `${PATH}/domain`)).body.domain).toBeNull()
})

/** Verifies a signature with relaxed canonicalization (RFC 6376). */
function isSigned(raw: string, key: string): boolean {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const body = rest
    .join('\r\n\r\n')
    .replace(/[ \t]+\r\n/g, '\r\n')
    .replace(/[ \t]+/g, ' ')
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const relaxed = (line: string) => {
    const at = line.indexOf(':')
    return `${line.slice(0, at).toLowerCase()}:${line
      .slice(at + 1)
      .replace(/\s+/g, ' ')
      .trim()}`
  }
  const signature = present(
    unfolded.find((line) => /^dkim-signature:/i.test(line)),
    'DKIM',
  )
  const tags = Object.fromEntries(
    signature
      .slice(15)
      .split(';')
      .map((tag) =>
        tag
          .trim()
          .split(/=(.*)/s)
          .map((one) => one.trim()),
      ),
  ) as Record<string, string>
  const bodyHash = hash('sha256', `${body.replace(/(\r\n)+$/, '')}\r\n`, 'base64')
  const signed = present(tags.h, 'h')
    .split(':')
    .flatMap((name) => {
      const line = unfolded.find((one) =>
        one.toLowerCase().startsWith(`${name.trim().toLowerCase()}:`),
      )
      return line ? [`${relaxed(line)}\r\n`] : []
    })
  const own = relaxed(signature).replace(/b=[^;]*$/, 'b=')
  return (
    tags.bh?.replace(/\s/g, '') === bodyHash &&
    createVerify('RSA-SHA256')
      .update(signed.join('') + own)
      .verify(
        createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }),
        present(tags.b, 'b').replace(/\s/g, ''),
        'base64',
      )
  )
}

const TEXTS = `${PATH}/texts`

it('texts of mails are plain text with variables, and null brings the usual ones back', async () => {
  const own = {
    subject: '{name} <b>from</b> {shop}',
    intro: 'Hello!\r\nIt’s here: {name}\n\n<script>alert(1)</script>',
  }
  await call('PATCH', TEXTS, { texts: { en: { link: own } } })
  await mailLink()
  const raw = plain(present(installation.mails[0], 'The mail').raw)
  expect(raw).toMatch(/^Subject: Guide\.pdf <b>from<\/b> /m)
  expect(raw).toMatch(/<br\s+\/>It/)
  expect(raw.slice(raw.indexOf('<!doctype html>'))).not.toContain('<script>')
  const { body } = await call('PATCH', TEXTS, {
    texts: { en: { link: { subject: null, intro: '' } } },
  })
  const link = body.texts.find(
    (one: { mail: string; locale: string }) => one.mail === 'link' && one.locale === 'en',
  )
  expect(link.fields.map((one: { own: null }) => one.own)).toEqual([null, null, null, null, null])
  expect(link.fields[0]).toMatchObject({
    usual: 'Your download from {shop}: {name}',
    max_length: 150,
  })
})

it.each([
  [
    { subject: 'Hi {customer}' },
    'This mail has no variable {customer}. It has: {order}, {shop}, {files}',
  ],
  [{ intro: '{{#each files}}x{{/each}}' }, 'Braces are for variables only'],
  [{ intro: '{{{shop}}}' }, 'Braces are for variables only'],
  [{ intro: '{constructor}' }, 'This mail has no variable {constructor}'],
  [{ subject: 'a\nBcc: b@example.com' }, 'This text has one line and no control characters'],
  [{ button: 'x'.repeat(61) }, 'Enter at most 60 characters'],
])('refuses the text %j', async (text, message) => {
  const { status, body } = await call('PATCH', TEXTS, { texts: { de: { order: text } } })
  expect(status).toBe(422)
  expect(body.error.details[0]).toMatchObject({
    param: `texts.de.order.${Object.keys(text)[0]}`,
    code: message.includes('ariable') ? 'unknown_variable' : 'invalid_value',
    message: expect.stringContaining(message),
  })
})

soakTest('previews show examples in each language, with texts that are not saved', async () => {
  const preview = async (request: object) => (await call('POST', `${TEXTS}/preview`, request)).body
  const own = { de: { order: { intro: 'Danke! {files} von {shop}.' } } }
  const german = await preview({ mail: 'order', locale: 'de', texts: own })
  expect(german.subject).toContain('#1042')
  expect(german.text).toContain('Danke! 3 Dateien von ')
  expect(german.html).toContain('Datei')
  for (const mail of ['order', 'update', 'added', 'ready', 'available', 'link', 'library'])
    for (const locale of ['en', 'de', 'fr', 'es', 'ja', 'pt']) {
      const { html, subject, text } = await preview({ mail, locale })
      expect(html).toContain(`<html lang='${locale}' `)
      // Names may be written from right to left.
      expect(html).toContain(`<span dir='auto'>`)
      expect(subject + text + html).not.toMatch(/\{\w+\}/)
    }
})

it('addresses that are blocked get nothing until they are allowed', async () => {
  await app.owner.scope.insert('mail_blocks', { email: 'gone@example.org', reason: '550 5.1.1' })
  expect(await mailLink('Gone@example.org')).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('came back'),
  })
  expect((await call('GET', `${PATH}/blocked`)).body.data).toMatchObject([
    { email: 'gone@example.org', reason: '550 5.1.1' },
  ])
  expect(installation.mails.length).toBe(0)
  const notices = await call('GET', '/api/notices')
  expect(inEnglish(notices.body.data[0].title_text)).toBe('An email could not be sent')
  expect((await call('POST', `${PATH}/allow`, { email: 'GONE@example.org' })).body).toEqual({
    allowed: true,
  })
  expect(await mailLink('gone@example.org')).toMatchObject({ status: 'sent' })
})
