// Reports in the forms in which servers really write them.
import { expect, it } from 'vitest'
import { createSecrets } from '../../core/secrets.ts'
import { parseMailReport } from './mail-report.ts'
import { createMailTokens } from './sender.ts'

const tokens = createMailTokens(createSecrets('the secret of the tests, long enough'))
const MAIL = { shop: 70_000, message: '0199c2f5-d2c0-7f0a-9b7e-3f4a5b6c7d8e' }
const ADDRESS = tokens.addressOf('bounces@mail.example.net', MAIL)
const TOKEN = tokens.tokenOf(MAIL)

const read = (lines: readonly string[], end = '\r\n') => parseMailReport(lines.join(end), tokens)

it('an address can be read in any case, and none can be made without the secret', () => {
  expect(ADDRESS.split('@')[0]?.length).toBeLessThanOrEqual(64)
  expect(tokens.readAddress(ADDRESS.toUpperCase())).toEqual(MAIL)
  for (let at = 0; at < TOKEN.length; at += 5) {
    const changed = TOKEN.slice(0, at) + (TOKEN[at] === 'a' ? 'b' : 'a') + TOKEN.slice(at + 1)
    expect(tokens.read(changed)).toBeNull()
  }
  for (const text of [
    '',
    'bounces@mail.example.net',
    `bounces+${'a'.repeat(48)}@x`,
    `x+${TOKEN}a@x`,
  ])
    expect(tokens.readAddress(text)).toBeNull()
  const other = createMailTokens(createSecrets('another secret of the tests, long enough'))
  expect(other.readAddress(ADDRESS)).toBeNull()
})

const multipart = (
  type: string,
  text: string,
  status: readonly string[],
  returned: readonly string[] = [],
) => [
  'Return-Path: <>',
  'From: MAILER-DAEMON@mx.example.com (Mail Delivery System)',
  `To: ${ADDRESS}`,
  'Message-ID: <20261126@mx.example.com>',
  'MIME-Version: 1.0',
  `Content-Type: ${type};`,
  '\tboundary="B=_1/mx.example.com"',
  '',
  'This is a MIME-encapsulated message.',
  '',
  '--B=_1/mx.example.com',
  'Content-Type: text/plain; charset=utf-8',
  '',
  text,
  '--B=_1/mx.example.com',
  'Content-Type: message/delivery-status',
  '',
  ...status,
  ...(returned.length > 0
    ? ['--B=_1/mx.example.com', 'Content-Type: text/rfc822-headers', '', ...returned]
    : []),
  '--B=_1/mx.example.com--',
]

const REPORT = 'multipart/report; report-type=delivery-status'
const bounced = (
  code: string | null,
  permanent: boolean,
  recipient: string | null = 'ada@example.com',
) => [{ event: 'bounced', code, permanent, recipient }]

