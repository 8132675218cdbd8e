// A ClamAV daemon, as the product sees it: the command INSTREAM of its protocol, on a socket. It finds the
// test file of EICAR, and the bytes that a test names.
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** The test file that every scanner finds. Written in two parts, so that none finds this one. */
export const EICAR = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-${'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`

export interface FakeClamd {
  address: { host: string; port: number }
  /** The bytes of each stream. */
  streams: Buffer[]
  close(): Promise<void>
}

export interface FakeClamdOptions {
  /** A stream that is longer is refused. */
  most?: number
  /** The bytes that it finds. */
  finds?: string | Buffer
  /** What it says instead of a verdict; null: it closes the connection without one. */
  says?: string | null
}

export async function startFakeClamd({
  most = Infinity,
  finds = EICAR,
  says,
}: FakeClamdOptions = {}): Promise<FakeClamd> {
  const streams: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => {})
    let bytes = Buffer.alloc(0)
    socket.on('data', (piece) => {
      bytes = Buffer.concat([bytes, piece])
      const stream = streamIn(bytes)
      if (stream.length > most) return void socket.end('INSTREAM size limit exceeded. ERROR\0')
      if (!stream.isWhole) return
      streams.push(stream.bytes)
      if (says === null) return void socket.destroy()
      const found = stream.bytes.includes(finds) ? 'Eicar-Test-Signature FOUND' : 'OK'
      socket.end(`${says ?? `stream: ${found}`}\0`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: { host: '127.0.0.1', port },
    streams,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const COMMAND = 'zINSTREAM\0'

/** The bytes of the stream so far. Throws for anything that is not this command. */
function streamIn(received: Buffer): { bytes: Buffer; length: number; isWhole: boolean } {
  if (
    received.length >= COMMAND.length &&
    received.toString('latin1', 0, COMMAND.length) !== COMMAND
  )
    throw new Error('This is not the command INSTREAM')
  const pieces: Buffer[] = []
  let length = 0
  for (let at = COMMAND.length; at + 4 <= received.length;) {
    const size = received.readUInt32BE(at)
    if (size === 0) return { bytes: Buffer.concat(pieces), length, isWhole: true }
    const piece = received.subarray(at + 4, at + 4 + size)
    pieces.push(piece)
    length += piece.length
    at += 4 + size
  }
  return { bytes: Buffer.concat(pieces), length, isWhole: false }
}
