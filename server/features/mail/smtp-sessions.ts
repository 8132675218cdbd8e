// nodemailer's SMTP transport with sessions that are reused for the next message: connecting, TLS
// and sign-in cost more than a message. Not nodemailer's own pool, which sends a message again if
// its connection breaks.
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Transport } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'

/** When a session is ended: servers end sessions that are idle, or that have sent many messages. */
const IDLE_MS = 5000
const MAX_MESSAGES = 100
/** The code with which a server ends a session. */
const CLOSING = 421

/** The fields that the transport adds to a message (nodemailer passes them on in `data`). */
export interface SentMail {
  /** The signal that aborts when the message must not be sent any more. */
  signal: AbortSignal
  gate: {
    /** Whether the server was ready for the message, so that it may have arrived. */
    readonly passed: boolean
  }
}

interface Session {
  connection: SMTPConnection
  sent: number
  timer: NodeJS.Timeout | null
}

const socketOf = ({ connection }: Session) => connection._socket || null

type SentInfo = SMTPConnection.SentMessageInfo
type Mail = Parameters<Transport<SentInfo>['send']>[0]

/** Opens the socket of a session; rejects if the server may not be reached. */
export type ConnectSocket = (signal: AbortSignal) => Promise<Socket>

/**
 * @param server returns the options, read from the server's URL.
 * @param connect opens the sockets; absent: the library does.
 */
export function keepSessions(server: SMTPTransport, connect?: ConnectSocket): Transport<SentInfo> {
  const sessions = createSessions()
  const send = async (mail: Mail): Promise<SentInfo> => {
    const { signal, gate } = mail.data as unknown as SentMail
    for (let kept = sessions.take(); kept; kept = sessions.take()) {
      try {
        return await transmit(sessions, kept, mail, signal)
      } catch (error) {
        // The server may have ended the session in the meantime: then the message was not sent.
        const { responseCode } = error as { responseCode?: number }
        const ended = responseCode === undefined || responseCode === CLOSING
        if (!ended || gate.passed || signal.aborted) throw error
      }
    }
    return transmit(sessions, await open(server, sessions.drop, signal, connect), mail, signal)
  }
  return {
    name: 'SMTP',
    version: '1',
    send: (mail, done) => void send(mail).then((sent) => done(null, sent), done),
  }
}

type Sessions = ReturnType<typeof createSessions>

/** Creates the list of idle sessions. */
function createSessions() {
  const idle: Session[] = []
  const drop = (session: Session) => {
    if (session.timer) clearTimeout(session.timer)
    const at = idle.indexOf(session)
    if (at >= 0) idle.splice(at, 1)
    session.connection.close()
  }
  return {
    drop,
    /** Keeps the session for the next message, or ends it after many. */
    keep: (session: Session) => {
      session.sent += 1
      if (session.sent >= MAX_MESSAGES) return session.connection.quit()
      idle.push(session)
      // Neither the timer nor the socket keeps a process from ending.
      session.timer = setTimeout(() => drop(session), IDLE_MS).unref()
      socketOf(session)?.unref()
    },
    take: (): Session | null => {
      const session = idle.pop()
      if (!session) return null
      if (session.timer) clearTimeout(session.timer)
      socketOf(session)?.ref()
      return session
    },
  }
}

async function transmit(
  { keep, drop }: Sessions,
  session: Session,
  mail: Mail,
  signal: AbortSignal,
): Promise<SentInfo> {
  try {
    const sent = await whileAlive<SentInfo>(session.connection, signal, (done) =>
      session.connection.send(
        mail.message.getEnvelope() as SMTPConnection.Envelope,
        mail.message.createReadStream() as unknown as Readable,
        done,
      ),
    )
    keep(session)
    return sent
  } catch (error) {
    drop(session)
    throw error
  }
}

async function open(
  server: SMTPTransport,
  drop: (session: Session) => void,
  signal: AbortSignal,
  connect: ConnectSocket | undefined,
): Promise<Session> {
  const { options } = server
  const socket = connect ? { connection: await connect(signal) } : {}
  const connection = new SMTPConnection({ ...options, ...socket })
  const session: Session = { connection, sent: 0, timer: null }
  connection.on('error', () => drop(session))
  connection.on('end', () => drop(session))
  try {
    await whileAlive<void>(connection, signal, (done) =>
      connection.connect((error) => done(error ?? null)),
    )
    const auth = server.getAuth({})
    if (auth && (connection as { allowsAuth?: boolean }).allowsAuth)
      await whileAlive<void>(connection, signal, (done) =>
        connection.login(auth as never, (error) => done(error ?? null)),
      )
    return session
  } catch (error) {
    drop(session)
    throw error
  }
}

/** Waits for the work. Rejects when the connection fails or ends, or the signal aborts. */
function whileAlive<Result>(
  connection: SMTPConnection,
  signal: AbortSignal,
  work: (done: (error: Error | null, result?: Result) => void) => void,
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    const fail = (error: Error) => finish(() => reject(error))
    const abort = () => fail(signal.reason as Error)
    const ended = () => fail(new Error('The mail server ended the connection'))
    const finish = (end: () => void) => {
      connection.off('error', fail)
      connection.off('end', ended)
      signal.removeEventListener('abort', abort)
      end()
    }
    connection.once('error', fail)
    connection.once('end', ended)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) return abort()
    work((error, result) => (error ? fail(error) : finish(() => resolve(result as Result))))
  })
}
