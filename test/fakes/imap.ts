// A mailbox on a socket that speaks IMAP4rev1 (RFC 3501), as far as a client needs it that looks for
// unseen mails, reads them and sets flags.
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'

export interface ImapFake {
  url: string
  /** The mails, oldest first; their place is their UID. */
  mails: { raw: string; seen: boolean }[]
  /** The connection is closed when this mail (its UID) is read. */
  breakAt: number | null
  logins: number
  close(): Promise<void>
}

const USER = 'reports'
const PASSWORD = 'p@ss word'

export async function startImapFake(): Promise<ImapFake> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    socket.setEncoding('latin1')
    socket.write('* OK ready\r\n')
    let input = ''
    socket.on('data', (data: string) => {
      input += data
      for (let end = input.indexOf('\r\n'); end !== -1; end = input.indexOf('\r\n')) {
        const line = input.slice(0, end)
        input = input.slice(end + 2)
        answer(fake, socket, line)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const fake: ImapFake = {
    url: `imap://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/INBOX`,
    mails: [],
    breakAt: null,
    logins: 0,
    close: async () => {
      sockets.forEach((socket) => socket.destroy())
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}

function answer(fake: ImapFake, socket: Socket, line: string): void {
  const [tag = '', first = '', ...rest] = line.split(' ')
  const isUid = first.toUpperCase() === 'UID'
  const command = (isUid ? (rest.shift() ?? '') : first).toUpperCase()
  const args = rest.join(' ')
  const send = (text: string) => socket.write(Buffer.from(text, 'latin1'))
  const ok = (text = 'done') => send(`${tag} OK ${text}\r\n`)
  const uids = fake.mails.map((_, at) => at + 1)
  switch (command) {
    case 'CAPABILITY':
      send('* CAPABILITY IMAP4rev1\r\n')
      return void ok()
    case 'LOGIN': {
      if (args.replaceAll('"', '') !== `${USER} ${PASSWORD}`)
        return void send(`${tag} NO [AUTHENTICATIONFAILED] wrong\r\n`)
      fake.logins += 1
      return void ok()
    }
    case 'LIST':
    case 'LSUB':
      send(`* ${command} (\\HasNoChildren) "/" INBOX\r\n`)
      return void ok()
    case 'SELECT':
    case 'EXAMINE':
      send('* FLAGS (\\Seen \\Deleted)\r\n* OK [PERMANENTFLAGS (\\Seen \\Deleted)] ok\r\n')
      send(`* ${uids.length} EXISTS\r\n* 0 RECENT\r\n`)
      send(`* OK [UIDVALIDITY 1] ok\r\n* OK [UIDNEXT ${uids.length + 1}] ok\r\n`)
      return void ok('[READ-WRITE] selected')
    case 'SEARCH':
      send(`* SEARCH ${uids.filter((uid) => !fake.mails[uid - 1]?.seen).join(' ')}\r\n`)
      return void ok()
    case 'FETCH': {
      const uid = Number(args.split(' ', 1)[0])
      const mail = fake.mails[uid - 1]
      if (fake.breakAt === uid) {
        fake.breakAt = null
        return void socket.destroy()
      }
      const [, from = '0', most] = /BODY\.PEEK\[\](?:<(\d+)\.(\d+)>)?/.exec(args) ?? []
      const origin = most === undefined ? '' : `<${from}>`
      const text = mail?.raw.slice(
        Number(from),
        most === undefined ? undefined : Number(from) + Number(most),
      )
      if (text !== undefined)
        send(
          `* ${uid} FETCH (UID ${uid} BODY[]${origin} {${Buffer.from(text, 'latin1').length}}\r\n${text})\r\n`,
        )
      return void ok()
    }
    case 'STORE': {
      const uid = Number(args.split(' ', 1)[0])
      const mail = fake.mails[uid - 1]
      if (mail && /\+FLAGS.*\\Seen/i.test(args)) mail.seen = true
      send(`* ${uid} FETCH (UID ${uid} FLAGS (\\Seen))\r\n`)
      return void ok()
    }
    case 'LOGOUT':
      send('* BYE\r\n')
      ok()
      return void socket.end()
    case 'NOOP':
    case 'CLOSE':
      return void ok()
    default:
      return void send(`${tag} BAD unknown\r\n`)
  }
}
