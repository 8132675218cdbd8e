// The READ requests of one SFTP channel. They run when their replies can be sent: a client that
// requests bytes and does not take them must not fill the memory.
import type { Socket } from 'node:net'
import type { SFTPWrapper } from 'ssh2'

/** The maximum number of waiting requests of one channel; OpenSSH sends at most 1,024. */
const MAX_WAITING = 2048
/**
 * The maximum number of bytes that are read for one connection, or wait in its socket. One request
 * may exceed it.
 */
const MAX_CONNECTION_BYTES = 256 * 1024
/** The maximum number of bytes that are read for all connections of the process. */
const MAX_PROCESS_BYTES = 16 * 1024 ** 2
/** The bytes of type, request and length in a DATA packet. */
const OVERHEAD_BYTES = 13

let reading = 0

interface Channel {
  outgoing: OutgoingChannel
  /** Replies that the client's window had no room for. */
  _buffer: unknown[]
}

interface OutgoingChannel {
  /** The bytes that the client is ready to receive. */
  window: number
}

export interface ReadQueue {
  /** Adds a request, whose reply `run` sends. False: too many requests wait. */
  add(length: number, run: () => Promise<void>): boolean
  /** Drops the requests that wait. */
  end(): void
}

export function createReadQueue(sftp: SFTPWrapper, socket: Socket): ReadQueue {
  const channel = sftp as unknown as Channel
  const { outgoing } = channel
  const waiting: { length: number; run: () => Promise<void> }[] = []
  let own = 0
  const fits = (length: number): boolean => {
    const unsent = socket.writableLength
    if (channel._buffer.length > 0) return false
    // At least one request runs, so that no queue waits for ever.
    if (own === 0 && unsent === 0) return true
    return (
      outgoing.window >= own + length + OVERHEAD_BYTES &&
      own + unsent + length <= MAX_CONNECTION_BYTES &&
      reading + length <= MAX_PROCESS_BYTES
    )
  }
  const start = ({ length, run }: (typeof waiting)[number]) => {
    own += length
    reading += length
    void run().finally(() => {
      own -= length
      reading -= length
      next()
    })
  }
  const next = () => {
    for (let [read] = waiting; read && fits(read.length); [read] = waiting) {
      waiting.shift()
      start(read)
    }
  }
  const stopWatching = watchWindow(outgoing, next)
  socket.on('drain', next)
  return {
    add: (length, run) => {
      waiting.push({ length, run })
      next()
      return waiting.length <= MAX_WAITING
    },
    end: () => {
      waiting.length = 0
      socket.off('drain', next)
      stopWatching()
    },
  }
}

/** Calls `grown` when the client allows more bytes: ssh2 has no event for it. */
function watchWindow(outgoing: OutgoingChannel, grown: () => void): () => void {
  let { window } = outgoing
  Object.defineProperty(outgoing, 'window', {
    configurable: true,
    get: () => window,
    set: (bytes: number) => {
      const more = bytes > window
      window = bytes
      // ssh2 first sends what it kept.
      if (more) setImmediate(grown)
    },
  })
  return () =>
    Object.defineProperty(outgoing, 'window', { configurable: true, writable: true, value: window })
}
