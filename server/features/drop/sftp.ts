// The SFTP server: SSH connections that can do SFTP only.
import { createServer, type Server, type Socket } from 'node:net'
import ssh2, {
  type AuthContext,
  type Connection,
  type ServerChannel,
  type ServerConfig,
} from 'ssh2'
import { plainAddress } from '../../core/client-address.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { present } from '../../core/lazy.ts'
import type { KnownAccount } from './accounts.ts'
import { clientOf } from './addresses.ts'
import type { Refusals } from './refusals.ts'
import type { UnsignedPlaces } from './unsigned-places.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import { announceExtensions } from './sftp-extensions.ts'
import { serveSftp } from './sftp-requests.ts'
import { disconnect, narrowCiphers, serveSocket, socketOf } from './sftp-socket.ts'
import { SessionLimit, type Session, type Sessions } from './sessions.ts'
import type { SignIn } from './sign-in.ts'

export interface SftpParts {
  hostKeys: readonly string[]
  signIn: SignIn
  sessions: Sessions
  log: Logger
  limits: ConnectionLimits
  places: UnsignedPlaces
  refusals: Refusals
}

const IDLE_MS = 15 * 60_000
const MAX_TRIES = 3
/** The maximum number of open channels of one connection, as in OpenSSH (MaxSessions). */
const MAX_CHANNELS = 10
/** The reasons of a disconnection in RFC 4253, 11.1, which programs show. */
const SERVICE_NOT_AVAILABLE = 7
const TOO_MANY_CONNECTIONS = 12
/**
 * AES-GCM first: it is the fastest, with and without the native build. libssh2 (curl) and older paramiko
 * support CTR only. No chacha20: the native build drops connections that use it.
 */
const ALGORITHMS: ServerConfig['algorithms'] = {
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: [
    'hmac-sha2-256-etm@openssh.com',
    'hmac-sha2-512-etm@openssh.com',
    'hmac-sha2-256',
    'hmac-sha2-512',
  ],
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    // Older devices and libraries know no elliptic curves.
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
  compress: ['none'],
}

export function createSftpServer(parts: SftpParts): Server {
  const config: ServerConfig = {
    hostKeys: [...parts.hostKeys],
    ident: 'Stevedore',
    algorithms: ALGORITHMS,
  }
  const ssh = new ssh2.Server(config)
  ssh.on('error', (error: Error) =>
    parts.log.debug('drop: the SFTP server reported an error', { error: error.message }),
  )
  ssh.on('connection', (connection, { ip, header }) =>
    serveConnection(parts, connection, {
      address: plainAddress(ip),
      software: header.versions.software,
    }),
  )
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    socket.setKeepAlive(true, 60_000)
    void admit(parts, ssh, socket)
  })
  server.maxConnections = parts.limits.perProtocol + parts.limits.unsigned
  return server
}

/**
 * The time that is left to sign in. It starts with the socket: ssh2 reports a connection only when
 * the client has sent its first line.
 */
const waits = new WeakMap<Socket, () => void>()

/** Takes a place for a connection that has not signed in. */
function wait({ places, limits, refusals }: SftpParts, socket: Socket, client: string): void {
  const free = places.take(client, () => socket.destroy())
  const grace = setTimeout(() => {
    refusals.count('grace')
    socket.destroy()
  }, limits.loginGraceMs)
  const done = () => {
    clearTimeout(grace)
    free()
  }
  waits.set(socket, done)
  socket.once('close', done)
}

/** Admits a connection. A banned address gets no reply, and no key exchange. */
async function admit(parts: SftpParts, ssh: ssh2.Server, socket: Socket): Promise<void> {
  const { signIn, log } = parts
  try {
    const client = clientOf(socket)
    if (client === null) return void socket.destroy()
    wait(parts, socket, client)
    if ((await signIn.isBanned(client)) || socket.destroyed) return void socket.destroy()
    socket.setTimeout(IDLE_MS, () => socket.destroy())
    serveSocket(ssh, socket)
  } catch (error) {
    log.warn('drop: a connection could not be admitted', errorFields(error))
    socket.destroy()
  }
}

interface Client {
  address: string
  /** The name that the client gives itself. */
  software: string
}

/** One SSH connection, and its session after the sign-in. */
interface ServedConnection {
  parts: SftpParts
  connection: Connection
  client: Client
  /** The account that has signed in; null: none yet. */
  account: KnownAccount | null
  session: Session | null
  isClosed: boolean
}

function serveConnection(parts: SftpParts, connection: Connection, client: Client): void {
  const served: ServedConnection = {
    parts,
    connection,
    client,
    account: null,
    session: null,
    isClosed: false,
  }
  narrowCiphers(connection)
  const closed = () => {
    served.isClosed = true
    endSession(served)
  }
  connection.on('error', (error: Error) => reportError(served, error))
  connection.on('close', closed)
  connection.on('end', closed)
  const tries = { left: MAX_TRIES }
  connection.on('authentication', (context) => answerSignIn(served, context, tries))
  connection.on('request', (_accept, reject) => reject?.())
  connection.on('tcpip', (_accept, reject) => reject())
  connection.on('openssh.streamlocal', (_accept, reject) => reject())
  connection.once('ready', () => {
    waits.get(socketOf(connection))?.()
    serveChannels(served, openSession(served))
  })
}

