// A TCP connection to a server on this machine that can be cut and restored: a cut resets open
// connections and refuses new ones.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Line {
  url: string
  cut(): void
  mend(): void
  close(): Promise<void>
}

/** `port`: the server's port. */
export async function startLine(port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let whole = true
  const watch = (socket: Socket, other: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }
  const server = createServer((near) => {
    if (!whole) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    watch(near, far)
    watch(far, near)
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const breakAll = () => sockets.forEach((socket) => socket.destroy())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      whole = false
      breakAll()
    },
    mend: () => {
      whole = true
    },
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      breakAll()
      return closed
    },
  }
}
