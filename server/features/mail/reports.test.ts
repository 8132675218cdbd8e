// What happened to mails: the mailbox over IMAP, and the webhooks of providers.
import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { generate } from 'selfsigned'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { silent } from '../../../test/database.ts'
import { startImapFake, type ImapFake } from '../../../test/fakes/imap.ts'
import { createLink, makeFiles } from '../../../test/mail.ts'
import { parsePublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { createSecrets } from '../../core/secrets.ts'
import { readMailbox } from './mailbox.ts'
import { createMailTokens } from './sender.ts'
import { signedText } from './provider-ses.ts'
import { soakTest } from '../../../test/scale.ts'

const POSTMARK = 'a password of postmark'
const MAILGUN = 'a signing key of mailgun'
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:mail'
const CERTIFICATE = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem'
const secrets = createSecrets('the secret of the tests, long enough')
const tokens = createMailTokens(secrets)

let app: TestApp
let mailbox: ImapFake
let amazon: { key: string; certificate: string }
const visited: string[] = []

beforeAll(async () => {
  mailbox = await startImapFake()
  const { private: key, cert } = await generate([
    { name: 'commonName', value: 'sns.amazonaws.com' },
  ])
  amazon = { key, certificate: cert }
  app = await openTestApp({
    mail: {
      settings: { postmarkSecret: POSTMARK, mailgunKey: MAILGUN, sesTopics: [TOPIC] },
      awsGet: (url) => {
        visited.push(url)
        return Promise.resolve(url === CERTIFICATE ? amazon.certificate : '<ok />')
      },
    },
  })
  await makeFiles(app.owner.scope, ['Guide.pdf'])
})
afterAll(async () => {
  await app.close()
  await mailbox.close()
})
beforeEach(async () => {
  visited.length = 0
  mailbox.mails.length = 0
  await app.owner.scope.query('delete from mail_blocks where shop_id = :shop')
  await app.owner.scope.query('delete from notices where shop_id = :shop')
  await app.owner.scope.withoutRows('delete from rate_limits')
})

/** A mail to this buyer that a mail server has accepted. */
async function sentMail(to = 'ada@example.com') {
  const message = await createLink(app.owner.scope, secrets, to)
  await app.owner.scope.query(
    `update outbox set status = 'sent', sent_at = now(), result = :result
     where shop_id = :shop and id = :message`,
    { message, result: JSON.stringify({ to: [to], subject: 'Your download', text: 'x' }) },
  )
  const mail = { shop: app.owner.scope.shop, message }
  return {
    message,
    token: tokens.tokenOf(mail),
    address: tokens.addressOf('bounces@mail.example.net', mail),
  }
}

const read = async (id: string) => {
  const { body } = await app.owner.call('GET', '/api/messages?limit=250')
  const { id: found } = body.data.find(
    (one: { id: string }) => parsePublicId('message', one.id) === id,
  )
  return (await app.owner.call('GET', `/api/messages/${found}`)).body
}
const blocked = async () =>
  (await app.owner.call('GET', '/api/settings/mail/blocked')).body.data.flatMap(
    ({ email, complaint }: { email: string; complaint: boolean }) => (complaint ? [] : email),
  )
const notices = async () => (await app.owner.call('GET', '/api/notices')).body.data

const dsn = (address: string, status: string, words: string) =>
  [
    'Return-Path: <>',
    'From: MAILER-DAEMON@mx.example.com',
    `To: ${address}`,
    `Message-ID: <${randomUUID()}@mx.example.com>`,
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx',
    '',
    'Final-Recipient: rfc822; ada@example.com',
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${words}`,
    '--b--',
    '',
  ].join('\r\n')

const readAll = () =>
  readMailbox(
    mailbox.url,
    { database: app.engine.parts.database, tokens, log: silent },
    new AbortController().signal,
  )

it('the mailbox: a wrong address is blocked and reported, a full one only reported', async () => {
  const [wrong, full, forged] = [await sentMail(), await sentMail(), await sentMail()]
  mailbox.mails.push(
    { seen: false, raw: dsn(full.address, '5.2.2', '552 5.2.2 over quota') },
    { seen: false, raw: dsn(wrong.address, '5.1.1', '550 5.1.1 No such user') },
    { seen: false, raw: dsn(forged.address.replace(/\+../, '+zz'), '5.1.1', '550 no') },
    { seen: false, raw: 'From: a@example.com\r\nSubject: Hello\r\n\r\nHi' },
    { seen: true, raw: dsn(forged.address, '5.1.1', '550 seen before') },
  )
  // The connection breaks in the middle: what was read is not read again, the rest is.
  mailbox.breakAt = 2
  await expect(readAll()).rejects.toThrow()
  expect(await blocked()).toEqual([])
  expect(await readAll()).toBe(3)
  expect(await readAll()).toBe(0)
  expect(await read(wrong.message)).toMatchObject({
    status: 'bounced',
    error: '550 5.1.1 No such user',
    events: [{ event: 'bounced', permanent: true, code: '5.1.1', recipient: 'ada@example.com' }],
  })
  expect(await read(full.message)).toMatchObject({
    status: 'bounced',
    events: [{ permanent: false }],
  })
  expect(await read(forged.message)).toMatchObject({ status: 'sent', events: [] })
  expect(await blocked()).toEqual(['ada@example.com'])
  expect(await notices()).toMatchObject([
    { title: 'An email came back', body: expect.stringContaining('Nothing more is sent') },
    { title: 'An email came back', body: expect.stringContaining('552 5.2.2 over quota') },
  ])
})

soakTest('many bounces raise few notices', async () => {
  for (let at = 0; at < 14; at++) {
    const { address } = await sentMail(`buyer${at}@example.com`)
    mailbox.mails.push({ seen: false, raw: dsn(address, '4.4.1', 'timed out') })
  }
  await readAll()
  const titles = (await notices()).map(({ title }: { title: string }) => title)
  expect(titles).toEqual(['Further emails came back', ...Array(10).fill('An email came back')])
})

const post = (name: string, body: string | object, headers: Record<string, string> = {}) =>
  fetch(`${app.url}/mail-reports/${name}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers,
  }).then(({ status }) => status)

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`stevedore:${password}`).toString('base64')}`,
})

it('Postmark: bounces, complaints and deliveries, with its password only and each once', async () => {
  const { token, message } = await sentMail()
  const bounce = {
    RecordType: 'Bounce',
    ID: 42,
    Type: 'HardBounce',
    TypeCode: 1,
    Name: 'Hard bounce',
    MessageID: '883953f4',
    Email: 'ada@example.com',
    From: 'files@example.net',
    Details: 'smtp;550 5.1.1 The account does not exist',
    Inactive: true,
    Metadata: { message: token },
  }
  expect(await post('postmark', bounce)).toBe(401)
  expect(await post('postmark', bounce, basic('a password of postmarc'))).toBe(401)
  expect(await post('postmark', '{', basic(POSTMARK))).toBe(400)
  expect(
    await post('postmark', { ...bounce, Metadata: { message: 'aaaa' } }, basic(POSTMARK)),
  ).toBe(200)
  expect((await read(message)).status).toBe('sent')
  const delivery = {
    RecordType: 'Delivery',
    MessageID: '1',
    Recipient: 'ada@example.com',
    Metadata: { Message: token },
  }
  for (const record of [delivery, bounce, bounce])
    expect(await post('postmark', record, basic(POSTMARK))).toBe(200)
  expect(await read(message)).toMatchObject({
    status: 'bounced',
    events: [{ event: 'delivered' }, { event: 'bounced', permanent: true, code: '5.1.1' }],
  })
  expect(await blocked()).toEqual(['ada@example.com'])
  expect((await notices()).length).toBe(1)
  const spam = await sentMail('bob@example.com')
  const complaint = {
    ...bounce,
    RecordType: 'SpamComplaint',
    ID: 43,
    Type: 'SpamComplaint',
    Email: 'bob@example.com',
    Metadata: { message: spam.token },
  }
  expect(await post('postmark', complaint, basic(POSTMARK))).toBe(200)
  expect((await read(spam.message)).status).toBe('complained')
  // The buyer paid for what comes next; only news is not sent.
  expect(await blocked()).toEqual(['ada@example.com'])
})

soakTest('Mailgun: signed and recent events only', async () => {
  const { address, message } = await sentMail()
  const signed = (data: object, { at = Date.now(), key = MAILGUN } = {}) => {
    const signature = { timestamp: String(Math.floor(at / 1000)), token: 'e0b5477167110d68' }
    const hex = createHmac('sha256', key)
      .update(signature.timestamp + signature.token)
      .digest('hex')
    return { signature: { ...signature, signature: hex }, 'event-data': data }
  }
  const failed = {
    id: 'G9Bn5sl1TC6nu79C8C0bwg',
    event: 'failed',
    severity: 'permanent',
    reason: 'bounce',
    recipient: 'ada@example.com',
    envelope: { sender: address, transport: 'smtp' },
    'delivery-status': { code: 550, 'enhanced-code': '5.1.1', message: 'No such mailbox' },
    message: { headers: { 'message-id': 'x@example.net' } },
  }
  expect(await post('mailgun', signed(failed, { key: 'another key' }))).toBe(401)
  expect(await post('mailgun', signed(failed, { at: Date.now() - 2 * 86_400_000 }))).toBe(401)
  expect(await post('mailgun', { 'event-data': failed })).toBe(400)
  expect(await post('mailgun', signed({ ...failed, severity: 'temporary', id: '1' }))).toBe(200)
  expect(await read(message)).toMatchObject({ status: 'sent', events: [{ event: 'delayed' }] })
  expect(await post('mailgun', signed(failed))).toBe(200)
  expect(await post('mailgun', signed(failed))).toBe(200)
  expect(await read(message)).toMatchObject({ status: 'bounced', error: 'No such mailbox' })
  expect((await read(message)).events.length).toBe(2)
})

it('SES: the signature, the topic and the certificate are checked; a subscription is confirmed', async () => {
  const { token, message, address } = await sentMail()
  const sns = (fields: object, key = amazon.key) => {
    const whole = {
      Type: 'Notification' as const,
      MessageId: '22b80b92',
      TopicArn: TOPIC,
      Message: '',
      Timestamp: new Date().toISOString(),
      SignatureVersion: '2' as const,
      SigningCertURL: CERTIFICATE,
      ...fields,
    }
    const algorithm = whole.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1'
    return {
      ...whole,
      Signature: createSign(algorithm).update(signedText(whole)).sign(key, 'base64'),
    }
  }
  const event = (mail: object) => ({
    Message: JSON.stringify({
      notificationType: 'Bounce',
      mail: { messageId: '0102', ...mail },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        feedbackId: 'x',
        bouncedRecipients: [
          {
            emailAddress: 'ada@example.com',
            action: 'failed',
            status: '5.1.1',
            diagnosticCode: 'smtp; 550 5.1.1 unknown',
          },
        ],
      },
    }),
  })
  const bounce = event({ headers: [{ name: 'X-Stevedore-Message', value: token }] })
  const { privateKey: other } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  expect(await post('ses', sns({ ...bounce, TopicArn: `${TOPIC}2` }))).toBe(401)
  expect(visited).toEqual([])
  expect(
    await post('ses', sns(bounce, other.export({ type: 'pkcs8', format: 'pem' }).toString())),
  ).toBe(401)
  expect(await post('ses', { ...sns(bounce), Message: '{}' })).toBe(401)
  for (const url of [
    'https://sns.evil.example/x.pem',
    'https://sns.eu-west-1.amazonaws.com.evil.example/x.pem',
    'http://sns.eu-west-1.amazonaws.com/x.pem',
    'https://sns.eu-west-1.amazonaws.com@evil.example/x.pem',
  ])
    expect(await post('ses', sns({ ...bounce, SigningCertURL: url }))).toBe(401)
  expect(new Set(visited)).toEqual(new Set([CERTIFICATE]))
  expect((await read(message)).status).toBe('sent')
  const SubscribeURL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=x'
  const subscribe = {
    Type: 'SubscriptionConfirmation' as const,
    Token: 'x',
    Message: 'You have chosen',
  }
  expect(await post('ses', sns({ ...subscribe, SubscribeURL: 'https://evil.example/' }))).toBe(400)
  expect(await post('ses', sns({ ...subscribe, SubscribeURL }))).toBe(200)
  expect(visited.filter((url) => url !== CERTIFICATE)).toEqual([SubscribeURL])
  expect(await post('ses', sns({ Message: 'Successfully validated SNS topic' }))).toBe(200)
  expect(await post('ses', sns(bounce))).toBe(200)
  expect(await read(message)).toMatchObject({ status: 'bounced', error: '550 5.1.1 unknown' })
  // Version 1, and the sender of the envelope instead of headers.
  const second = await sentMail()
  const bySender = sns({
    ...event({ source: second.address }),
    SignatureVersion: '1',
    MessageId: '2',
    Subject: 'x',
  })
  expect(await post('ses', bySender)).toBe(200)
  expect((await read(second.message)).status).toBe('bounced')
  expect(address).not.toBe(second.address)
})

it('closed and unknown addresses do not exist, and wrong requests are limited', async () => {
  expect(await post('sendgrid', {})).toBe(404)
  expect(await post('constructor', {})).toBe(404)
  expect((await fetch(`${app.url}/mail-reports/ses`)).status).toBe(405)
  expect(await post('postmark', 'x'.repeat(1024 * 1024 + 1), basic(POSTMARK))).toBe(413)
  for (let at = 0; at < 30; at++) expect(await post('postmark', {})).toBe(401)
  expect(await post('postmark', {})).toBe(429)
  present(app, 'The app')
})
