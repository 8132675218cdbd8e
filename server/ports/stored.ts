// The bytes of existing files, for plugins: copied to another location and read back there.
import {
  PortError,
  type ByteSource,
  type StoredFiles,
  sayPlain,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { ERRORS } from '../core/errors.ts'
import { refusedByQuota, type ShopQuotas } from '../files/quotas.ts'
import { recordBackup } from '../files/backups.ts'
import { noteRefused } from '../files/blobs.ts'
import { isWhole } from '../files/blob-checks.ts'
import {
  holdsBlob,
  recordCopy,
  locateFiles,
  locateVersions,
  recordBlob,
  pointVersionsAt,
} from '../files/locations.ts'
import { StoreError, type BlobStore } from '../core/store/store.ts'
import { locateItem, portError, type StoredBytes } from './item-bytes.ts'
import { readOrRepair, type CheckBlob } from './repair.ts'
import { storeFailure } from './catalog.ts'
import { present } from '../core/lazy.ts'

const BACKUP = 'backup'

interface Blob {
  hash: string
  size_bytes: number
  location: string
}

/** @param quotas of the shop: its copies in all locations count. */
export function createStoredFiles(
  scope: ShopScope,
  stores: ReadonlyMap<string, BlobStore>,
  check?: CheckBlob,
  quotas: Partial<ShopQuotas> = {},
): StoredFiles {
  const copy: CopyBlob = (blob, location, signal, moved = false) =>
    asPort(() => {
      const record = () => recordInQuota(scope, { ...blob, location }, { quotas, moved })
      return copyBlob(scope, { stores, check }, { blob, location, record }, signal)
    })
  return {
    locate: (fileIds) => locateFiles(scope, fileIds),
    backUp: async (item, signal) => {
      const fileId = idOf(item)
      const { hash, size_bytes, location } = await locateItem(scope, item)
      await copy({ hash, size_bytes, location }, BACKUP, signal)
      await recordBackup(scope, { fileId, hash, size_bytes, location: BACKUP })
    },
    relocate: async (item, location, { keep }, signal) => {
      storeAt(stores, location)
      const { staged } = item
      const fileId = idOf(item)
      const versions = await locateVersions(scope, fileId)
      const current = versions.find(({ current }) => current)
      if (!current) throw portError('file_not_found')
      const elsewhere = (blob: Blob) => blob.location !== location
      const kept = staged ?? current
      const moving = versions.filter(elsewhere)
      const wanted = (keep ? [kept] : [...moving, ...(staged ? [staged] : [])]).filter(elsewhere)
      let copied = 0
      for (const blob of wanted) copied += await copy(blob, location, signal, !keep)
      if (keep) {
        const fresh = await recordCopy(scope, fileId, kept, location)
        return { copied, unchanged: copied === 0 && !fresh, bytes: null }
      }
      await pointVersionsAt(scope, fileId, moving, location)
      const bytes = staged && elsewhere(staged) ? { ...staged, location } : null
      return { copied, unchanged: wanted.length === 0, bytes }
    },
  }
}

/** Makes sure that a location has a blob, undamaged. Returns how many bytes were copied. */
type CopyBlob = (
  blob: Blob,
  location: string,
  signal: AbortSignal,
  moved?: boolean,
) => Promise<number>

/** A copy to make. */
interface NewCopy {
  blob: Blob
  location: string
  /** Writes its row, before its bytes: from then on it counts. */
  record(): Promise<void>
}

/**
 * Writes the row of a copy. Bytes that are not written then are found missing, and written again.
 * @throws `PortError` `storage_quota` or `plan_limit` if the shop has no room for it
 */
const recordInQuota = (
  scope: ShopScope,
  copy: Blob,
  { quotas, moved }: { quotas: Partial<ShopQuotas>; moved: boolean },
): Promise<void> =>
  scope.transaction(async (tx) => {
    const wanted = { newName: null, bytes: copy.size_bytes, overwrites: false, copy, moved }
    const [refusal] = await refusedByQuota(tx, [wanted], quotas)
    if (refusal) throw new PortError(refusal.code, refusal.message, false)
    await recordBlob(tx, copy, copy.location)
  })

async function copyBlob(
  scope: ShopScope,
  { stores, check }: StoredBytes,
  { blob, location, record }: NewCopy,
  signal: AbortSignal,
): Promise<number> {
  const target = storeAt(stores, location)
  const { hash } = blob
  const isWholeThere = () => isWhole(target, { shop: scope.shop, hash }, signal)
  // A blob may be damaged although its row says otherwise: then it is written again, which repairs
  // it for all files that share it.
  if ((await holdsBlob(scope, hash, location)) && (await isWholeThere())) return 0
  const copy = async () => {
    const bytes = await storeAt(stores, blob.location).read(scope.shop, hash)
    const written = await target.write(scope.shop, bytes, signal)
    return written.hash === hash ? written : null
  }
  const source = { shop: scope.shop, hash, location: blob.location }
  await record()
  try {
    const written = await readOrRepair(copy, source, check, signal)
    // Again: a sweep may have removed the row of bytes that took a day to arrive.
    await recordBlob(scope, blob, location)
    if (!(await isWholeThere())) throw damaged(sayPlain('The copy differs from the original'))
    return written.size_bytes
  } catch (error) {
    await noteRefused(scope, [{ ...blob, location, content_type: null }])
    throw error
  }
}

function storeAt(stores: ReadonlyMap<string, BlobStore>, location: string): BlobStore {
  const store = stores.get(location)
  if (!store) throw portError('location_not_found')
  return store
}

/** Only stored files are backed up and moved, never drafts. */
const idOf = ({ file }: ByteSource): string => present(file.id, 'The file’s id')

async function asPort<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreError) throw storeFailure(error)
    // A disk that fails in the middle of a file throws its own error.
    if (error instanceof Error && 'syscall' in error)
      throw storeFailure(new StoreError('unavailable', { cause: error }))
    throw error
  }
}

const damaged = (detail: string) =>
  new PortError('storage_failed', ERRORS.storage_failed.message, true, { detail })