it.each([
  [
    'Postfix',
    multipart(REPORT, '<ada@example.com>: host mx said: 550', [
      'Reporting-MTA: dns; mx.example.com',
      'X-Postfix-Queue-ID: 4F1',
      'Arrival-Date: Thu, 26 Nov 2026 15:00:00 +0000 (UTC)',
      '',
      'Final-Recipient: rfc822; ada@example.com',
      'Original-Recipient: rfc822;ada@example.com',
      'Action: failed',
      'Status: 5.1.1',
      'Remote-MTA: dns; gmail-smtp-in.l.google.com',
      'Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does',
      '    not exist. Please try double-checking the address 550 5.1.1 NoSuchUser',
    ]),
    bounced('5.1.1', true),
  ],
  [
    'Exchange, without the type of a report, in one block, with its own code',
    multipart('multipart/mixed', 'Delivery has failed', [
      'Reporting-MTA: dns;AM0PR01.eurprd01.prod.exchangelabs.com',
      'Final-Recipient: RFC822;ada@example.com',
      'Action: failed',
      'Status: 5.1.10',
      'Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
      'X-Display-Name: ada@example.com',
    ]),
    bounced('5.1.10', true),
  ],
  [
    'Gmail, full',
    multipart(REPORT, 'Message blocked', [
      'Reporting-MTA: dns; googlemail.com',
      '',
      'Final-Recipient: rfc822; ada@example.com',
      'Action: failed',
      'Status: 5.2.2',
      'Diagnostic-Code: smtp; 552-5.2.2 The email account that you tried to reach is over quota.',
    ]),
    bounced('5.2.2', false),
  ],
  [
    'Exim, a general code and the true one in the words',
    multipart(REPORT, 'failed', [
      'Reporting-MTA: dns; exim.example.com',
      '',
      'Action: failed',
      'Final-Recipient: rfc822;ada@example.com',
      'Status: 5.0.0',
      'Remote-MTA: dns; mx.example.com',
      'Diagnostic-Code: smtp; 550 No Such User Here',
    ]),
    bounced('5.0.0', true),
  ],
  [
    'expired after days: the address may be right',
    multipart(REPORT, 'failed', [
      'Reporting-MTA: dns; mx.example.com',
      '',
      'Final-Recipient: rfc822; ada+2Bx@example.com',
      'Action: failed',
      'Status: 4.4.1',
      'Diagnostic-Code: X-Postfix; connect to mx.example.com: Connection timed out',
    ]),
    bounced('4.4.1', false, 'ada+x@example.com'),
  ],
  [
    'refused by a policy',
    multipart(REPORT, 'failed', [
      'Reporting-MTA: dns; mx.example.com',
      '',
      'Final-Recipient: rfc822; ada@example.com',
      'Action: failed (blocked)',
      'Status: 5.7.1',
      'Diagnostic-Code: smtp; 550 5.7.1 Recipient rejected: message does not comply with policy',
    ]),
    bounced('5.7.1', false),
  ],
  [
    'delayed, and nothing came back',
    multipart(REPORT, 'delayed', [
      'Reporting-MTA: dns; mx.example.com',
      '',
      'Final-Recipient: rfc822; ada@example.com',
      'Action: delayed',
      'Status: 4.2.2',
      'Will-Retry-Until: Mon, 30 Nov 2026 15:00:00 +0000',
    ]),
    [{ event: 'delayed', permanent: false }],
  ],
])('%s', (_, lines, fates) => {
  for (const end of ['\r\n', '\n']) {
    const report = read(lines, end)
    expect(report).toMatchObject({ mail: MAIL, fates, id: '<20261126@mx.example.com>' })
  }
})

it.each([
  [
    'Exim, for people only',
    [
      `To: ${ADDRESS}`,
      'X-Failed-Recipients: ada@example.com',
      'Auto-Submitted: auto-replied',
      'From: Mail Delivery System <Mailer-Daemon@exim.example.com>',
      '',
      'A message that you sent could not be delivered to one or more of its recipients.',
      '',
      '  ada@example.com',
      '    SMTP error from remote mail server after RCPT TO:<ada@example.com>:',
      '    550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown',
    ].filter((line) => !line.startsWith('Auto-Submitted')),
    bounced('5.1.1', true),
  ],
  [
    'qmail',
    [
      'Return-Path: <>',
      `Delivered-To: ${ADDRESS.toUpperCase()}`,
      'From: MAILER-DAEMON@qmail.example.com',
      '',
      'Hi. This is the qmail-send program at qmail.example.com.',
      'This is a permanent error; I’ve given up. Sorry it didn’t work out.',
      '',
      '<ada@example.com>:',
      'Sorry, no mailbox here by that name. (#5.1.1)',
      '',
      '--- Below this line is a copy of the message.',
    ],
    bounced('5.1.1', true),
  ],
])('%s', (_, lines, fates) => expect(read(lines)).toMatchObject({ mail: MAIL, fates }))

it('a report of spam names the mail by its sender, or by a header of the returned mail', () => {
  const arf = (fields: readonly string[], returned: readonly string[]) => [
    'From: staff@hotmail.com',
    'To: abuse@example.net',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=xx',
    '',
    '--xx',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'User-Agent: SomeGenerator/1.0',
    'Version: 1',
    ...fields,
    '',
    '--xx',
    'Content-Type: message/rfc822',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(returned.join('\r\n')).toString('base64'),
    '--xx--',
  ]
  const complained = { mail: MAIL, fates: [{ event: 'complained', permanent: false }] }
  expect(read(arf([`Original-Mail-From: <${ADDRESS}>`], ['Subject: x']))).toMatchObject(complained)
  expect(read(arf([], [`X-Stevedore-Message: ${TOKEN}`, '', 'Hi']))).toMatchObject(complained)
  expect(read(arf([], ['Subject: x'])).mail).toBeNull()
})

