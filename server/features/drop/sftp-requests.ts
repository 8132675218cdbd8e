// SFTP version 3 (draft-ietf-secsh-filexfer-02) on one account's file system; requests run one
// after another if their order matters (request-order.ts).
import type { Socket } from 'node:net'
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2'
import { errorFields, type Logger } from '../../core/log.ts'
import { present } from '../../core/lazy.ts'
import { DropError } from './errors.ts'
import type { Session } from './sessions.ts'
import type { ExtensionName } from './sftp-extensions.ts'
import {
  createSftpHandles,
  MAX_HANDLES,
  notOpen,
  type OpenHandles,
  type SftpHandles,
} from './sftp-handles.ts'
import type { Refusals } from './refusals.ts'
import { createReadQueue, type ReadQueue } from './sftp-reads.ts'
import { createSftpReplies, type SftpReplies } from './sftp-replies.ts'
import type { Node } from './vfs.ts'

const { OPEN_MODE } = ssh2.utils.sftp

/** The maximum size of a packet, and of the bytes in it, as in OpenSSH. */
const MAX_PACKET_BYTES = 256 * 1024
const MAX_DATA_BYTES = MAX_PACKET_BYTES - 1024
/** The unit in which clients are told the space that is left. */
const BLOCK_BYTES = 4096
const MAX_NAME_BYTES = 255
const FOLDER_MODE = 0o040755
const FILE_MODE = 0o100644

interface Parts {
  sftp: SFTPWrapper
  session: Session
  handles: SftpHandles
  replies: SftpReplies
  reads: ReadQueue
  /** The socket of the connection, which is paused while the disk is behind. */
  socket: Socket
  flooded: () => void
  /** Returns the absolute path of one that the client names. Throws `bad_name`. */
  at: (path: string | undefined) => string
}

export interface ChannelParts {
  log: Logger
  refusals: Refusals
  socket: Socket
  /** Ends the connection of a client that sends requests and does not take the replies. */
  flooded: () => void
  /** The handles of all channels of the connection. */
  open: OpenHandles
}

export function serveSftp(
  sftp: SFTPWrapper,
  session: Session,
  { log, refusals, socket, flooded, open }: ChannelParts,
): void {
  const { fs } = session
  const handles = createSftpHandles(open, (error) =>
    log.warn('drop: a file of an ended SFTP channel could not be closed', errorFields(error)),
  )
  const replies = createSftpReplies(sftp, { log, refusals, flooded })
  const reads = createReadQueue(sftp, socket)
  // The session continues: its connection may have other channels.
  const end = () => {
    reads.end()
    if (replies.end()) handles.close()
  }
  sftp.on('end', end)
  sftp.on('close', end)
  // ssh2 passes undefined for a request that ends before its path.
  const at = (path: string | undefined) => {
    if (path === undefined) throw new DropError('bad_name', 'The request has no path')
    return fs.resolve(path, fs.home)
  }
  const parts: Parts = { sftp, session, handles, replies, reads, socket, flooded, at }
  serveOpening(parts)
  serveWriting(parts)
  serveReading(parts)
  serveAttributes(parts)
  serveChanges(parts)
  serveFolders(parts)
  serveNames(parts)
  serveExtensions(parts)
}

function serveOpening({ sftp, session, handles, replies, at }: Parts): void {
  const { fs } = session
  sftp.on('OPEN', (id, name, flags, attributes) =>
    replies.answer(id, async () => {
      const path = at(name)
      if (!(flags & (OPEN_MODE.WRITE | OPEN_MODE.APPEND)))
        return replies.handle(
          id,
          await handles.open(async () => ({ kind: 'read', file: await fs.openRead(path), path })),
        )
      const opened = await handles.open(async () => {
        if (!(flags & OPEN_MODE.CREAT)) await fs.stat(path)
        const exclusive = (flags & OPEN_MODE.EXCL) !== 0
        const mode = flags & OPEN_MODE.TRUNC ? 'truncate' : 'keep'
        const transfer = await session.write(fs.openWrite(path, { mode, exclusive }))
        if (attributes.mtime) transfer.modified(new Date(attributes.mtime * 1000))
        const append = (flags & OPEN_MODE.APPEND) !== 0
        const readable = (flags & OPEN_MODE.READ) !== 0
        return { kind: 'write', transfer, path, append, readable }
      })
      return replies.handle(id, opened)
    }),
  )
  const close = async (given: Buffer) => {
    const handle = handles.remove(given)
    if (handle?.kind === 'read') await handle.file.close()
    if (handle?.kind !== 'write') return
    const size = handle.transfer.size()
    await handle.transfer.close()
    session.received(size)
  }
  sftp.on('CLOSE', (id, given) => {
    const closed = Promise.withResolvers<void>()
    const handle = handles.closing(given)
    // The file is complete, also if the client leaves before its earlier requests are done.
    if (handle?.kind === 'write') session.closing(handle.transfer, closed.promise)
    replies.answer(id, () => close(given).finally(closed.resolve), 'alone')
  })
}

