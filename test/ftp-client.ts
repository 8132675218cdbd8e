// An FTP control connection whose commands a test sends one by one.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An FTP control connection: sends lines unchanged and returns the first line of each reply. */
export async function openFtp(
  port: number,
  username: string,
  password: string,
  host = '127.0.0.1',
) {
  const socket: Socket = connect(port, host)
  let text = ''
  let waiting: (() => void) | null = null
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    text += chunk
    waiting?.()
  })
  socket.on('error', () => {})
  socket.on('close', () => waiting?.())
  const reply = async (): Promise<string> => {
    for (;;) {
      const found = /^(?:\d{3}-[^]*?\r\n)?(\d{3} [^\r\n]*)\r\n/.exec(text)
      if (found) {
        text = text.slice(found[0].length)
        return found[1]!
      }
      if (socket.destroyed) return 'closed'
      await new Promise<void>((resolve) => (waiting = resolve))
    }
  }
  const say = async (line: string | Buffer) => {
    socket.write(typeof line === 'string' ? `${line}\r\n` : line)
    return reply()
  }
  /** Opens the data connection of the next transfer. */
  const data = async (): Promise<Socket> => {
    const [, port] = /\|\|\|(\d+)\|/.exec(await say('EPSV'))!
    const connection = connect(Number(port), host)
    connection.on('error', () => {})
    await once(connection, 'connect')
    return connection
  }
  const greeting = await reply()
  await say(`USER ${username}`)
  const answer = await say(`PASS ${password}`)
  const signedIn = greeting.startsWith('220') ? answer : greeting
  return { socket, say, reply, data, signedIn }
}
