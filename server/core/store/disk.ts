// A storage location on a disk: `<folder>/<shop>/<hash>`, with temporary names in `<folder>/tmp`.
// Why a shop has one folder for all of its blobs: docs/decisions/0009.
import fs, { closeSync, fstatSync } from 'node:fs'
import { makeFolderSync } from '../make-folder.ts'
import {
  copy,
  isAbsent,
  mayWrite,
  open,
  readAll,
  readAt,
  stat,
  unlessAbsent,
  unlink,
} from './disk-calls.ts'
import { adoptOnDisk, takeOnDisk } from './disk-adopt.ts'
import { createLayout, syncIntoPlace } from './disk-layout.ts'
import { orphansOnDisk, removePlacedOnDisk, removeShopFolder, sweepDisk } from './disk-sweep.ts'
import { writeHashed } from './disk-write.ts'
import { StoreError, type BlobStore } from './store.ts'

/** Large reads: with the default of 64 KB the calls cost more than the bytes. */
const READ_BYTES = 256 * 1024

/**
 * Creates `folder` if it is missing. Several processes may share it. Throws the system's error if
 * that fails: a location that does not work is found at start-up.
 */
export function createDiskStore({ folder }: { folder: string }): BlobStore {
  const layout = createLayout(folder)
  makeFolderSync(layout.temporaryFolder, 0o750)
  const write: BlobStore['write'] = async (shop, bytes, signal) => {
    signal?.throwIfAborted()
    const temporary = layout.temporary()
    return writeHashed(temporary, bytes, signal, (fd, { hash }) =>
      syncIntoPlace(fd, temporary, layout.blob(shop, hash)),
    )
  }
  // Copies a file that is on another disk, or on one without hard links.
  const copied = (shop: number, path: string, signal: AbortSignal | undefined) =>
    write(shop, fs.createReadStream(path, { highWaterMark: READ_BYTES }), signal)
  return {
    // The folder may exist and belong to another user, or be on a disk that can only be read.
    check: () => mayWrite(layout.temporaryFolder),
    write,
    adopt: async (shop, path, signal, known) => {
      const written = await adoptOnDisk(layout, shop, path, signal, known)
      return written ?? copied(shop, path, signal)
    },
    take: (shop, path, options) =>
      takeOnDisk(layout, shop, path, options, () => copied(shop, path, options.signal)),
    read: async (shop, hash, range) => {
      const fd = await openBlob(layout.blob(shop, hash))
      return fs.createReadStream('', { fd, highWaterMark: READ_BYTES, ...range })
    },
    open: async (shop, hash) => {
      const fd = await openBlob(layout.blob(shop, hash))
      const { size } = fstatSync(fd)
      return {
        size,
        read: (into, position) => readAt(fd, into, position),
        close: async () => closeSync(fd),
      }
    },
    copyOut: async (shop, hash, path) => {
      try {
        await copy(layout.blob(shop, hash), path)
      } catch (error) {
        throw isAbsent(error) ? new StoreError('missing', { cause: error }) : error
      }
    },
    readWhole: async (shop, hash) => {
      const fd = await openBlob(layout.blob(shop, hash))
      try {
        return await readAll(fd, fstatSync(fd).size)
      } finally {
        closeSync(fd)
      }
    },
    size: async (shop, hash) => (await unlessAbsent(stat(layout.blob(shop, hash))))?.size ?? null,
    removePlaced: (shop, hash, placed) => removePlacedOnDisk(layout, { shop, hash }, placed),
    remove: async (shop, hash) => void (await unlessAbsent(unlink(layout.blob(shop, hash)))),
    removeShop: (shop, signal) => removeShopFolder(layout, shop, signal),
    sweep: (olderThan, known, shops) => sweepDisk(layout, { olderThan, known, shops }),
    orphans: (olderThan, known) => orphansOnDisk(layout, olderThan, known),
  }
}

async function openBlob(file: string): Promise<number> {
  try {
    return await open(file, 'r')
  } catch (error) {
    throw isAbsent(error) ? new StoreError('missing', { cause: error }) : error
  }
}
