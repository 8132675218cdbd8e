// Uploads in a folder: `incoming/<id>` while bytes arrive, `received/<id>` when it is complete and
// its sender can no longer change it. All processes that serve or import uploads share this folder.
import { randomUUID } from 'node:crypto'
import {
  link,
  open,
  opendir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import type { Stats } from 'node:fs'
import path from 'node:path'
import { makeFolderSync } from '../../core/make-folder.ts'
import { shareSync } from '../../core/store/disk-calls.ts'
import { foundIn, headOfFile } from '../../ports/found-type.ts'
import type { UploadBucket } from './bucket.ts'
import type { UploadPlace } from './place.ts'
import { receiveUpload } from './receive.ts'
import { recordOffset, recordUnverified } from './rows.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface FolderSharing {
  /** The folder's number in the database; null: the folder was not compared. */
  number: number | null
  /** Can uploads that begin in this process be continued and imported by the others? */
  isShared(): Promise<boolean>
}

/** The bucket for uploads. */
interface BucketChoice {
  /** Null: the primary location is not a bucket. */
  bucket: UploadBucket | null
  /** Whether new uploads begin in the bucket; otherwise it only has earlier ones. */
  useBucket: boolean
}

const NO_BUCKET: BucketChoice = { bucket: null, useBucket: false }

const NOT_COMPARED: FolderSharing = { number: null, isShared: () => Promise.resolve(true) }

export type UploadFolder = ReturnType<typeof openUploadFolder>

/**
 * Opens the folder of uploads. `id`s are bare UUIDs; others are refused, so that no id leads to
 * another path.
 */
export function openUploadFolder(folder: string) {
  const places = {
    incoming: path.join(folder, 'incoming'),
    received: path.join(folder, 'received'),
  }
  for (const place of Object.values(places)) makeFolderSync(place, 0o750)
  const incoming = (id: string) => fileIn(places.incoming, id)
  const received = (id: string) => fileIn(places.received, id)
  return {
    path: folder,
    /** Whether the other processes use this folder too: see `joinFolder`. */
    sharing: NOT_COMPARED,
    ...NO_BUCKET,
    /** The UUID by which processes recognise the folder, also by different paths. */
    marker: () => markerOf(path.join(folder, 'marker')),
    incoming,
    received,
    create: async (id: string) => {
      const file = await open(incoming(id), 'wx', 0o640)
      await file.close()
    },
    /** Reads the number of bytes and the time of the last write; null: there is no such upload. */
    stat: async (id: string): Promise<{ size: number; changed: Date } | null> => {
      const found =
        (await nullIfAbsent(statOpened(incoming(id)))) ??
        (await nullIfAbsent(statOpened(received(id))))
      return found && { size: found.size, changed: found.mtime }
    },
    truncate: (id: string, size: number) => truncate(incoming(id), size),
    /** Syncs the bytes and moves the file to `received`. Idempotent. */
    finish: async (id: string) => {
      await syncAndMove(incoming(id), received(id))
      await shareSync(places.received)
    },
    remove: async (id: string) => {
      await rm(incoming(id), { force: true })
      await rm(received(id), { force: true })
    },
    /** Yields the ids of the files that were not changed since `before`, a page at a time. */
    async *old(before: Date): AsyncGenerator<string[]> {
      for (const place of Object.values(places)) yield* oldFilesIn(place, before)
    },
  }
}

/** The folder as a place of uploads. */
export const folderPlace = (folder: UploadFolder): UploadPlace => ({
  create: folder.create,
  arrived: ({ id }) => folder.stat(id),
  offset: async ({ id, unproved_from }) => {
    const found = await folder.stat(id)
    if (!found || unproved_from === null || found.size <= unproved_from) return found?.size ?? null
    // A process died before it had verified the checksum of this chunk.
    await folder.truncate(id, unproved_from)
    return unproved_from
  },
  receive: async (scope, { id, size_bytes }, chunk) => {
    if (chunk.checksum) await recordUnverified(scope, id, chunk.offset)
    const end = await receiveUpload(folder.incoming(id), chunk)
    // The end of the upload records the last byte.
    if (end < size_bytes || chunk.checksum) await recordOffset(scope, id, end)
    return end
  },
  finish: folder.finish,
  take: async (_, { id }, { store, shop, location }, signal) => {
    const path = folder.received(id)
    const head = await headOfFile(path)
    const { hash, size_bytes } = await store.adopt(shop, path, signal)
    const written = { hash, size_bytes }
    const found = await foundIn(head, { store, shop }, written)
    return { ...written, location, content_type: null, ...found }
  },
})

/**
 * Opens the file first: a network file system then asks its server for the current size, which
 * another machine may have changed.
 */
async function statOpened(path: string): Promise<Stats> {
  const file = await open(path, 'r')
  try {
    return await file.stat()
  } finally {
    await file.close()
  }
}

function fileIn(place: string, id: string): string {
  if (!UUID.test(id)) throw new TypeError('An upload is addressed by its UUID')
  return path.join(place, id)
}

/** Syncs the file and moves it, unless it was moved before. */
async function syncAndMove(from: string, to: string): Promise<void> {
  const file = await nullIfAbsent(open(from, 'r+'))
  if (!file) return
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await nullIfAbsent(rename(from, to))
}

async function* oldFilesIn(place: string, before: Date): AsyncGenerator<string[]> {
  let page: string[] = []
  for await (const { name } of await opendir(place)) {
    if (!UUID.test(name)) continue
    const found = await nullIfAbsent(stat(path.join(place, name)))
    if (found && found.mtime < before) page.push(name)
    if (page.length < 1000) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

async function markerOf(at: string): Promise<string> {
  const found = await nullIfAbsent(readFile(at, 'utf8'))
  if (found !== null && UUID.test(found.trim())) return found.trim()
  // Complete when it appears: another process may read it at this moment.
  const fresh = `${at}.${randomUUID()}`
  await writeFile(fresh, `${randomUUID()}\n`)
  try {
    if (found === null) await link(fresh, at)
    else await rename(fresh, at)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(fresh, { force: true })
  }
  return (await readFile(at, 'utf8')).trim()
}

async function nullIfAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
