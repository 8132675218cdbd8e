// A mail server on a real socket: it accepts messages, or refuses, hangs and disconnects at the
// critical moments.
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

export interface ReceivedMail {
  to: string[]
  /** The sender of the envelope. */
  from: string
  /** The complete message with headers and body. */
  raw: string
  messageId: string
}

/**
 * `refuse`: 550 to every recipient; `refuse-message`: 552 to the message itself; `defer`,
 * `defer-message`: 451 for them; `hang-before`: no
 * response to a recipient, `hang-after`: none to the whole message, both until `release()`;
 * `break-off`: the connection is reset after the whole message.
 */
export type Behaviour =
  | 'accept'
  | 'refuse'
  | 'refuse-message'
  | 'defer'
  | 'defer-message'
  | 'hang-before'
  | 'hang-after'
  | 'break-off'

export interface MailFake {
  url: string
  port: number
  behaviour: Behaviour
  /** Addresses that are refused with every behaviour, as recipients and as senders. */
  refused: Set<string>
  /** Addresses that are refused for now, as recipients. */
  deferred: Set<string>
  /** Whole replies to a command, `550 5.1.1 No such user`, before any behaviour. */
  replies: Map<'MAIL' | 'RCPT' | 'DATA', string>
  /** Every message that arrived completely, including refused ones. */
  mails: ReceivedMail[]
  /** The number of connections opened so far. */
  connections: number
  /** The number of connections that `hang-…` holds. */
  readonly hanging: number
  /** Answers the held connections as usual. */
  release(): void
  /** Closes all connections, as servers do with idle ones. */
  hangUp(): void
  /** Called when a message was accepted, in the same tick. */
  onAccepted: (() => void) | null
  close(): Promise<void>
}

type Done = (error?: Error | null) => void
const answer = (code: number, words: string) =>
  Object.assign(new Error(words), { responseCode: code })
const whole = (reply: string) => answer(Number(reply.slice(0, 3)), reply.slice(4))

export async function startMailFake(): Promise<MailFake> {
  const sockets = new Set<Socket>()
  const waiting: (() => void)[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    disableReverseLookup: true,
    onMailFrom: ({ address }, _session, done: Done) => {
      const reply = fake.replies.get('MAIL')
      if (reply !== undefined) return done(whole(reply))
      done(fake.refused.has(address.replace(/\+.*@/, '@')) ? answer(553, 'Not your address') : null)
    },
    onRcptTo: ({ address }, _session, done: Done) => {
      const reply = fake.replies.get('RCPT')
      if (reply !== undefined) return done(whole(reply))
      if (fake.behaviour === 'hang-before') return void waiting.push(() => done())
      if (fake.behaviour === 'defer' || fake.deferred.has(address))
        return done(answer(451, 'Try again later'))
      if (fake.behaviour === 'refuse' || fake.refused.has(address))
        return done(answer(550, `No such user ${address}`))
      done()
    },
    onData: (stream, session, done: Done) => {
      void takeMessage(stream, session.envelope, done)
    },
  })
  const takeMessage = async (
    stream: Readable,
    { rcptTo, mailFrom }: SMTPServerSession['envelope'],
    done: Done,
  ) => {
    const to = rcptTo.map(({ address }) => address)
    const from = mailFrom === false ? '' : mailFrom.address
    // The client disconnected in the middle of the message.
    const raw = await text(stream).catch(() => null)
    if (raw === null) return
    fake.mails.push({
      to,
      from,
      raw,
      messageId: /^Message-ID: (.*)$/im.exec(raw)?.[1]?.trim() ?? '',
    })
    const reply = fake.replies.get('DATA')
    if (reply !== undefined) return done(whole(reply))
    if (fake.behaviour === 'break-off') return sockets.forEach((socket) => socket.resetAndDestroy())
    if (fake.behaviour === 'refuse-message') return done(answer(552, 'Too much'))
    if (fake.behaviour === 'defer-message') return done(answer(451, 'Try again later'))
    if (fake.behaviour === 'hang-after') return void waiting.push(() => done())
    done()
    fake.onAccepted?.()
  }
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  listening.on('connection', (socket: Socket) => {
    fake.connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const fake: MailFake = {
    url: `smtp://127.0.0.1:${port}`,
    port,
    behaviour: 'accept',
    refused: new Set(),
    deferred: new Set(),
    replies: new Map(),
    mails: [],
    connections: 0,
    get hanging() {
      return waiting.length
    },
    release: () => waiting.splice(0).forEach((go) => go()),
    hangUp: () => sockets.forEach((socket) => socket.destroy()),
    onAccepted: null,
    close: async () => {
      fake.release()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      sockets.forEach((socket) => socket.destroy())
      await closed
    },
  }
  return fake
}
