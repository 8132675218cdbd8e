// The FTP server: control connections, read line by line, one command at a time.
import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { errorFields } from '../../../core/log.ts'
import { clientOf } from '../addresses.ts'
import { createControl, type Control } from './control.ts'
import type { FtpOptions } from './options.ts'

/** Lines of RFC 959 are short; a longer one is not a command. */
const MAX_LINE_BYTES = 4096
const MAX_QUEUED = 20
/** The maximum number of commands that arrive in one piece before the connection can be paused. */
const MAX_LINES = 1000
/** While more bytes of replies are unread, no further command runs. */
const MAX_UNREAD_BYTES = 16 * 1024
const MAX_REPLIES_BYTES = 64 * 1024
const IDLE_MS = 15 * 60_000

/**
 * A server of TLS 1.3 sends tickets after the handshake. Clients that upload read nothing from a data
 * connection, and their system resets one that is closed with unread bytes, which drops the bytes that
 * it has not sent yet. Node.js cannot switch the tickets off.
 */
const TLS_VERSIONS = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const

const withoutReturn = (line: Buffer) => (line.at(-1) === 13 ? line.subarray(0, -1) : line)

function writable(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

export function createFtpServer(options: FtpOptions): Server {
  const secure = createSecureContext({ ...options.certificate, ...TLS_VERSIONS })
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    serve(options, secure, socket).catch((error: unknown) => {
      options.log.warn('drop: an FTP connection failed', errorFields(error))
      socket.end('421 The service is not available: try again soon\r\n')
      socket.destroySoon()
    })
  })
  server.maxConnections = options.limits.perProtocol + options.limits.unsigned
  return server
}

async function serve(options: FtpOptions, secure: SecureContext, socket: Socket): Promise<void> {
  // Set before the control connection exists, because the look-up below may wait for the database.
  let control: Control | null = null
  const { limits, places, refusals } = options
  const expire = () => {
    if (control?.isSignedIn()) return
    refusals.count('grace')
    socket.destroy()
  }
  const grace = setTimeout(expire, limits.loginGraceMs)
  socket.once('close', () => clearTimeout(grace))
  const client = clientOf(socket)
  if (client === null) return void socket.destroy()
  const signedIn = places.take(client, () => socket.destroy())
  socket.once('close', signedIn)
  if ((await options.signIn.isBanned(client)) || socket.destroyed) return void socket.destroy()
  control = createControl(options, secure, { socket, client, signedIn })
  socket.setKeepAlive(true, 60_000)
  socket.once('close', (wasReset) => void control.closed(wasReset))
  readLines(control, socket, () => {
    refusals.count('unread_replies')
    socket.destroy()
  })
  control.reply(220, 'Stevedore')
}

/**
 * Passes the socket's lines to the control connection; after AUTH TLS those of the encrypted
 * socket. `flooded`: the client does not read the replies.
 */
function readLines(control: Control, socket: Socket, flooded: () => void): void {
  let rest: Buffer = Buffer.alloc(0)
  const lines: Buffer[] = []
  let busy = false
  const work = async () => {
    if (busy) return
    busy = true
    for (let [line] = lines; line && !socket.destroyed; [line] = lines) {
      // A client that reads no replies gets no more.
      if (socket.writableLength > MAX_UNREAD_BYTES) await writable(socket)
      lines.shift()
      const upgraded = await control.command(line)
      if (!upgraded) continue
      // Plain text after AUTH TLS must not be treated as encrypted input.
      lines.length = 0
      socket.off('data', take)
      return readLines(control, upgraded, flooded)
    }
    busy = false
    if (socket.isPaused()) socket.resume()
  }
  const take = (chunk: Buffer) => {
    // The replies to STAT during a transfer do not wait for the commands before it.
    if (socket.writableLength > MAX_REPLIES_BYTES) return flooded()
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end)
      rest = rest.subarray(end + 1)
      if (line.length > MAX_LINE_BYTES || lines.length > MAX_LINES) return control.refuseLine()
      // Only these commands are read during a transfer; telnet codes may precede them.
      const word = line
        .toString('latin1')
        .replace(/^[^A-Za-z]+/, '')
        .trim()
        .toUpperCase()
      if (busy && word === 'STAT') {
        control.status()
        continue
      }
      if (busy && word === 'ABOR') control.abort()
      lines.push(word === 'ABOR' ? Buffer.from(word) : withoutReturn(line))
    }
    if (rest.length > MAX_LINE_BYTES) return control.refuseLine()
    if (lines.length > MAX_QUEUED) socket.pause()
    void work()
  }
  socket.setTimeout(IDLE_MS, () => control.idle())
  socket.on('data', take)
}