function endSession({ session, parts: { log } }: ServedConnection): void {
  session
    ?.end()
    .catch((error: unknown) => log.warn('drop: a session could not be ended', errorFields(error)))
}

function reportError({ parts: { log }, connection, client }: ServedConnection, error: Error): void {
  const about = { address: client.address, protocol: 'sftp', client: client.software }
  // An old device has no algorithm that is still safe: nobody has signed in yet.
  if (error.message.startsWith('Handshake failed'))
    log.info('drop: refused', { ...about, reason: error.message })
  else log.debug('drop: an SFTP connection reported an error', { ...about, error: error.message })
  connection.end()
}

function answerSignIn(
  served: ServedConnection,
  context: AuthContext,
  tries: { left: number },
): void {
  const { parts, connection, client } = served
  authenticate(parts, context, client.address, tries).then(
    (found) => {
      served.account = found
      if (found) return context.accept()
      context.reject(['password', 'publickey'])
      if (tries.left <= 0) connection.end()
    },
    (error: unknown) => {
      parts.log.warn('drop: signing in failed', errorFields(error))
      // A refusal would say that the password is wrong: programs ask for another one, and do not
      // try again.
      disconnect(connection, SERVICE_NOT_AVAILABLE)
    },
  )
}

/** Resolves with null if the session could not be opened; the connection ends then. */
async function openSession(served: ServedConnection): Promise<Session | null> {
  const { parts, connection, client } = served
  const account = present(served.account, 'The account that has signed in')
  const attempt = { username: account.username, address: client.address, protocol: 'sftp' } as const
  try {
    const session = await parts.sessions.open(account, attempt, () => connection.end())
    served.session = session
    if (served.isClosed) endSession(served)
    return session
  } catch (error) {
    if (error instanceof SessionLimit) disconnect(connection, TOO_MANY_CONNECTIONS)
    else {
      parts.log.warn('drop: a session could not be opened', errorFields(error))
      disconnect(connection, SERVICE_NOT_AVAILABLE)
    }
    return null
  }
}

/** Each channel serves SFTP when the session is open. */
function serveChannels(served: ServedConnection, opened: Promise<Session | null>): void {
  const { parts, connection, client } = served
  const { log, refusals } = parts
  const flooded = () => {
    const socket = socketOf(connection)
    if (socket.destroyed) return
    refusals.count('flooded')
    log.warn('drop: a client sent too many requests without waiting for replies', {
      address: client.address,
    })
    socket.destroy()
  }
  const about = { log, flooded, refusals, open: { count: 0 } }
  let channels = 0
  connection.on('session', (accept, reject) => {
    if (channels >= MAX_CHANNELS) return reject()
    const channel = accept()
    channels++
    channel.once('close', () => channels--)
    for (const name of ['pty', 'x11', 'auth-agent', 'env', 'signal'] as const)
      channel.on(name as 'pty', (_accept: unknown, reject?: () => void) => reject?.())
    for (const name of ['shell', 'exec'] as const) channel.on(name as 'shell', sayWhatIsServed)
    channel.on('error', (error: Error) =>
      log.debug('drop: an SFTP channel reported an error', { error: error.message }),
    )
    channel.on('sftp', (acceptSftp) => {
      const stream = acceptSftp()
      announceExtensions(stream)
      stream.on('error', (error: Error) => {
        const fields = { error: error.message, address: client.address }
        log.debug('drop: an SFTP stream reported an error', fields)
        connection.end()
      })
      void opened.then(
        (session) =>
          session && serveSftp(stream, session, { ...about, socket: socketOf(connection) }),
      )
    })
  })
}

/** Answers clients that start a program: `scp -O`, `ssh`, and scp of OpenSSH before version 9. */
function sayWhatIsServed(accept: () => ServerChannel): void {
  const stream = accept()
  stream.on('error', () => {})
  stream.stderr.write('This server supports SFTP only. Use sftp, or scp with -s.\n')
  stream.exit(1)
  stream.end()
}

async function authenticate(
  { signIn }: SftpParts,
  context: AuthContext,
  address: string,
  tries: { left: number },
): Promise<KnownAccount | null> {
  const attempt = { username: context.username, address, protocol: 'sftp' } as const
  if (context.method === 'password') {
    if (tries.left-- <= 0) return null
    const result = await signIn.byPassword(attempt, context.password)
    return 'account' in result ? result.account : null
  }
  if (context.method !== 'publickey') return null
  const { key, signature, blob, hashAlgo } = context
  const verify = (signed: Buffer) => {
    const parsed = ssh2.utils.parseKey(key.data)
    const bytes = present(blob, 'The signed bytes')
    return !(parsed instanceof Error) && parsed.verify(bytes, signed, hashAlgo) === true
  }
  const result = await signIn.byKey(attempt, key.data, signature ? () => verify(signature) : null)
  return 'account' in result ? result.account : null
}
