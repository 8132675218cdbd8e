// One control connection: its state, its replies, and the dispatch of lines to verbs.
import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { ownValue } from '../../../../plugins/contract/index.ts'
import { errorFields } from '../../../core/log.ts'
import { DropError, faultOf, type DropCode } from '../errors.ts'
import { countError } from '../refusals.ts'
import { encrypted, type FtpOptions } from './options.ts'
import { namesOf, readLine, TRANSFER_VERBS } from './transfer-verbs.ts'
import { createPassive, DataError, type State, type Verb } from './state.ts'
import { SIGN_IN_VERBS } from './sign-in-verbs.ts'
import { FOLDER_VERBS } from './folder-verbs.ts'

export interface Control {
  reply: State['reply']
  isSignedIn(): boolean
  /** Runs one command; returns the encrypted socket after AUTH TLS. */
  command(line: Buffer): Promise<TLSSocket | null>
  /** The reply to STAT during a transfer. */
  status(): void
  /** Ends the running transfer; the ABOR itself is a command after it. */
  abort(): void
  refuseLine(): void
  idle(): void
  /** @param wasReset the connection ended with an error. */
  closed(wasReset: boolean): Promise<void>
}

const BEFORE_SIGN_IN = new Set([
  'USER',
  'PASS',
  'AUTH',
  'PBSZ',
  'PROT',
  'FEAT',
  'QUIT',
  'NOOP',
  'SYST',
  'OPTS',
  'HELP',
])
const REPLY_CODES: Readonly<Record<DropCode, number>> = {
  not_found: 550,
  exists: 550,
  not_a_folder: 550,
  is_a_folder: 550,
  not_empty: 550,
  denied: 550,
  bad_name: 553,
  quota: 552,
  too_large: 552,
  full: 452,
  busy: 450,
  interrupted: 450,
  too_many_files: 451,
  unavailable: 451,
}

export interface Connection {
  socket: Socket
  /** The client's address. */
  client: string
  /** Frees the place of the connection among those that have not signed in. */
  signedIn: () => void
}

export function createControl(
  options: FtpOptions,
  secure: SecureContext,
  connection: Connection,
): Control {
  const { socket: first } = connection
  const state = beginState(options, secure, connection)
  let upgraded: TLSSocket | null = null
  const upgrade = () => {
    upgraded = encrypted(first, secure)
    upgraded.on('error', () => first.destroy())
    state.socket = upgraded
    state.isEncrypted = true
  }
  return {
    reply: state.reply,
    isSignedIn: () => state.session !== null,
    command: async (line) => {
      upgraded = null
      await runCommand(state, readLine(state, line), upgrade).catch((error: unknown) =>
        replyError(state, error),
      )
      return upgraded
    },
    status: () => state.reply(213, 'A transfer is running'),
    // The transfer's reply comes first (RFC 959, 4.1.3): a client would treat an earlier 226 as the
    // success of the file.
    abort: () => {
      state.data?.destroy(new DataError('The transfer was aborted'))
      if (!state.data) state.passive.close()
    },
    refuseLine: () => {
      options.refusals.count('long_line')
      state.reply(500, 'The line is too long')
      state.socket.end()
      first.destroySoon()
    },
    idle: () => {
      if (state.data) return
      state.reply(421, 'No command or data for 15 minutes')
      first.destroySoon()
    },
    closed: async (wasReset) => {
      state.isClosed = true
      state.passive.close()
      state.data?.destroy()
      await endLast(state, wasReset).catch((error: unknown) => {
        options.log.warn('drop: the state of a file could not be recorded', errorFields(error))
      })
      await state.session?.end()
    },
  }
}

function beginState(
  options: FtpOptions,
  secure: SecureContext,
  { socket, client, signedIn }: Connection,
): State {
  const state: State = {
    options,
    secure,
    socket,
    client,
    signedIn,
    isEncrypted: false,
    dataEncrypted: false,
    sendsUtf8: false,
    username: null,
    triesLeft: 3,
    session: null,
    folder: '/',
    offset: 0,
    renameFrom: null,
    data: null,
    unconfirmed: null,
    isClosed: false,
    passive: createPassive(socket, options.passive.ports),
    reply: (code, text) => {
      if (!state.socket.destroyed)
        state.socket.write(namesOf(state).encode(`${replyText(code, text)}\r\n`))
    },
    end: () => state.socket.end(),
  }
  return state
}

