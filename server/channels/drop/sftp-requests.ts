// SFTP version 3 (draft-ietf-secsh-filexfer-02) on one account's file system; requests run one
// after another if their order matters.
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2'
import { errorFields, type Logger } from '../../log.ts'
import { DropError, faultOf, type DropCode } from './errors.ts'
import type { Session } from './sessions.ts'
import type { Transfer } from './transfer.ts'
import type { Node, OpenFile } from './vfs.ts'

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp

const STATUS: Partial<Record<DropCode, number>> = {
  not_found: STATUS_CODE.NO_SUCH_FILE,
  denied: STATUS_CODE.PERMISSION_DENIED,
  busy: STATUS_CODE.PERMISSION_DENIED,
}
const MOST_HANDLES = 100
const MOST_READ = 256 * 1024
const FOLDER_MODE = 0o040755
const FILE_MODE = 0o100644

type Handle =
  | { kind: 'read'; file: OpenFile; path: string }
  | { kind: 'write'; transfer: Transfer; path: string; append: boolean }
  | { kind: 'folder'; pages: AsyncGenerator<Node[]> }

interface Channel {
  _protocol: { exitStatus(channel: number, status: number): void }
  outgoing: { id: number }
}

export interface Flow {
  pause(): void
  resume(): void
}

/** `flow`: pauses the connection while the disk is behind. */
export function serveSftp(
  sftp: SFTPWrapper,
  session: Session,
  { log, flow }: { log: Logger; flow: Flow },
): void {
  const { fs } = session
  const handles = new Map<number, Handle>()
  let next = 0
  let waits = 0
  let ended = false

  const end = () => {
    if (ended) return
    ended = true
    for (const handle of handles.values()) if (handle.kind === 'read') void handle.file.close()
    handles.clear()
    // Clients wait for the channel's end; scp also treats a missing exit status as a failure, and
    // ssh2 has no method for it here.
    const { _protocol: protocol, outgoing } = sftp as unknown as Channel
    protocol.exitStatus(outgoing.id, 0)
    sftp.end()
    void session.end()
  }
  sftp.on('end', end)
  sftp.on('close', end)

  const status = (id: number, error: unknown) => {
    if (ended) return
    const fault = faultOf(error)
    if (fault !== null) log.warn('drop: an SFTP request failed', errorFields(fault))
    const known = error instanceof DropError ? error : new DropError('unavailable')
    sftp.status(id, STATUS[known.code] ?? STATUS_CODE.FAILURE, known.message)
  }
  const ok = (id: number) => !ended && sftp.status(id, STATUS_CODE.OK)
  /** Answers exactly once: with OK unless `work` has answered (true). */
  const answer = (id: number, work: () => Promise<true | void>) =>
    void work().then(
      (answered) => answered === true || ok(id),
      (error: unknown) => status(id, error),
    )
  const handleOf = <K extends Handle['kind']>(given: Buffer, kind: K): Handle & { kind: K } => {
    const handle = given.length === 4 ? handles.get(given.readUInt32BE()) : undefined
    if (handle?.kind !== kind) throw new DropError('denied', 'This handle is not open for that')
    return handle as Handle & { kind: K }
  }
  const give = (id: number, handle: Handle): true => {
    handles.set(next, handle)
    const name = Buffer.alloc(4)
    name.writeUInt32BE(next++)
    if (!ended) sftp.handle(id, name)
    return true
  }
  const at = (path: string) => fs.resolve(path, fs.home)

  sftp.on('OPEN', (id, name, flags, attributes) =>
    answer(id, async () => {
      if (handles.size >= MOST_HANDLES)
        throw new DropError('unavailable', 'Too many files are open')
      const path = at(name)
      if (!(flags & (OPEN_MODE.WRITE | OPEN_MODE.APPEND)))
        return give(id, { kind: 'read', file: await fs.openRead(path), path })
      if (!(flags & OPEN_MODE.CREAT)) await fs.stat(path)
      const exclusive = (flags & OPEN_MODE.EXCL) !== 0
      const mode = flags & OPEN_MODE.TRUNC ? 'truncate' : 'keep'
      const transfer = await session.write(fs.openWrite(path, { mode, exclusive }))
      if (attributes.mtime) transfer.modified(new Date(attributes.mtime * 1000))
      return give(id, { kind: 'write', transfer, path, append: (flags & OPEN_MODE.APPEND) !== 0 })
    }),
  )
  sftp.on('WRITE', (id, given, offset, data) => {
    try {
      const { transfer, append } = handleOf(given, 'write')
      const wait = transfer.write(append ? transfer.size() : offset, data)
      if (!wait) return void ok(id)
      if (waits++ === 0) flow.pause()
      wait
        .then(
          () => ok(id),
          (error: unknown) => status(id, error),
        )
        .finally(() => --waits === 0 && flow.resume())
    } catch (error) {
      status(id, error)
    }
  })
  sftp.on('READ', (id, given, offset, length) =>
    answer(id, async () => {
      const { file } = handleOf(given, 'read')
      const data = await file.read(offset, Math.min(length, MOST_READ))
      if (ended) return true
      if (data.length === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.data(id, data)
      return true
    }),
  )
  sftp.on('CLOSE', (id, given) =>
    answer(id, async () => {
      const number = given.length === 4 ? given.readUInt32BE() : -1
      const handle = handles.get(number)
      handles.delete(number)
      if (handle?.kind === 'read') await handle.file.close()
      if (handle?.kind !== 'write') return
      const size = handle.transfer.size()
      await handle.transfer.close()
      session.received(size)
    }),
  )
  const stat = (id: number, path: string) =>
    answer(id, async () => {
      const attributes = attributesOf(await fs.stat(at(path)))
      if (!ended) sftp.attrs(id, attributes)
      return true
    })
  sftp.on('STAT', stat)
  sftp.on('LSTAT', stat)
  sftp.on('FSTAT', (id, given) =>
    answer(id, async () => {
      const handle = given.length === 4 ? handles.get(given.readUInt32BE()) : undefined
      if (!handle || handle.kind === 'folder')
        throw new DropError('denied', 'This handle is not open for that')
      const size = handle.kind === 'read' ? handle.file.size : handle.transfer.size()
      const now = { name: '', kind: 'file', modified: new Date(), state: null } as const
      if (!ended) sftp.attrs(id, attributesOf({ ...now, size }))
      return true
    }),
  )
  sftp.on('SETSTAT', (id, path, attributes) =>
    answer(id, async () => {
      const absolute = at(path)
      if (attributes.size !== undefined) {
        const transfer = await session.write(fs.openWrite(absolute, { mode: 'keep' }))
        try {
          await transfer.truncate(attributes.size)
        } catch (error) {
          await transfer.abandon()
          throw error
        }
        await transfer.close()
      }
      if (attributes.mtime) await fs.setModified(absolute, new Date(attributes.mtime * 1000))
      else await fs.stat(absolute)
    }),
  )
  sftp.on('FSETSTAT', (id, given, attributes) =>
    answer(id, async () => {
      const { transfer } = handleOf(given, 'write')
      if (attributes.size !== undefined) await transfer.truncate(attributes.size)
      if (attributes.mtime) transfer.modified(new Date(attributes.mtime * 1000))
    }),
  )
  sftp.on('OPENDIR', (id, name) =>
    answer(id, async () => {
      if (handles.size >= MOST_HANDLES)
        throw new DropError('unavailable', 'Too many files are open')
      const path = at(name)
      if ((await fs.stat(path)).kind !== 'folder') throw new DropError('not_a_folder')
      return give(id, { kind: 'folder', pages: fs.list(path) })
    }),
  )
  sftp.on('READDIR', (id, given) =>
    answer(id, async () => {
      const page = await handleOf(given, 'folder').pages.next()
      if (ended) return true
      if (page.done || page.value.length === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.name(id, page.value.map(listedAs))
      return true
    }),
  )
  sftp.on('REALPATH', (id, path) =>
    answer(id, async () => {
      const filename = at(path === '' ? '.' : path)
      if (!ended) sftp.name(id, [{ filename, longname: filename, attrs: {} as Attributes }])
      return true
    }),
  )
  sftp.on('REMOVE', (id, path) => answer(id, async () => fs.remove(at(path))))
  sftp.on('RMDIR', (id, path) => answer(id, async () => fs.removeFolder(at(path))))
  sftp.on('MKDIR', (id, path) => answer(id, async () => fs.makeFolder(at(path))))
  sftp.on('RENAME', (id, from, to) => answer(id, async () => fs.rename(at(from), at(to), false)))
  sftp.on('EXTENDED', (id, name, data) => {
    if (name !== 'posix-rename@openssh.com')
      return void (ended || sftp.status(id, STATUS_CODE.OP_UNSUPPORTED))
    answer(id, async () => {
      const [from, to] = twoStrings(data)
      await fs.rename(at(from), at(to), true)
    })
  })
  const noLinks = (id: number) =>
    void (ended || sftp.status(id, STATUS_CODE.OP_UNSUPPORTED, 'There are no links here'))
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
