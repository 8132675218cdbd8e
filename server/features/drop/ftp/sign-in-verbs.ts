// Verbs of the connection itself: sign-in, encryption, features.
import { SessionLimit } from '../sessions.ts'
import { entriesAt, listLine, withoutOptions } from './listings.ts'
import type { State, Verb } from './state.ts'

const FEATURES = [
  'AUTH TLS',
  'PBSZ',
  'PROT',
  'UTF8',
  'EPSV',
  'PASV',
  'SIZE',
  'MDTM',
  'MFMT',
  'REST STREAM',
  'TVFS',
  'MLST type*;size*;modify*;',
  'HASH BLAKE3*',
]

async function signIn(state: State, password: string): Promise<void> {
  const { options, socket, username, reply } = state
  if (state.session) return reply(230, 'You are signed in')
  if (username === null) return reply(503, 'Send USER first')
  const protocol = state.isEncrypted ? 'ftps' : 'ftp'
  const attempt = { username, address: state.client, protocol } as const
  const result = await options.signIn.byPassword(attempt, password)
  if ('refused' in result) return refuse(state, result.refused)
  try {
    state.session = await options.sessions.open(result.account, attempt, () => {
      reply(421, 'The account has changed: sign in again')
      socket.destroySoon()
    })
  } catch (error) {
    if (!(error instanceof SessionLimit)) throw error
    reply(421, error.message)
    return state.end()
  }
  // The client may have disconnected while its password was checked: nothing else would end the
  // session.
  if (socket.destroyed) return state.session.end()
  state.signedIn()
  state.folder = state.session.fs.home
  reply(230, 'Signed in')
}

function refuse(state: State, refused: string): void {
  state.triesLeft--
  // The reply is the same for existing and unknown usernames.
  const text =
    refused === 'TLS required'
      ? 'This account needs FTP over TLS: use AUTH TLS'
      : 'The sign-in was refused'
  state.reply(state.triesLeft > 0 ? 530 : 421, text)
  if (state.triesLeft <= 0) state.end()
}

/** With a path, the listing that LIST sends, over the control connection. */
const status: Verb = async (state, argument) => {
  if (argument === '') return state.reply(211, 'No transfer is running')
  const path = withoutOptions(argument)
  const pages = await Array.fromAsync(await entriesAt(state, path, listLine))
  state.reply(213, [`Status of ${path || state.folder}`, ...pages.flat(), 'End of status'])
}

export const SIGN_IN_VERBS: Readonly<Record<string, Verb>> = {
  USER: (state, username) => {
    if (state.session) return state.reply(530, 'You are signed in')
    state.username = username
    state.reply(331, 'Send the password')
  },
  PASS: signIn,
  PBSZ: ({ isEncrypted, reply }) =>
    isEncrypted ? reply(200, 'PBSZ=0') : reply(503, 'Send AUTH TLS first'),
  PROT: (state, level) => {
    const wanted = level.toUpperCase()
    if (!state.isEncrypted) return state.reply(503, 'Send AUTH TLS first')
    if (wanted === 'C' && state.session?.account.tls_required)
      return state.reply(534, 'This account needs encrypted data connections: use PROT P')
    if (wanted !== 'P' && wanted !== 'C')
      return state.reply(536, 'Only PROT P and PROT C are supported')
    state.dataEncrypted = wanted === 'P'
    state.reply(200, `Data connections are ${wanted === 'P' ? 'encrypted' : 'unencrypted'}`)
  },
  FEAT: ({ reply }) => reply(211, ['Features', ...FEATURES.map((feature) => ` ${feature}`), 'End']),
  OPTS: (state, argument) => {
    const { reply } = state
    const [name = '', value = ''] = argument.toUpperCase().split(' ')
    if (name === 'UTF8') {
      state.sendsUtf8 = value !== 'OFF'
      return reply(200, 'Names are UTF-8')
    }
    if (name === 'MLST') return reply(200, 'MLST OPTS type;size;modify;')
    if (name === 'HASH')
      return value === '' || value === 'BLAKE3' ? reply(200, 'BLAKE3') : reply(501, 'BLAKE3 alone')
    reply(501, 'There is no such option')
  },
  SYST: ({ reply }) => reply(215, 'UNIX Type: L8'),
  NOOP: ({ reply }) => reply(200, 'OK'),
  HELP: ({ reply }) => reply(214, 'See the FTP page of the app'),
  STAT: status,
  QUIT: (state) => {
    state.reply(221, 'Goodbye')
    state.end()
  },
}
