import { expect, it, onTestFinished } from 'vitest'
import { startMailFake } from '../../../test/fakes/smtp.ts'
import { NO_MAIL_SETTINGS } from '../../core/configuration/mail-settings.ts'
import { openMailServer } from './mail-server.ts'
import { providerHeaders } from './sender.ts'

it('headers have only ASCII, and name a mail exactly as providers read it', async () => {
  const fake = await startMailFake()
  onTestFinished(() => fake.close())
  const token = 'a'.repeat(48)
  const settings = { postmarkSecret: 'p', mailgunKey: 'm', sesTopics: ['t'] }
  await openMailServer(fake.url).handOver(
    {
      from: 'files@example.net',
      to: ['ada@example.com'],
      subject: 'Süd',
      text: 'Hello',
      messageId: '<1@bücher.example>',
      headers: providerHeaders({ ...NO_MAIL_SETTINGS, ...settings }, token),
    },
    new AbortController().signal,
  )
  const lines = fake.mails[0]?.raw.split('\r\n') ?? []
  expect(lines).toContain('Message-ID: <1@xn--bcher-kva.example>')
  expect(lines).toContain(`X-PM-Metadata-message: ${token}`)
  expect(lines).toContain(`X-Mailgun-Variables: {"message":"${token}"}`)
  expect(lines.find((line) => /^x-ses-message-tags: /i.test(line))).toMatch(`: message=${token}`)
})