function serveWriting({ sftp, handles, replies, socket }: Parts): void {
  let waits = 0
  sftp.on('WRITE', (id, given, offset, data) => {
    try {
      const { transfer, append } = handles.require(given, 'write')
      const wait = transfer.write(append ? transfer.size() : offset, data)
      if (!wait) return replies.ok(id)
      if (waits++ === 0) socket.pause()
      wait
        .then(
          () => replies.ok(id),
          (error: unknown) => replies.failed(id, error),
        )
        .finally(() => --waits === 0 && socket.resume())
    } catch (error) {
      replies.failed(id, error)
    }
  })
}

function serveReading({ sftp, handles, replies, reads, flooded }: Parts): void {
  const read = async (id: number, given: Buffer, offset: number, length: number) => {
    try {
      const handle = handles.get(given)
      if (!handle || handle.kind === 'folder') throw notOpen()
      const source = handle.kind === 'read' ? handle.file : handle.readable ? handle.transfer : null
      if (!source) throw notOpen()
      replies.data(id, await source.read(offset, length))
    } catch (error) {
      replies.failed(id, error)
    }
  }
  sftp.on('READ', (id, given, offset, wanted) => {
    const length = Math.min(wanted, MAX_DATA_BYTES)
    if (!reads.add(length, () => read(id, given, offset, length))) flooded()
  })
}

function serveAttributes({ sftp, session: { fs }, handles, replies, at }: Parts): void {
  const stat = (id: number, path: string) =>
    replies.answer(id, async () => replies.attributes(id, attributesOf(await fs.stat(at(path)))))
  sftp.on('STAT', stat)
  sftp.on('LSTAT', stat)
  sftp.on('FSTAT', (id, given) =>
    replies.answer(id, async () => {
      const handle = handles.get(given)
      if (!handle || handle.kind === 'folder') throw notOpen()
      const { size, modified } =
        handle.kind === 'read'
          ? handle.file
          : { size: handle.transfer.size(), modified: handle.transfer.modifiedAt() }
      return replies.attributes(
        id,
        attributesOf({ name: '', kind: 'file', size, modified, state: null }),
      )
    }),
  )
}

function serveChanges({ sftp, session, handles, replies, at }: Parts): void {
  const { fs } = session
  const setAttributes = async (path: string | undefined, attributes: Attributes) => {
    const absolute = at(path)
    // A truncation copies the file: one that waits when its client leaves is dropped.
    if (attributes.size !== undefined && replies.hasEnded()) throw notOpen()
    if (attributes.size !== undefined) await truncate(session, absolute, attributes.size)
    if (attributes.mtime) await fs.setModified(absolute, new Date(attributes.mtime * 1000))
    else await fs.stat(absolute)
  }
  sftp.on('SETSTAT', (id, path, attributes) =>
    replies.answer(id, () => setAttributes(path, attributes), 'alone'),
  )
  sftp.on('FSETSTAT', (id, given, attributes) =>
    replies.answer(id, async () => {
      const { transfer } = handles.require(given, 'write')
      if (attributes.size !== undefined) await transfer.truncate(attributes.size)
      if (attributes.mtime) transfer.modified(new Date(attributes.mtime * 1000))
    }),
  )
}

/** Truncates a file by copying its beginning, because blobs do not change. */
async function truncate(session: Session, path: string, size: number): Promise<void> {
  const now = await session.fs.stat(path)
  if (now.kind === 'folder') throw new DropError('is_a_folder')
  if (now.size === size) return
  const mode = { mode: 'keep', keepBytes: size } as const
  await (await session.write(session.fs.openWrite(path, mode))).close()
}

function serveFolders({ sftp, session: { fs }, handles, replies, at }: Parts): void {
  sftp.on('OPENDIR', (id, name) =>
    replies.answer(id, async () => {
      const path = at(name)
      const opened = await handles.open(async () => {
        if ((await fs.stat(path)).kind !== 'folder') throw new DropError('not_a_folder')
        return { kind: 'folder', pages: fs.list(path) }
      })
      return replies.handle(id, opened)
    }),
  )
  sftp.on('READDIR', (id, given) =>
    replies.answer(id, async () => {
      const page = await handles.require(given, 'folder').pages.next()
      return replies.names(id, page.done ? [] : page.value.map(listedAs))
    }),
  )
}

