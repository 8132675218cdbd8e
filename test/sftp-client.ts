// An SFTP client whose requests a test sends one by one.
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import ssh2, { type SFTPWrapper } from 'ssh2'

export interface SftpClient {
  sftp: SFTPWrapper
  /** The connection's socket, so that a test can cut it. */
  socket: Socket
  put(path: string, bytes: Buffer): Promise<void>
  get(path: string): Promise<Buffer>
  list(path: string): Promise<string[]>
  remove(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  /** Creates the folder unless it exists. */
  folder(path: string): Promise<void>
  size(path: string): Promise<number>
  /** Another SFTP channel of the same connection. */
  another(): Promise<SFTPWrapper>
  end(): void
}

type Done<T> = (error: Error | null | undefined, value: T) => void

export async function openSftp(
  port: number,
  username: string,
  password: string,
  host = '127.0.0.1',
): Promise<SftpClient> {
  // Without ssh2’s native part a packet is several writes, which the system would hold back.
  const socket = connect(port, host).setNoDelay(true)
  const client = new ssh2.Client()
  client.on('error', () => {})
  // ssh2 reports a connection that the server closes by this event alone: a request that waits for
  // its reply would wait for ever.
  const closed = new Promise<never>((_resolve, reject) =>
    client.once('close', () => reject(new Error('The server closed the connection'))),
  )
  closed.catch(() => {})
  const asked = <T>(ask: (done: Done<T>) => void): Promise<T> =>
    Promise.race([
      closed,
      new Promise<T>((resolve, reject) =>
        ask((error, value) => (error ? reject(error) : resolve(value))),
      ),
    ])
  await asked<void>((done) => {
    client.once('ready', () => done(null)).once('error', (error) => done(error))
    client.connect({ sock: socket, username, password })
  })
  const sftp = await asked<SFTPWrapper>((done) => client.sftp(done))
  sftp.on('error', () => {})
  return {
    sftp,
    socket,
    put: async (path, bytes) => {
      const handle = await asked<Buffer>((done) => sftp.open(path, 'w', done))
      try {
        for (let at = 0; at < bytes.length; at += 32_000) {
          const length = Math.min(32_000, bytes.length - at)
          await asked<void>((done) => sftp.write(handle, bytes, at, length, at, done as never))
        }
      } catch (error) {
        await asked<void>((done) => sftp.close(handle, done as never)).catch(() => {})
        throw error
      }
      await asked<void>((done) => sftp.close(handle, done as never))
    },
    get: (path) => asked<Buffer>((done) => sftp.readFile(path, done as never)),
    list: async (path) => {
      const found = await asked<{ filename: string }[]>((done) => sftp.readdir(path, done as never))
      return found.map(({ filename }) => filename)
    },
    remove: (path) => asked<void>((done) => sftp.unlink(path, done as never)),
    rename: (from, to) => asked<void>((done) => sftp.rename(from, to, done as never)),
    symlink: (target, path) => asked<void>((done) => sftp.symlink(target, path, done as never)),
    folder: async (path) => {
      const found = asked((done) => sftp.stat(path, done))
      await found.catch(() => asked<void>((done) => sftp.mkdir(path, done as never)))
    },
    size: async (path) =>
      (await asked<{ size: number }>((done) => sftp.stat(path, done as never))).size,
    another: () => asked<SFTPWrapper>((done) => client.sftp(done)),
    end: () => client.end(),
  }
}