/** Several lines have the code with a hyphen, except the last one (RFC 959, 4.2). */
function replyText(code: number, text: string | readonly string[]): string {
  const [head, ...rest] = typeof text === 'string' ? [text] : text
  return rest.length === 0
    ? `${code} ${head}`
    : [`${code}-${head}`, ...rest.slice(0, -1), `${code} ${rest.at(-1)}`].join('\r\n')
}

async function runCommand(state: State, line: string, upgrade: () => void): Promise<void> {
  const [, verb = '', argument = ''] = /^([A-Za-z]{3,4})(?: (.*))?$/s.exec(line) ?? []
  const name = verb.toUpperCase()
  if (name !== '') await confirmLast(state, name)
  if (name === 'AUTH') return authTls(state, argument, upgrade)
  const handler = ownValue(VERBS, name)
  if (!handler) return state.reply(name === '' ? 500 : 502, 'Unknown command')
  // A control character in an argument could become a separate line in a log or a listing.
  if (/[\u0000-\u001f]/.test(argument))
    return state.reply(501, 'The command has a control character')
  if (!state.session && !BEFORE_SIGN_IN.has(name)) return state.reply(530, 'Sign in first')
  if (name !== 'RNTO') state.renameFrom = null
  await handler(state, argument)
}

/**
 * Some clients close the connection after they have read 226, without QUIT: their file is complete.
 * A client that was killed did not read it, so its system resets the connection.
 */
async function endLast({ unconfirmed }: State, wasReset: boolean): Promise<void> {
  if (wasReset) await unconfirmed?.markInterrupted()
  else await unconfirmed?.confirm(false)
}

/** After QUIT, a client may immediately request the import. ABOR cancels the file that ended. */
async function confirmLast(state: State, verb: string): Promise<void> {
  const last = state.unconfirmed
  if (verb === 'ABOR') {
    state.unconfirmed = null
    return last?.markInterrupted()
  }
  const confirmed = last?.confirm(verb !== 'QUIT')
  state.unconfirmed = null
  if (verb === 'QUIT') await confirmed
}

async function authTls(state: State, argument: string, upgrade: () => void): Promise<void> {
  if (!/^(TLS|TLS-C|SSL)$/i.test(argument)) return state.reply(504, 'Only AUTH TLS is supported')
  if (state.isEncrypted) return state.reply(503, 'This connection is encrypted already')
  // Encryption begins a new sign-in (RFC 4217, 4): the first one was readable on the way.
  state.passive.close()
  await state.session?.end()
  Object.assign(state, { session: null, username: null, folder: '/', offset: 0, renameFrom: null })
  state.reply(234, 'Encrypting')
  upgrade()
}

function replyError(state: State, error: unknown): void {
  if (error instanceof DataError) return state.reply(425, error.message)
  const { log, refusals } = state.options
  countError(refusals, error)
  const fault = faultOf(error)
  if (fault !== null) log.warn('drop: an FTP command failed', errorFields(fault))
  if (error instanceof DropError) return state.reply(REPLY_CODES[error.code], error.message)
  state.reply(451, 'The service is not available: try again soon')
}

// All verbs by name (RFC 959, 2228, 2389, 2428, 3659, 4217). PORT and EPRT are refused: the server
// opens no connections.

const passiveOnly: Verb = ({ reply }) =>
  reply(502, 'Only passive data connections are supported: use EPSV or PASV')

const VERBS: Readonly<Record<string, Verb>> = Object.assign(
  Object.create(null) as Record<string, Verb>,
  {
    ...SIGN_IN_VERBS,
    ...FOLDER_VERBS,
    ...TRANSFER_VERBS,
    PORT: passiveOnly,
    EPRT: passiveOnly,
  },
)
