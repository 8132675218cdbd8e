// A port that forwards to another one, and that can be closed and opened again: a database that
// starts late or goes away.
import { createConnection, createServer, type Server, type Socket } from 'node:net'

export interface Door {
  open(): Promise<void>
  /** Cuts all connections. */
  close(): Promise<void>
}

/** @param target a port of this machine, or the path of a socket. */
export function createDoor(port: number, target: number | string): Door {
  const sockets = new Set<Socket>()
  let server: Server | null = null
  const forward = (socket: Socket) => {
    const other =
      typeof target === 'number' ? createConnection(target, '127.0.0.1') : createConnection(target)
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => (sockets.delete(from), to.destroy()))
    }
  }
  return {
    open: async () => {
      const opened = createServer(forward)
      await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve))
      server = opened
    },
    close: async () => {
      const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(null)))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
