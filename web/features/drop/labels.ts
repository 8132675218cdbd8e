// Texts about drop accounts, their connections and files.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type Drop, type DropAccount, type DropConnection, type DropFile } from './calls.ts'
import { t } from '../../shell/messages/t.ts'
import { type StatusWord } from '../operations/operation-status.ts'
import { sizeText } from '../../shell/labels/size.ts'

/** An older password is marked, because passwords should be changed regularly. */
const OLD_DAYS = 90

/** `Password: 3 days old`, and whether it should be changed. */
export function passwordAge({ password_age_days: days }: Pick<DropAccount, 'password_age_days'>): {
  text: string
  old: boolean
} {
  const text = t(
    '{days, plural, =0 {Password: set today} one {Password: # day old} other {Password: # days old}}',
    { days },
  )
  return { text, old: days > OLD_DAYS }
}

/** Why a connection was refused, and what to do about it. */
export function refusalText(refused: string): { text: string; advice: string } {
  return (
    ownValue(REFUSALS, refused) ?? {
      text: refused,
      advice: t('Check username, password and port, then connect again.'),
    }
  )
}

const REFUSALS: Record<string, { text: string; advice: string }> = {
  'wrong password': {
    text: t('Wrong password'),
    advice: t('Enter the password again, or change it here and use the new one.'),
  },
  'wrong key': {
    text: t('Wrong key'),
    advice: t('Add the public key of that computer to the account.'),
  },
  'unknown username': {
    text: t('Unknown username'),
    advice: t('Copy the username from this page.'),
  },
  'address not allowed': {
    text: t('Address not allowed'),
    advice: t('Add this address to the allowed addresses of the account.'),
  },
  'address banned': {
    text: t('Address blocked'),
    advice: t('Ten failures within 10 minutes block an address for 30 minutes. Wait, then retry.'),
  },
  'account switched off': {
    text: t('Account switched off'),
    advice: t('Switch on the account and the drop folder on this page.'),
  },
  'too many connections': {
    text: t('Too many connections'),
    advice: t('Close some connections of this account, or let the program use fewer.'),
  },
  'TLS required': {
    text: t('Encryption required'),
    advice: t('Use SFTP, or choose explicit FTP over TLS in the program.'),
  },
}

export function connectionWord({ refused, ended_at }: DropConnection): StatusWord {
  if (refused !== null)
    return { text: refusalText(refused).text, tone: 'critical', progress: undefined }
  return ended_at === null
    ? { text: t('Connected'), tone: 'success', progress: 'partiallyComplete' }
    : { text: t('Ended'), tone: undefined, progress: 'complete' }
}

/** What was received over one connection: `3 files, 4.5 MB`. */
export const sentText = ({ files, bytes }: Pick<DropConnection, 'files' | 'bytes'>): string =>
  t('{files, plural, =0 {No files} one {# file, {size}} other {# files, {size}}}', {
    files,
    size: sizeText(bytes),
  })

const PROTOCOLS: Record<string, string> = {
  sftp: 'SFTP',
  ftp: t('FTP, not encrypted'),
  ftps: t('FTP over TLS'),
}
export const protocolText = (protocol: string | null): string =>
  protocol === null ? '' : (ownValue(PROTOCOLS, protocol) ?? protocol)

/** Why a file is not imported yet. */
export function fileWord({ state }: Pick<DropFile, 'state'>): StatusWord {
  return FILE_WORDS[state]
}

const FILE_WORDS: Record<DropFile['state'], StatusWord> = {
  writing: { text: t('Uploading'), tone: 'info', progress: 'partiallyComplete' },
  partial: { text: t('Interrupted'), tone: 'warning', progress: 'partiallyComplete' },
  waiting: { text: t('Waiting'), tone: undefined, progress: 'incomplete' },
  importing: { text: t('Importing'), tone: 'info', progress: 'partiallyComplete' },
  processed: { text: t('Imported'), tone: 'success', progress: 'complete' },
  failed: { text: t('Failed'), tone: 'critical', progress: undefined },
}

/** Why the next import leaves a waiting file; null: it takes it. */
export const waitingText = ({ waits_for }: Pick<DropFile, 'waits_for'>): string | null =>
  waits_for === null ? null : WAITING[waits_for]

const WAITING: Record<NonNullable<DropFile['waits_for']>, string> = {
  rename: t('This is a temporary name: the file is imported once your program has renamed it.'),
  nothing: t(
    'An operating system or a program left this file: it is not imported, and is removed after a day.',
  ),
  manifest: t('It waits for the import.csv beside it, which is being sent.'),
  files: t('It waits for files that its rows name. After an hour it is moved to /failed/.'),
}

/** What to do about a failed file, where its reason alone does not say. */
export const failureAdvice = (code: string): string | null => ownValue(FAILURES, code) ?? null

const FAILURES: Record<string, string> = {
  duplicate_filename: t(
    'Rename it and send it again, or choose in the settings below what happens when a name is taken. Then try again.',
  ),
}

export const speedText = (bytesPerSecond: number | null): string =>
  bytesPerSecond === null ? '' : t('{size}/s', { size: sizeText(bytesPerSecond) })

/** The values in the examples for each program. */
export interface ConnectValues extends Pick<Drop, 'host' | 'sftp_port' | 'ftp_port' | 'path'> {
  username: string
}