function serveNames({ sftp, session: { fs }, replies, at }: Parts): void {
  const { answer } = replies
  sftp.on('REALPATH', (id, path) =>
    answer(id, async () => {
      const filename = at(path === '' ? '.' : path)
      return replies.names(id, [{ filename, longname: filename, attrs: {} as Attributes }])
    }),
  )
  const change = (id: number, work: () => Promise<void>) => answer(id, work, 'alone')
  sftp.on('REMOVE', (id, path) => change(id, async () => fs.remove(at(path))))
  sftp.on('RMDIR', (id, path) => change(id, async () => fs.removeFolder(at(path))))
  sftp.on('MKDIR', (id, path) => change(id, async () => fs.makeFolder(at(path))))
  sftp.on('RENAME', (id, from, to) => change(id, async () => fs.rename(at(from), at(to), false)))
  const noLinks = (id: number) => replies.unsupported(id, 'Links are not supported')
  sftp.on('READLINK', noLinks)
  sftp.on('SYMLINK', noLinks)
}

/** Serves the extensions of OpenSSH's PROTOCOL that `announceExtensions` names. */
function serveExtensions({ sftp, session: { fs }, handles, replies, at }: Parts): void {
  const extensions: Record<ExtensionName, (id: number, data: Buffer) => Promise<true | void>> = {
    'posix-rename@openssh.com': async (_, data) => {
      const [from, to] = stringsIn(data, 2)
      await fs.rename(at(String(from)), at(String(to)), true)
    },
    'statvfs@openssh.com': async (id, data) => {
      const [path] = stringsIn(data, 1)
      await fs.stat(at(String(path)))
      const { limit, used } = await fs.space()
      const blocks = (bytes: number) => Math.floor(Math.max(0, bytes) / BLOCK_BYTES)
      const free = blocks(limit - used)
      // Sizes of blocks; blocks; files, which are not limited; the system, its flags, and names.
      return replies.extended(
        id,
        numbers(BLOCK_BYTES, BLOCK_BYTES, blocks(limit), free, free, 0, 0, 0, 0, 0, MAX_NAME_BYTES),
      )
    },
    'fsync@openssh.com': async (_, data) => {
      const [handle] = stringsIn(data, 1)
      await handles.require(present(handle, 'The handle'), 'write').transfer.sync()
    },
    'limits@openssh.com': (id) =>
      Promise.resolve(
        replies.extended(
          id,
          numbers(MAX_PACKET_BYTES, MAX_DATA_BYTES, MAX_DATA_BYTES, MAX_HANDLES),
        ),
      ),
  }
  sftp.on('EXTENDED', (id, name, data) => {
    if (!Object.hasOwn(extensions, name)) return replies.unsupported(id)
    const order = name.startsWith('posix-rename') ? 'alone' : 'beside'
    replies.answer(id, () => extensions[name as ExtensionName](id, data), order)
  })
}

/** Reads the strings of a request. Throws `bad_name` if there are fewer. */
function stringsIn(data: Buffer, count: number): Buffer[] {
  const found: Buffer[] = []
  for (let rest = data; found.length < count;) {
    const length = rest.length >= 4 ? rest.readUInt32BE() : Infinity
    if (length > rest.length - 4) throw new DropError('bad_name')
    found.push(rest.subarray(4, 4 + length))
    rest = rest.subarray(4 + length)
  }
  return found
}

/** Encodes numbers of 64 bits each. */
function numbers(...all: number[]): Buffer {
  const bytes = Buffer.alloc(8 * all.length)
  for (const [at, number] of all.entries()) bytes.writeBigUInt64BE(BigInt(number), 8 * at)
  return bytes
}

const attributesOf = ({ kind, size, modified }: Node): Attributes => {
  const seconds = Math.floor(modified.getTime() / 1000)
  const mode = kind === 'folder' ? FOLDER_MODE : FILE_MODE
  return { mode, uid: 0, gid: 0, size, atime: seconds, mtime: seconds }
}

function listedAs(node: Node): FileEntry {
  const letters = node.kind === 'folder' ? 'drwxr-xr-x' : '-rw-r--r--'
  const date = node.modified.toISOString().slice(0, 10)
  const longname = `${letters} 1 drop drop ${String(node.size).padStart(12)} ${date} ${node.name}`
  return { filename: node.name, longname, attrs: attributesOf(node) }
}
