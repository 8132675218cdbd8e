// The files and folders that one SFTP channel has open, by the handles that its client names.
import { DropError } from './errors.ts'
import type { Transfer } from './transfer.ts'
import type { Node, OpenFile } from './vfs.ts'

const MAX_HANDLES = 100

type Handle =
  | { kind: 'read'; file: OpenFile; path: string }
  | { kind: 'write'; transfer: Transfer; path: string; append: boolean }
  | { kind: 'folder'; pages: AsyncGenerator<Node[]> }

export interface SftpHandles {
  /** Throws `DropError` if the client has too many open. */
  requireRoom(): void
  /** The name of the new handle. */
  add(handle: Handle): Buffer
  get(given: Buffer): Handle | undefined
  /** Throws `DropError` if it is not open for this. */
  require<K extends Handle['kind']>(given: Buffer, kind: K): Handle & { kind: K }
  remove(given: Buffer): Handle | undefined
  /** Closes the files that are read; transfers end with their session. */
  close(): void
}

export function createSftpHandles(): SftpHandles {
  const handles = new Map<number, Handle>()
  let next = 0
  const numberOf = (given: Buffer) => (given.length === 4 ? given.readUInt32BE() : -1)
  const get = (given: Buffer) => handles.get(numberOf(given))
  return {
    requireRoom: () => {
      if (handles.size >= MAX_HANDLES) throw new DropError('unavailable', 'Too many files are open')
    },
    add: (handle) => {
      handles.set(next, handle)
      const name = Buffer.alloc(4)
      name.writeUInt32BE(next++)
      return name
    },
    get,
    require: <K extends Handle['kind']>(given: Buffer, kind: K) => {
      const handle = get(given)
      if (handle?.kind !== kind) throw notOpen()
      return handle as Handle & { kind: K }
    },
    remove: (given) => {
      const handle = get(given)
      handles.delete(numberOf(given))
      return handle
    },
    close: () => {
      for (const handle of handles.values()) if (handle.kind === 'read') void handle.file.close()
      handles.clear()
    },
  }
}

export const notOpen = () => new DropError('denied', 'This handle is not open for that')