// Exim says of its reports that they are replies, as programs do that answer for people.
it.each([
  [
    ['    host mx.example.jp [192.0.2.20]: 550 5.1.1 <ada@example.com>: User unknown'],
    { permanent: true, code: '5.1.1', reason: '550 5.1.1 <ada@example.com>: User unknown' },
  ],
  // Its words are those of the line above the returned mail.
  [
    ['    host mx.example.jp [192.0.2.20]: 550 5.1.1 User unknown, message returned to sender'],
    { permanent: true, code: '5.1.1' },
  ],
  [['    Unrouteable address'], { permanent: true, code: null, reason: 'Unrouteable address' }],
  [
    ['    host mx.example.jp [192.0.2.20]: 554 5.7.1 Message rejected as spam'],
    { permanent: false, code: '5.7.1' },
  ],
])('a report of Exim, with and without its header of failed addresses: %j', (reason, fate) => {
  for (const failed of [['X-Failed-Recipients: ada@example.com'], []]) {
    const { mail, fates } = read([
      'Return-path: <>',
      `Envelope-to: ${ADDRESS}`,
      ...failed,
      'Auto-Submitted: auto-replied',
      'From: Mail Delivery System <Mailer-Daemon@mx.example.com>',
      `To: ${ADDRESS}`,
      'Subject: Mail delivery failed: returning message to sender',
      '',
      'This message was created automatically by mail delivery software.',
      '',
      'A message that you sent could not be delivered to one or more of its',
      'recipients. This is a permanent error. The following address(es) failed:',
      '',
      '  ada@example.com',
      ...reason,
      '',
      '------ This is a copy of the message, including all the headers. ------',
      '',
      'Subject: Your order has been delayed',
      '',
      'It will be retried.',
    ])
    expect(mail).toEqual(MAIL)
    expect(fates).toMatchObject([{ event: 'bounced', ...fate }])
  }
})

it('each address of a text for people has the words that follow it', () => {
  const failures = [
    '<ada@example.com>:',
    'Sorry, no mailbox here by that name. (#5.1.1)',
    '',
    '<bob@example.com>:',
    '552 5.2.2 over quota',
    '',
  ]
  const fates = [
    { recipient: 'ada@example.com', code: '5.1.1', permanent: true },
    { recipient: 'bob@example.com', permanent: false, reason: '552 5.2.2 over quota' },
  ]
  const head = ['Return-Path: <>', `To: ${ADDRESS}`, 'From: MAILER-DAEMON@qmail.example.com']
  const intro = ['', 'This is a permanent error.', '']
  expect(read([...head, ...intro, ...failures]).fates).toMatchObject(fates)
  const named = 'X-Failed-Recipients: ada@example.com, bob@example.com'
  const indented = failures.map((line) => `  ${line.replace(/[<>:]/g, '')}`)
  expect(read([...head, named, ...intro, ...indented]).fates).toMatchObject(fates)
})

it('answers and other mails are no reports, and broken ones do not fail', () => {
  const away = [
    `To: ${ADDRESS}`,
    'From: Ada <ada@example.com>',
    'Subject: Out of office',
    '',
    'I am failed to be here, permanently.',
  ]
  expect(read(away).fates).toEqual([])
  expect(
    read([
      ...away.slice(0, 2),
      'Auto-Submitted: auto-replied',
      'X-Failed-Recipients: a@b.example',
      '',
      'x',
    ]).fates,
  ).toEqual([])
  for (const raw of [
    '',
    '\r\n\r\n',
    'Content-Type: multipart/report; boundary=""',
    'Content-Type: multipart/report; boundary=x\n\n--x\n--x\n--x',
  ])
    expect(parseMailReport(raw, tokens).fates).toEqual([])
  const nested = Array.from(
    { length: 40 },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
  )
  expect(parseMailReport(nested.join(''), tokens).fates).toEqual([])
  // No pattern takes long for a long text.
  parseMailReport(`Content-Type: text/plain\n\n${'user '.repeat(100_000)}`, tokens)
})

it('a forged address names no mail, also with a true report', () => {
  const forged = ADDRESS.replace(/\+(.)/, (_, first: string) => `+${first === 'a' ? 'b' : 'a'}`)
  const lines = multipart(REPORT, 'x', [
    'Final-Recipient: rfc822; ada@example.com',
    'Action: failed',
    'Status: 5.1.1',
  ])
  const report = read(lines.map((line) => line.replace(ADDRESS, forged)))
  expect(report.fates.length).toBe(1)
  expect(report.mail).toBeNull()
})
