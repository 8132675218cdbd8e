// A line to PostgreSQL that breaks around a commit: the server executes it and its answer is lost, or
// the request for it never arrives.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** `answer`: it was committed and nobody is told. `request`: the server never hears of it. */
export type Lost = 'answer' | 'request'

export interface LossyLine {
  /** The address of the database through the line. */
  url: string
  /**
   * The next connection that commits this statement breaks. Resolves when it has broken; the others stay.
   * @param statement its name, if it is its own transaction; else text of it.
   */
  breakAt(statement: string, lost: Lost): Promise<void>
  close(): Promise<void>
}

interface Break {
  statement: string
  lost: Lost
  happened(): void
}

/** `address`: of a database whose server listens on a port. */
export async function startLossyLine(address: string): Promise<LossyLine> {
  const target = new URL(address)
  const sockets = new Set<Socket>()
  let next: Break | null = null
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => (sockets.delete(socket), other.destroy()))
    }
    const requests = splitMessages(false)
    const answers = splitMessages(true)
    /** The statement whose commit breaks this connection. */
    let own: (Break & { isCommit(message: Buffer): boolean }) | null = null
    let isCommitting = false
    near.on('data', (bytes) => {
      for (const message of requests(bytes)) {
        if (own?.isCommit(message)) {
          if (own.lost === 'request') return (own.happened(), near.destroy())
          isCommitting = true
        }
        const isCommit = next && commitOf(message, next.statement)
        if (next && isCommit) [own, next] = [{ ...next, isCommit }, null]
        far.write(message)
      }
    })
    far.on('data', (bytes) => {
      for (const message of answers(bytes)) {
        if (!isCommitting) near.write(message)
        // Nothing passes any more: the server says after the commit that it is ready.
        else if (own && isReady(message)) return (own.happened(), near.destroy())
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = new URL(address)
  // The tests' own connections use a Unix socket.
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    breakAt: (statement, lost) => new Promise((happened) => (next = { statement, lost, happened })),
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      return closed
    },
  }
}

const typeOf = (message: Buffer) => String.fromCodePoint(message[0]!)
const isReady = (message: Buffer) => typeOf(message) === 'Z'

/** What commits the statement, if the message is about it: its end, or the statement COMMIT. */
function commitOf(message: Buffer, statement: string): ((later: Buffer) => boolean) | null {
  if (typeOf(message) === 'B' && message.includes(`\0${statement}\0`))
    return (later) => typeOf(later) === 'S'
  if (typeOf(message) === 'P' && statement.includes(' ') && message.includes(statement))
    return (later) => typeOf(later) === 'Q' && later.includes('COMMIT')
  return null
}

/** Splits a direction of a connection into messages; the client's first one has no type. */
function splitMessages(isStarted: boolean): (bytes: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0)
  let started = isStarted
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const messages: Buffer[] = []
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return messages
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return messages
      messages.push(rest.subarray(0, length))
      rest = rest.subarray(length)
      started = true
    }
  }
}
