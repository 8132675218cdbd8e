// Replies as real mail servers give them, over a socket.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { someOf } from '../../../test/scale.ts'
import { startMailFake, type MailFake } from '../../../test/fakes/smtp.ts'
import { openMailServer } from './mail-server.ts'

let fake: MailFake
beforeAll(async () => void (fake = await startMailFake()))
afterAll(() => fake.close())

const send = () =>
  openMailServer(fake.url).handOver(
    {
      from: 'files@example.net',
      to: ['ada@example.com'],
      subject: 'Your files',
      text: 'Hello',
      messageId: '<1@example.net>',
      headers: {},
    },
    new AbortController().signal,
  )

test.each(
  someOf(
    [
      // [server, command, reply, kind]
      [
        'Gmail',
        'RCPT',
        "550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos",
        'address',
      ],
      [
        'Gmail, disabled',
        'RCPT',
        '550 5.2.1 The email account that you tried to reach is disabled.',
        'address',
      ],
      [
        'Gmail, full',
        'RCPT',
        '552 5.2.2 The email account that you tried to reach is over quota.',
        'again',
      ],
      [
        'Gmail, rate',
        'RCPT',
        '450 4.2.1 The user you are trying to contact is receiving mail too quickly.',
        'again',
      ],
      [
        'Gmail, sender',
        'DATA',
        '550 5.7.26 This mail is unauthenticated, which poses a security risk to the sender and Gmail users',
        'refused',
      ],
      [
        'Gmail, spam',
        'DATA',
        '550 5.7.1 Our system has detected that this message is likely unsolicited mail.',
        'refused',
      ],
      [
        'Gmail, size',
        'DATA',
        "552 5.3.4 Your message exceeded Google's message size limits.",
        'refused',
      ],
      [
        'Outlook',
        'RCPT',
        '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
        'address',
      ],
      [
        'Outlook.com',
        'RCPT',
        '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
        'address',
      ],
      [
        'Exchange, access',
        'RCPT',
        '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)',
        'address',
      ],
      [
        'Outlook, block list',
        'MAIL',
        "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).",
        'refused',
      ],
      [
        'Outlook, banned',
        'RCPT',
        '550 5.7.606 Access denied, banned sending IP [192.0.2.1]',
        'refused',
      ],
      [
        'Postfix',
        'RCPT',
        '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in local recipient table',
        'address',
      ],
      [
        'Postfix, domain',
        'RCPT',
        '550 5.1.2 <ada@example.com>: Recipient address rejected: Domain not found',
        'address',
      ],
      ['Postfix, relay', 'RCPT', '554 5.7.1 <ada@example.com>: Relay access denied', 'refused'],
      [
        'Postfix, list',
        'RCPT',
        '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
        'refused',
      ],
      [
        'Postgrey',
        'RCPT',
        '450 4.2.0 <ada@example.com>: Recipient address rejected: Greylisted, see http://postgrey.example',
        'again',
      ],
      [
        'Postfix, verify',
        'RCPT',
        '550 5.1.1 <ada@example.com>: Recipient address rejected: undeliverable address: unknown user',
        'address',
      ],
      ['Exim', 'RCPT', '550 Unrouteable address', 'address'],
      ['Exim, user', 'RCPT', '550 No such user here', 'address'],
      ['Exim, greylist as 5xx', 'RCPT', '550 Greylisted, please try again in 180 seconds', 'again'],
      ['sendmail', 'RCPT', '550 5.1.1 <ada@example.com>... User unknown', 'address'],
      ['qmail', 'RCPT', '553 sorry, no mailbox here by that name. (#5.1.1)', 'address'],
      [
        'qmail, relay',
        'RCPT',
        "553 sorry, that domain isn't in my list of allowed rcpthosts; relaying denied (#5.7.1)",
        'refused',
      ],
      [
        'Yahoo',
        'DATA',
        "554 delivery error: dd This user doesn't have a yahoo.com account (ada@yahoo.com)",
        'address',
      ],
      [
        'Yahoo, deferred',
        'MAIL',
        '451 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to user complaints',
        'again',
      ],
      ['iCloud', 'RCPT', '550 5.1.1 <ada@example.com>: user does not exist', 'address'],
      ['GMX', 'RCPT', '550 Requested action not taken: mailbox unavailable', 'address'],
      ['Sendgrid', 'RCPT', '550 Unauthenticated senders not allowed', 'refused'],
      [
        'Sendgrid, sender',
        'DATA',
        '550 The from address does not match a verified Sender Identity.',
        'refused',
      ],
      ['Amazon SES', 'DATA', '554 Message rejected: Email address is not verified.', 'refused'],
      [
        'Amazon SES, rate',
        'DATA',
        '454 Throttling failure: Maximum sending rate exceeded.',
        'again',
      ],
      [
        'Mimecast',
        'RCPT',
        '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550',
        'address',
      ],
      ['Proofpoint', 'RCPT', '550 5.1.1 User Unknown', 'address'],
      ['null MX', 'RCPT', '556 5.1.10 Recipient address has null MX', 'address'],
      [
        'a sender of no domain',
        'MAIL',
        '553 5.1.8 <files@example.net>... Domain of sender address does not exist',
        'refused',
      ],
      ['too many at once', 'RCPT', '550 5.7.0 Too many connections, try later', 'again'],
      ['bare, at the message', 'DATA', '550 Rejected', 'refused'],
      ['bare, at the recipient', 'RCPT', '550 Rejected', 'address'],
      ['sign-in needed', 'MAIL', '530 5.7.0 Authentication required', 'again'],
      ['storage', 'DATA', '452 4.3.1 Insufficient system storage', 'again'],
    ] as const,
    (_, at) => at % 6 === 0,
  ),
)('%s at %s: %s', async (_, command, reply, kind) => {
  fake.replies.set(command, reply)
  const result = await send()
  fake.replies.clear()
  const expected = {
    address: { status: 'failed', badAddress: true },
    refused: { status: 'failed' },
    again: { status: 'again' },
  }[kind]
  const { reason, ...rest } = result as typeof result & { reason: unknown }
  expect(rest).toEqual(expected)
  expect(JSON.stringify(reason)).toContain(reply.slice(0, 3))
})
