// Sits between a connection's socket and ssh2: selects the cipher, and combines replies.
import type { Socket } from 'node:net'
import type { Connection, Server } from 'ssh2'

/**
 * The client's order decides (RFC 4253, 7.1), and OpenSSH before 10 prefers CTR with a separate
 * SHA-256 to GCM, although it costs more: with and without ssh2's native build. So a client that supports GCM is offered
 * GCM only.
 */
const GCM = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']
const KEXINIT = 20
const COOKIE_BYTES = 16
const MAX_KEXINIT = 35_000
/**
 * How long the client's list is waited for: a client may wait for our list before it sends its own.
 */
const LIST_MS = 1000
/**
 * The maximum number of replies to reads that are sent in one call. With more, the client would
 * wait.
 */
const MAX_READS = 4

/** Does the client's KEXINIT list AES-GCM? Null: incomplete. */
export function offersGcm(data: Buffer): boolean | null {
  const start = data.indexOf(10) + 1
  if (start === 0 || data.length < start + 6) return data.length > MAX_KEXINIT ? false : null
  const length = data.readUInt32BE(start)
  if (length > MAX_KEXINIT || data[start + 5] !== KEXINIT) return false
  if (data.length < start + 4 + length) return null
  let at = start + 6 + COOKIE_BYTES
  const nextList = (): string => {
    const size = at + 4 <= data.length ? data.readUInt32BE(at) : 0
    at += 4 + size
    return data.toString('latin1', at - size, at)
  }
  // Key exchange, host keys, then the ciphers of the client.
  nextList()
  nextList()
  const ciphers = nextList().split(',')
  return GCM.some((name) => ciphers.includes(name))
}

const withGcm = new WeakSet<Socket>()

/** Passes the socket to ssh2; its data reach ssh2 when the client's ciphers are known. */
export function serveSocket(ssh: Server, socket: Socket): void {
  ssh.injectSocket(socket)
  // ssh2 attaches its listener in a microtask; data that have arrived reach it after that.
  queueMicrotask(() => interpose(socket))
}

function interpose(socket: Socket): void {
  const [parse, ...more] = socket.listeners('data')
  if (!parse || more.length > 0) return
  const feed = corked(socket, parse as (chunk: Buffer) => void)
  let held = Buffer.alloc(0)
  const release = () => {
    clearTimeout(timer)
    replace(socket, feed)
    feed(held)
  }
  const timer = setTimeout(release, LIST_MS)
  socket.once('close', () => clearTimeout(timer))
  replace(socket, (chunk) => {
    held = Buffer.concat([held, chunk])
    const gcm = offersGcm(held)
    if (gcm === null) return
    if (gcm) withGcm.add(socket)
    release()
  })
}

function replace(socket: Socket, listener: (chunk: Buffer) => void): void {
  socket.removeAllListeners('data')
  socket.on('data', listener)
}

function corked(socket: Socket, parse: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let reads = 0
  const flush = () => {
    if (reads > 0) socket.uncork()
    reads = 0
  }
  return (chunk) => {
    if (reads === 0) {
      socket.cork()
      setImmediate(flush)
    }
    reads++
    parse.call(socket, chunk)
    if (reads >= MAX_READS) flush()
  }
}

type Offer = {
  lists: Record<'kex' | 'serverHostKey', List> &
    Record<'cs' | 'sc', Record<'cipher' | 'mac' | 'compress' | 'lang', List>>
}
interface List {
  array: string[]
}
interface Internals {
  _sock: Socket
  _protocol: { _offer: Offer; disconnect(reason: number): void }
}

/** The socket of a connection: its caller pauses it while a disk is behind. */
export const socketOf = (connection: Connection): Socket =>
  (connection as unknown as Internals)._sock

/** Ends a connection with a reason of RFC 4253; ssh2's `end` has only one reason. */
export function disconnect(connection: Connection, reason: number): void {
  ;(connection as unknown as Internals)._protocol.disconnect(reason)
  socketOf(connection).end()
}

/**
 * Offers only the narrowed ciphers. Must be called when ssh2 has read the client's name, before it
 * sends its lists: ssh2 has no option for this.
 */
export function narrowCiphers(connection: Connection): void {
  if (!withGcm.has(socketOf(connection))) return
  const protocol = (connection as unknown as Internals)._protocol
  const { lists } = protocol._offer
  const Made = protocol._offer.constructor as new (lists: object) => Offer
  const { mac, compress } = lists.cs
  const ways = { cipher: GCM, mac: mac.array, compress: compress.array, lang: [] }
  const { kex, serverHostKey } = lists
  protocol._offer = new Made({
    kex: kex.array,
    serverHostKey: serverHostKey.array,
    cs: ways,
    sc: ways,
  })
}
