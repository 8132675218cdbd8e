// The files and folders that one SFTP channel has open, by the handles that its client names.
import { DropError } from './errors.ts'
import type { Transfer } from './transfer.ts'
import type { Node, OpenFile } from './vfs.ts'

export const MAX_HANDLES = 100

export type SftpHandle =
  | { kind: 'read'; file: OpenFile; path: string }
  | { kind: 'write'; transfer: Transfer; path: string; append: boolean; readable: boolean }
  | { kind: 'folder'; pages: AsyncGenerator<Node[]> }

export interface SftpHandles {
  /**
   * Keeps the handle that `create` opens, and returns its name. Handles that are being opened count
   * towards the limit. Throws `DropError` above the limit, and after `close`.
   */
  open(create: () => Promise<SftpHandle>): Promise<Buffer>
  get(given: Buffer): SftpHandle | undefined
  /** Returns the open handle. Throws `DropError` if it is not open for this kind of use. */
  require<K extends SftpHandle['kind']>(given: Buffer, kind: K): SftpHandle & { kind: K }
  /** The client has asked to close it: `close` leaves it to `remove`, which follows. */
  closing(given: Buffer): SftpHandle | undefined
  remove(given: Buffer): SftpHandle | undefined
  /** Closes all files and interrupts the transfers of the channel, except those that are closing. */
  close(): void
}

/** The number of open handles of a connection, which its channels share. */
export interface OpenHandles {
  count: number
}

/**
 * Creates the handles of a channel. `onError` receives errors of files that are closed with the
 * channel.
 */
export function createSftpHandles(
  open: OpenHandles,
  onError: (error: unknown) => void,
): SftpHandles {
  const handles = new Map<number, SftpHandle>()
  const closing = new Set<number>()
  let next = 0
  let isClosed = false
  const numberOf = (given: Buffer) => (given.length === 4 ? given.readUInt32BE() : -1)
  const get = (given: Buffer) => handles.get(numberOf(given))
  return {
    open: async (create) => {
      if (open.count >= MAX_HANDLES) throw new DropError('too_many_files')
      open.count++
      const handle = await create().catch((error: unknown) => {
        open.count--
        throw error
      })
      if (isClosed) {
        open.count--
        await release(handle).catch(onError)
        throw notOpen()
      }
      handles.set(next, handle)
      const name = Buffer.alloc(4)
      name.writeUInt32BE(next++)
      return name
    },
    get,
    require: <K extends SftpHandle['kind']>(given: Buffer, kind: K) => {
      const handle = get(given)
      if (handle?.kind !== kind) throw notOpen()
      return handle as SftpHandle & { kind: K }
    },
    closing: (given) => {
      const handle = get(given)
      if (handle) closing.add(numberOf(given))
      return handle
    },
    remove: (given) => {
      const handle = get(given)
      closing.delete(numberOf(given))
      if (handles.delete(numberOf(given))) open.count--
      return handle
    },
    close: () => {
      isClosed = true
      for (const [number, handle] of handles) {
        if (closing.has(number)) continue
        handles.delete(number)
        open.count--
        release(handle).catch(onError)
      }
    },
  }
}

async function release(handle: SftpHandle): Promise<void> {
  if (handle.kind === 'read') await handle.file.close()
  if (handle.kind === 'write') await handle.transfer.abandon()
}

export const notOpen = () => new DropError('denied', 'This handle is not open for that')
