// Clients that try to make the drop server hold memory and disk, all at the same time and at their
// full size: for the soak suite and the bench. None of them reads what the server sends.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { SFTPWrapper } from 'ssh2'
import type { DemoDrop } from '../server/features/drop/demo-account.ts'
import { openSftp, type SftpClient } from './sftp-client.ts'

const COMMANDS_BYTES = 35_000_000
const READERS = 10
const READS = 1500
const READ_BYTES = 256 * 1024
const TRUNCATIONS = 240
const WRITERS = 30
const HANDLES = 100
const HELD_BYTES = 250_000
const LASTING_MS = 15_000

export type AttackName = 'unread replies' | 'unread reads' | 'truncations' | 'open files'
export const ATTACKS: readonly AttackName[] = [
  'unread replies',
  'unread reads',
  'truncations',
  'open files',
]

/** Attacks for some seconds, and calls `look` meanwhile. Ends all connections. */
export async function attackDrop(
  target: DemoDrop,
  look: () => Promise<void>,
  names: readonly AttackName[] = ATTACKS,
): Promise<void> {
  const sockets: Socket[] = []
  const open = async (): Promise<SftpClient> => {
    const client = await openSftp(target.sftp_port, target.username, target.password)
    client.socket.on('error', () => {})
    sockets.push(client.socket)
    return client
  }
  const writer = await open()
  const large = `${target.path}attacked.bin`
  await writer.put(large, Buffer.alloc(5_000_000, 'a'))
  const attacks: Record<AttackName, () => Promise<void>[]> = {
    'unread replies': () => [unreadReplies(target, sockets)],
    'unread reads': () =>
      Array.from({ length: READERS }, async () => unreadReads(await open(), large)),
    truncations: () => [open().then((client) => truncations(client, large))],
    'open files': () =>
      Array.from({ length: WRITERS }, async (_, n) => heldHandles(await open(), target.path, n)),
  }
  const ended = Promise.allSettled(names.flatMap((name) => attacks[name]()))
  for (const until = Date.now() + LASTING_MS; Date.now() < until;) {
    await look()
    await delay(100)
  }
  for (const socket of sockets) socket.destroy()
  await Promise.race([ended, delay(1000)])
}

async function unreadReplies({ ftp_port: port }: DemoDrop, sockets: Socket[]): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  socket.pause()
  const line = `FEAT ${'x'.repeat(93)}\r\n`
  socket.write(line.repeat(COMMANDS_BYTES / line.length))
}

const opened = (sftp: SFTPWrapper, path: string, mode: 'r' | 'w') =>
  new Promise<Buffer>((resolve, reject) =>
    sftp.open(path, mode, (error, handle) => (error ? reject(error) : resolve(handle))),
  )

async function unreadReads({ sftp, socket }: SftpClient, path: string): Promise<void> {
  const handle = await opened(sftp, path, 'r')
  socket.pause()
  const into = Buffer.alloc(READ_BYTES)
  for (let n = 0; n < READS; n++) sftp.read(handle, into, 0, READ_BYTES, 0, () => {})
}

async function truncations({ sftp }: SftpClient, path: string): Promise<void> {
  for (let n = 0; n < TRUNCATIONS; n++) sftp.setstat(path, { size: 4_900_000 - n }, () => {})
}

async function heldHandles({ sftp }: SftpClient, folder: string, client: number): Promise<void> {
  const bytes = Buffer.alloc(HELD_BYTES, 'b')
  for (let n = 0; n < HANDLES; n++) {
    const handle = await opened(sftp, `${folder}held-${client}-${n}.bin`, 'w')
    for (let at = 0; at < HELD_BYTES; at += 32_000)
      sftp.write(handle, bytes, at, Math.min(32_000, HELD_BYTES - at), at, () => {})
  }
}
