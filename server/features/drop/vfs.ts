// The file system of one account, for both protocols: `/uploads/<shop>/` and everything below it.
// Names are rows: docs/decisions/0030.
import type { Readable } from 'node:stream'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { lastOf, present } from '../../core/lazy.ts'
import {
  markInterrupted,
  findEntry,
  insertFolder,
  listFolder,
  moveEntry,
  removeEntry,
  setModified,
  type DropEntry,
  type FileState,
  type Move,
} from './entries.ts'
import { releaseBytes } from './dropped-bytes.ts'
import { DropError } from './errors.ts'
import { requireUnmanaged } from './own-folders.ts'
import { absolutePath, homeOf, joinPath, placeOf, type Place } from './paths.ts'
import type { Space } from './quota.ts'
import type { RecentFiles } from './received.ts'
import { renameImported, untilImported } from './recent-imports.ts'
import { ensureWhole, type Transfer, type TransferParts } from './transfer.ts'
import type { Transfers } from './transfers.ts'

/** A file or folder, as a client sees it. */
export interface Node {
  name: string
  kind: 'folder' | 'file'
  size: number
  modified: Date
  state: FileState | null
}

/** A file that is open for reading. */
export interface OpenFile {
  size: number
  modified: Date
  /** Reads at most `length` bytes from `position`; empty at the end. */
  read(position: number, length: number): Promise<Buffer>
  stream(from: number): Promise<Readable>
  /** The BLAKE3 hash, as 64 hex digits. */
  hash: string
  close(): Promise<void>
}

export interface WriteMode {
  mode: 'truncate' | 'keep'
  /** With `keep`: the number of existing bytes that are kept. Absent: all. */
  keepBytes?: number
  exclusive?: boolean
}

export interface DropFs {
  home: string
  /** The quota of the shop, and how much of it is used. */
  space(): Promise<Space>
  /** Returns the absolute path; it need not exist. Throws `bad_name`. */
  resolve(path: string, from: string): string
  stat(path: string): Promise<Node>
  /** Lists a folder by name, a page at a time. */
  list(path: string): AsyncGenerator<Node[]>
  makeFolder(path: string): Promise<void>
  removeFolder(path: string): Promise<void>
  remove(path: string): Promise<void>
  /**
   * Renames a file or folder. `overwrite`: a file that waits under the new name is replaced (RNTO,
   * posix-rename), else refused, as OpenSSH does for SSH_FXP_RENAME. A name whose file was imported
   * is free in the folder for both, because a client cannot remove that file: its own becomes the
   * next version.
   */
  rename(from: string, to: string, overwrite: boolean): Promise<void>
  setModified(path: string, at: Date): Promise<void>
  openRead(path: string): Promise<OpenFile>
  openWrite(path: string, mode: WriteMode): Promise<Transfer>
  /**
   * Records that the client was still connected after a file of FTP ended. Resolves when that is
   * written; `soon`: a moment later, together with others.
   */
  confirm(entry: string, soon: boolean): Promise<void>
  /**
   * Marks a file as incomplete: its client disconnected before it could show that it was still
   * connected.
   */
  markInterrupted(entry: string): Promise<void>
}

export interface FsOwner {
  shop: number
  account: string
  protocol: 'sftp' | 'ftp' | 'ftps'
}

const PAGE = 500
const EPOCH = new Date(0)

export const createDropFs = (
  parts: TransferParts,
  transfers: Transfers,
  received: RecentFiles,
  owner: FsOwner,
): DropFs => new AccountFs(parts, transfers, received, owner)

class AccountFs implements DropFs {
  readonly home: string
  readonly #parts: TransferParts
  readonly #transfers: Transfers
  readonly #received: RecentFiles
  readonly #owner: FsOwner
  readonly #scope: ShopScope

  constructor(parts: TransferParts, transfers: Transfers, received: RecentFiles, owner: FsOwner) {
    this.home = homeOf(owner.shop)
    this.#parts = parts
    this.#transfers = transfers
    this.#received = received
    this.#owner = owner
    this.#scope = forShop(parts.database, owner.shop)
  }

  space(): Promise<Space> {
    return this.#transfers.space(this.#owner.shop)
  }

