// Reads the mailbox to which mail servers send their reports, over IMAP. What was read is marked as
// seen and stays there. The reports are recorded before: after a crash they are read again.
import { createHash } from 'node:crypto'
import { ImapFlow } from 'imapflow'
import type { Database } from '../../core/db/database.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { parseMailReport } from './mail-report.ts'
import type { MailTokens } from './sender.ts'
import { recordReport } from './reports.ts'

const POLL_MS = 60_000
const RETRY_MS = 5 * 60_000
/** Mails of one run; the next run follows immediately. */
const MAX_MAILS = 100
/** A report may contain the whole mail; its beginning says what happened. */
const MAX_BYTES = 512 * 1024
const TIMEOUT_MS = 30_000

export interface MailboxParts {
  database: Database
  tokens: MailTokens
  log: Logger
}

/** @param url `imaps://user:password@host:993/INBOX` */
export const mailboxTask = (url: string, parts: MailboxParts): BackgroundTask => ({
  name: 'read-mail-reports',
  concurrency: 1,
  run: async ({ signal }) => {
    try {
      const count = await readMailbox(url, parts, signal)
      return count === MAX_MAILS ? 0 : POLL_MS
    } catch (error) {
      if (signal.aborted) throw error
      parts.log.warn('the mailbox of reports could not be read', errorFields(withoutAddress(error)))
      return RETRY_MS
    }
  },
})

/** The library's errors may contain the address with its password. */
const withoutAddress = (error: unknown): Error => {
  const { code, authenticationFailed } = error as { code?: string; authenticationFailed?: boolean }
  return new Error(authenticationFailed ? 'the sign-in was refused' : (code ?? 'no answer'))
}

/** Reads mails that were not seen; returns how many. */
export async function readMailbox(
  url: string,
  parts: MailboxParts,
  signal: AbortSignal,
): Promise<number> {
  const { hostname, port, username, password, protocol, pathname } = new URL(url)
  const secure = protocol === 'imaps:'
  const client = new ImapFlow({
    host: hostname,
    port: Number(port) || (secure ? 993 : 143),
    secure,
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  const abort = () => client.close()
  // Without a listener an error after the last command would end the process.
  client.on('error', () => {})
  signal.addEventListener('abort', abort, { once: true })
  try {
    await client.connect()
    await client.mailboxOpen(decodeURIComponent(pathname.slice(1)) || 'INBOX')
    const unseen = (await client.search({ seen: false }, { uid: true })) || []
    const uids = unseen.slice(0, MAX_MAILS)
    for (const uid of uids) {
      signal.throwIfAborted()
      const mail = await client.fetchOne(
        String(uid),
        { source: { start: 0, maxLength: MAX_BYTES } },
        { uid: true },
      )
      if (mail && mail.source) await recordMail(mail.source.toString('latin1'), parts)
      await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })
    }
    await client.logout()
    return uids.length
  } finally {
    signal.removeEventListener('abort', abort)
    client.close()
  }
}

/** Records a report; mails that are no reports, and reports about unknown mails, are ignored. */
async function recordMail(raw: string, { database, tokens, log }: MailboxParts): Promise<void> {
  const report = parseMailReport(raw, tokens)
  const { mail, fates } = report
  if (fates.length === 0) return
  if (!mail) return log.info('a report names no mail of this installation')
  const id = report.id ?? createHash('sha256').update(raw).digest('base64url')
  for (const [at, fate] of fates.entries())
    await recordReport(database, { ...fate, mail, source: 'mailbox', key: `${at}/${id}` })
}
