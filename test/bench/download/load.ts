// The load generator: keep-alive connections that each request the next path after the last byte of
// the previous response. They are plain sockets with one buffer each, so that measuring takes
// little processor time on a small machine.
import net from 'node:net'

export interface Load {
  /** The processes among which the connections are divided. */
  ports: readonly number[]
  paths: readonly string[]
  connections: number
  requests: number
}

export interface LoadMeasurement {
  served: number
  bytes: number
  seconds: number
  /** Responses other than 200, by status. */
  refused: Record<string, number>
}

const HEAD_END = Buffer.from('\r\n\r\n')

async function run(load: Load): Promise<LoadMeasurement> {
  const measured: LoadMeasurement = { served: 0, bytes: 0, seconds: 0, refused: {} }
  let asked = 0
  const next = () => (asked < load.requests ? load.paths[asked++ % load.paths.length]! : null)
  const started = performance.now()
  await Promise.all(
    Array.from({ length: load.connections }, (_, at) =>
      connection(load.ports[at % load.ports.length]!, next, measured),
    ),
  )
  measured.seconds = (performance.now() - started) / 1000
  return measured
}

function connection(
  port: number,
  next: () => string | null,
  measured: LoadMeasurement,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0)
    let left = -1
    const ask = () => {
      const path = next()
      if (path === null) socket.end(resolve)
      else socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nUser-Agent: bench\r\n\r\n`)
    }
    const readHead = (bytes: Buffer) => {
      head = Buffer.concat([head, bytes])
      const end = head.indexOf(HEAD_END)
      if (end < 0) return
      const text = head.toString('latin1', 0, end)
      const status = text.slice(9, 12)
      if (status === '200') measured.served++
      else measured.refused[status] = (measured.refused[status] ?? 0) + 1
      const length = /\r\ncontent-length: (\d+)/i.exec(text)
      if (!length)
        return void socket.destroy(new Error(`A response ${status} without a Content-Length`))
      left = Number(length[1]) - (head.length - end - HEAD_END.length)
      measured.bytes += Number(length[1])
      head = Buffer.alloc(0)
    }
    const socket = net.connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(256 * 1024),
        callback: (count, buffer) => {
          if (left >= 0) left -= count
          else readHead(Buffer.from(buffer.subarray(0, count)))
          if (left === 0) {
            left = -1
            ask()
          }
          return true
        },
      },
    })
    socket.once('connect', ask)
    socket.once('error', reject)
  })
}

process.on('message', (load: Load) => void run(load).then((measured) => process.send!(measured)))
process.send!('ready')