  /**
   * Clients read the path of `ftp://host/uploads/1/` as relative to the home: curl sends
   * `uploads/1/`, lftp `/uploads/1/uploads/1`.
   */
  resolve(given: string, from: string): string {
    const path = absolutePath(given, from)
    const nestedHome = `${this.home}${this.home}/`
    return `${path}/`.startsWith(nestedHome) ? path.slice(this.home.length) : path
  }

  async stat(path: string): Promise<Node> {
    const place = this.#placeOf(path)
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (place.kind === 'virtual' || place.name === '') return folderNode(name)
    return this.#required(path).then(nodeOf, (error: unknown): Node => {
      const gone = isGone(error) ? this.#findReceived(path) : null
      if (!gone) throw error
      return { ...gone, name, kind: 'file', state: null }
    })
  }

  async *list(path: string): AsyncGenerator<Node[]> {
    const place = this.#placeOf(path)
    if (place.kind === 'virtual') return yield place.children.map(folderNode)
    if (place.name !== '') await this.#required(path, 'folder')
    const folder = joinPath(place.folder, place.name)
    await this.#transfers.named(this.#owner.shop)
    for (let after = ''; ;) {
      const rows = await listFolder(this.#scope, folder, after, PAGE)
      yield rows.map(nodeOf)
      if (rows.length < PAGE) return
      after = lastOf(rows).name
    }
  }

  async makeFolder(path: string): Promise<void> {
    const place = this.#placeOf(path)
    if (place.kind === 'virtual' || place.name === '') throw new DropError('exists')
    requireUnmanaged(place)
    await this.#transfers.named(this.#owner.shop)
    await insertFolder(this.#scope, place.folder, place.name)
  }

  async removeFolder(path: string): Promise<void> {
    await removeEntry(this.#scope, await this.#required(path, 'folder'))
  }

  /**
   * Removes a file. One that was imported after this client sent it is no longer in the folder, but
   * `stat` still shows it: WinSCP removes such a name before it renames the next file to it.
   */
  async remove(path: string): Promise<void> {
    const entry = await this.#required(path, 'file').catch((error: unknown) => {
      if (isGone(error) && this.#findReceived(path)) return null
      throw error
    })
    this.#received.forget(this.#owner.shop, path)
    if (!entry) return
    const bytes = await removeEntry(this.#scope, entry)
    await releaseBytes(this.#parts, this.#owner.shop, bytes)
  }

  async rename(from: string, to: string, overwrite: boolean): Promise<void> {
    const place = this.#changeable(to)
    requireUnmanaged(place)
    while (!(await this.#moved(from, { ...place, overwrite })));
    this.#received.move(this.#owner.shop, from, to)
  }

  async setModified(path: string, at: Date): Promise<void> {
    const wasReceived = () => this.#findReceived(path) !== null
    const entry = await this.#required(path).catch((error: unknown) => {
      if (isGone(error) && wasReceived()) return null
      throw error
    })
    if (entry && !(await setModified(this.#scope, entry.id, at)) && !wasReceived())
      throw new DropError('not_found')
  }

  async openRead(path: string): Promise<OpenFile> {
    return openEntry(this.#parts, this.#owner.shop, await this.#required(path, 'file'))
  }

  async openWrite(path: string, mode: WriteMode): Promise<Transfer> {
    const place = this.#changeable(path)
    requireUnmanaged(place)
    const transfer = await this.#transfers.open({ ...this.#owner, ...place, ...mode })
    const close: Transfer['close'] = async () => {
      const size = transfer.size()
      const entry = await transfer.close()
      this.#received.add(this.#owner.shop, path, { size, modified: transfer.modifiedAt() })
      return entry
    }
    return { ...transfer, close }
  }

  confirm(entry: string, soon: boolean): Promise<void> {
    return this.#parts.confirmations.add(this.#owner.shop, entry, soon)
  }

  markInterrupted(entry: string): Promise<void> {
    return markInterrupted(this.#scope, entry)
  }

  /** The entry at a path, after its import if it has begun. Null: there is none, or no longer. */
  async #notImporting(path: string): Promise<DropEntry | null> {
    const entry = await this.#required(path).catch((error: unknown) => {
      if (isGone(error)) return null
      throw error
    })
    return entry && untilImported(this.#scope, entry)
  }

  /** Moves an entry, or the file that it became; false: an import took it in the meantime. */
  async #moved(from: string, to: Omit<Move, 'entry'>): Promise<boolean> {
    const entry = await this.#notImporting(from)
    if (entry === null) {
      const sent = { ...this.#changeable(from), account_id: this.#owner.account }
      await this.#clearName(joinPath(this.home, joinPath(to.folder, to.name)), to.overwrite)
      await renameImported(this.#scope, sent, to)
      return true
    }
    if (entry.kind === 'folder') requireUnmanaged(entry)
    try {
      const replaced = await moveEntry(this.#scope, { entry, ...to })
      await releaseBytes(this.#parts, this.#owner.shop, replaced)
    } catch (error) {
      const wasTaken = error instanceof DropError && error.code === 'busy'
      if (wasTaken && entry.kind === 'file' && entry.state !== 'importing') return false
      throw error
    }
    this.#parts.waker.wake(this.#owner.shop)
    return true
  }

  /** Waits for the import of a file that has this name, or removes the file if it may be replaced. */
  async #clearName(path: string, overwrite: boolean): Promise<void> {
    const there = await this.#notImporting(path)
    if (!there) return
    if (there.kind === 'folder' || !overwrite) throw new DropError('exists')
    const bytes = await removeEntry(this.#scope, there)
    await releaseBytes(this.#parts, this.#owner.shop, bytes)
  }

  #placeOf(path: string): Place {
    return placeOf(path, this.#owner.shop)
  }

  #findReceived(path: string) {
    return this.#received.find(this.#owner.shop, path)
  }

  /** A place where something can be created, removed or moved. */
  #changeable(path: string): { folder: string; name: string } {
    const place = this.#placeOf(path)
    if (place.kind === 'virtual' || place.name === '')
      throw new DropError('denied', `Put files into ${this.home}`)
    return place
  }

  async #required(path: string, kind?: DropEntry['kind']): Promise<DropEntry> {
    const { folder, name } = this.#changeable(path)
    await this.#transfers.named(this.#owner.shop)
    const entry = await findEntry(this.#scope, folder, name)
    if (!entry) throw new DropError('not_found')
    if (kind && entry.kind !== kind)
      throw new DropError(kind === 'file' ? 'is_a_folder' : 'not_a_folder')
    return entry
  }
}

const isGone = (error: unknown) => error instanceof DropError && error.code === 'not_found'

const folderNode = (name: string): Node => ({
  name,
  kind: 'folder',
  size: 0,
  modified: EPOCH,
  state: null,
})

const nodeOf = ({
  name,
  kind,
  size_bytes: size,
  modified_at: modified,
  state,
}: DropEntry): Node => ({
  name,
  kind,
  size,
  modified,
  state,
})

async function openEntry(
  { stores, blobs }: TransferParts,
  shop: number,
  entry: DropEntry,
): Promise<OpenFile> {
  const { hash, location, size_bytes: size } = entry
  if (hash === null) {
    if (entry.state === 'writing')
      throw new DropError('interrupted', 'The file is still being written')
    throw new DropError('not_found')
  }
  const at = present(location, 'The location of a received file')
  const store = stores.get(at)
  if (!store) throw new DropError('unavailable')
  await ensureWhole({ blobs }, { shop, hash, location: at })
  const stream = async (from: number) => store.read(shop, hash, { start: from, end: size - 1 })
  const reader = await store.open?.(shop, hash)
  return {
    size,
    modified: entry.modified_at,
    hash,
    stream,
    read: async (position, length) => {
      const wanted = Math.max(0, Math.min(length, size - position))
      if (wanted === 0) return Buffer.alloc(0)
      if (!reader) {
        const part = await store.read(shop, hash, { start: position, end: position + wanted - 1 })
        return Buffer.concat(await Array.fromAsync<Buffer>(part))
      }
      const into = Buffer.allocUnsafe(wanted)
      return into.subarray(0, await reader.read(into, position))
    },
    close: async () => reader?.close(),
  }
}
