// The test mail through a shop's own mail server.
import type { Letter } from './mail-server.ts'
import type { MailSettings, ShopMailServer } from './settings.ts'

interface TestMail {
  settings: MailSettings
  server: ShopMailServer
  to: string
  code: string
  /** The sender of the envelope; null: that of the mail. */
  returnPath: string | null
}

export function testLetter({ settings, server, to, code, returnPath }: TestMail): Letter {
  const { name, reply_to } = settings.sender
  const domain = server.from.slice(server.from.lastIndexOf('@') + 1)
  return {
    from: { name: name ?? '', address: server.from },
    to: [to],
    ...(returnPath === null ? {} : { returnPath }),
    ...(reply_to === null ? {} : { replyTo: reply_to }),
    subject: `${code} confirms your mail server`,
    text: `This mail was sent through ${server.host}.\n\nEnter this code on the page Mail to buyers within an hour:\n\n${code}\n\nIf you did not ask for it, ignore it.\n`,
    messageId: `<test-${Date.now()}-${process.pid}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
