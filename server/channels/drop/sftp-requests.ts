// SFTP version 3 (draft-ietf-secsh-filexfer-02) on one account's file system; requests run one
// after another if their order matters.
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2'
import { errorFields, type Logger } from '../../log.ts'
import { DropError } from './errors.ts'
import type { Session } from './sessions.ts'
import { createSftpHandles, notOpen, type SftpHandles } from './sftp-handles.ts'
import { createSftpReplies, type SftpReplies } from './sftp-replies.ts'
import type { Node } from './vfs.ts'

const { OPEN_MODE } = ssh2.utils.sftp

const MAX_READ_BYTES = 256 * 1024
const FOLDER_MODE = 0o040755
const FILE_MODE = 0o100644

export interface Flow {
  pause(): void
  resume(): void
}

interface Parts {
  sftp: SFTPWrapper
  session: Session
  handles: SftpHandles
  replies: SftpReplies
  flow: Flow
  /** The absolute path of one that the client names. Throws `bad_name`. */
  at: (path: string | undefined) => string
}

/** `flow`: pauses the connection while the disk is behind. */
export function serveSftp(
  sftp: SFTPWrapper,
  session: Session,
  { log, flow }: { log: Logger; flow: Flow },
): void {
  const { fs } = session
  const handles = createSftpHandles((error) =>
    log.warn('drop: a file of an ended SFTP channel could not be closed', errorFields(error)),
  )
  const replies = createSftpReplies(sftp, log)
  // The session continues: its connection may have other channels.
  const end = () => {
    if (replies.end()) handles.close()
  }
  sftp.on('end', end)
  sftp.on('close', end)
  // ssh2 passes undefined for a request that ends before its path.
  const at = (path: string | undefined) => {
    if (path === undefined) throw new DropError('bad_name', 'The request has no path')
    return fs.resolve(path, fs.home)
  }
  const parts: Parts = { sftp, session, handles, replies, flow, at }
  serveOpening(parts)
  serveWriting(parts)
  serveReading(parts)
  serveAttributes(parts)
  serveChanges(parts)
  serveFolders(parts)
  serveNames(parts)
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
  sftp.on('CLOSE', (id, given) =>
    replies.answer(id, async () => {
      const handle = handles.remove(given)
      if (handle?.kind === 'read') await handle.file.close()
      if (handle?.kind !== 'write') return
      const size = handle.transfer.size()
      await handle.transfer.close()
      session.received(size)
    }),
  )
}

function serveWriting({ sftp, handles, replies, flow }: Parts): void {
  let waits = 0
  sftp.on('WRITE', (id, given, offset, data) => {
    try {
      const { transfer, append } = handles.require(given, 'write')
      const wait = transfer.write(append ? transfer.size() : offset, data)
      if (!wait) return replies.ok(id)
      if (waits++ === 0) flow.pause()
      wait
        .then(
          () => replies.ok(id),
          (error: unknown) => replies.failed(id, error),
        )
        .finally(() => --waits === 0 && flow.resume())
    } catch (error) {
      replies.failed(id, error)
    }
  })
}

function serveReading({ sftp, handles, replies }: Parts): void {
  sftp.on('READ', (id, given, offset, length) =>
    replies.answer(id, async () => {
      const handle = handles.get(given)
      if (!handle || handle.kind === 'folder') throw notOpen()
      const source = handle.kind === 'read' ? handle.file : handle.readable ? handle.transfer : null
      if (!source) throw notOpen()
      return replies.data(id, await source.read(offset, Math.min(length, MAX_READ_BYTES)))
    }),
  )
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
  sftp.on('SETSTAT', (id, path, attributes) =>
    replies.answer(id, async () => {
      const absolute = at(path)
      if (attributes.size !== undefined) await truncate(session, absolute, attributes.size)
      if (attributes.mtime) await fs.setModified(absolute, new Date(attributes.mtime * 1000))
      else await fs.stat(absolute)
    }),
  )
  sftp.on('FSETSTAT', (id, given, attributes) =>
    replies.answer(id, async () => {
      const { transfer } = handles.require(given, 'write')
      if (attributes.size !== undefined) await transfer.truncate(attributes.size)
      if (attributes.mtime) transfer.modified(new Date(attributes.mtime * 1000))
    }),
  )
}

async function truncate(session: Session, path: string, size: number): Promise<void> {
  const transfer = await session.write(session.fs.openWrite(path, { mode: 'keep' }))
  try {
    await transfer.truncate(size)
  } catch (error) {
    await transfer.abandon()
    throw error
  }
  await transfer.close()
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
  sftp.on('REMOVE', (id, path) => answer(id, async () => fs.remove(at(path))))
  sftp.on('RMDIR', (id, path) => answer(id, async () => fs.removeFolder(at(path))))
  sftp.on('MKDIR', (id, path) => answer(id, async () => fs.makeFolder(at(path))))
  sftp.on('RENAME', (id, from, to) => answer(id, async () => fs.rename(at(from), at(to), false)))
  sftp.on('EXTENDED', (id, name, data) => {
    if (name !== 'posix-rename@openssh.com') return replies.unsupported(id)
    answer(id, async () => {
      const [from, to] = twoStrings(data)
      await fs.rename(at(from), at(to), true)
    })
  })
  const noLinks = (id: number) => replies.unsupported(id, 'Links are not supported')
  sftp.on('READLINK', noLinks)
  sftp.on('SYMLINK', noLinks)
}

function twoStrings(data: Buffer): [string, string] {
  const length = data.length >= 4 ? data.readUInt32BE() : Infinity
  const rest = data.subarray(4 + length)
  if (rest.length < 4 || rest.readUInt32BE() > rest.length - 4) throw new DropError('bad_name')
  return [data.toString('utf8', 4, 4 + length), rest.toString('utf8', 4, 4 + rest.readUInt32BE())]
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
