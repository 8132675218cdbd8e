// Finds and removes what a crash may have left on a disk: temporary files, and blobs without a row.
// Any process can write a blob again between the check and the removal. So a blob is first moved
// aside, checked again where no other process can use it, and moved back if it is needed.
import type { Stats } from 'node:fs'
import { opendir } from 'node:fs/promises'
import path from 'node:path'
import type { BlobKey, KnownBlobs, SweepScope } from './store.ts'
import {
  list,
  removeFolder,
  rename,
  stat,
  unlessAbsent,
  unlink,
  moveIntoPlace,
  placedBy,
  type Layout,
} from './disk-calls.ts'

const HASH = /^[0-9a-f]{64}$/
const PAGE = 1000
const ASIDE = /^aside-(\d+)-([0-9a-f]{64})-/

/** The blob that a sweep has moved aside under this name; null: another temporary file. */
function blobAside(name: string): BlobKey | null {
  const [, shop, hash] = ASIDE.exec(name) ?? []
  return shop === undefined || hash === undefined ? null : { shop: Number(shop), hash }
}

/**
 * Removes blobs that no row names and temporary files that nothing writes any more.
 * @returns the number of removed files
 */
export async function sweepDisk(
  layout: Layout,
  { olderThan, known, shops }: SweepScope,
): Promise<number> {
  const before = Date.now() - olderThan
  let removed = await sweepTemporary(layout, before, known)
  for await (const { shop, hashes } of allPages(layout, shops))
    removed += await sweepPage(layout, shop, hashes, before, known)
  return removed
}

/** Names what a sweep would remove, without temporary files. */
export async function* orphansOnDisk(
  layout: Layout,
  olderThan: number,
  known: KnownBlobs,
): AsyncGenerator<BlobKey> {
  const before = Date.now() - olderThan
  for await (const { shop, hashes } of allPages(layout)) {
    const wanted = await known(shop, hashes)
    for (const hash of hashes)
      if (!wanted.has(hash) && (await isOld(layout.blob(shop, hash), before))) yield { shop, hash }
  }
}

async function* allPages(
  layout: Layout,
  shops?: readonly number[],
): AsyncGenerator<{ shop: number; hashes: string[] }> {
  const isSwept = (name: string) =>
    /^\d+$/.test(name) && (shops === undefined || shops.includes(Number(name)))
  for (const shop of (await list(layout.folder)).filter(isSwept))
    for await (const hashes of pages(path.join(layout.folder, shop)))
      yield { shop: Number(shop), hashes }
}

/**
 * Also removes blobs of the shop that a sweep has moved aside; returns how many files were removed.
 */
export async function removeShopFolder(
  layout: Layout,
  shop: number,
  signal?: AbortSignal,
): Promise<number> {
  const folder = layout.shop(shop)
  let removed = 0
  const remove = async (file: string) => {
    signal?.throwIfAborted()
    if ((await unlessAbsent(unlink(file).then(() => true))) === true) removed += 1
  }
  for (const name of await list(layout.temporaryFolder))
    if (blobAside(name)?.shop === shop) await remove(path.join(layout.temporaryFolder, name))
  if ((await unlessAbsent(stat(folder))) === null) return removed
  for await (const hashes of pages(folder))
    for (const hash of hashes) await remove(layout.blob(shop, hash))
  await removeFolder(folder)
  return removed
}

/** A shop's folder may contain millions of blobs: their names are read a page at a time. */
async function* pages(folder: string): AsyncGenerator<string[]> {
  let page: string[] = []
  for await (const { name } of await opendir(folder)) {
    if (HASH.test(name)) page.push(name)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

async function sweepPage(
  layout: Layout,
  shop: number,
  hashes: readonly string[],
  before: number,
  known: KnownBlobs,
): Promise<number> {
  // Nearly all have rows, so only the others are looked up on the disk.
  const wanted = await known(shop, hashes)
  let removed = 0
  for (const hash of hashes.filter((each) => !wanted.has(each))) {
    if (!(await isOld(layout.blob(shop, hash), before))) continue
    const aside = asideOf(layout, { shop, hash })
    await unlessAbsent(rename(layout.blob(shop, hash), aside))
    if (await finishAside(layout, aside, { shop, hash }, before, false)) removed += 1
  }
  return removed
}

const asideOf = (layout: Layout, { shop, hash }: BlobKey): string =>
  `${layout.temporaryFolder}/aside-${shop}-${hash}-${path.basename(layout.temporary())}`

/**
 * As `BlobStore.removePlaced`. The blob is moved aside first: bytes that another process places
 * meanwhile keep the name. A crash leaves it aside, and a sweep decides.
 */
export async function removePlacedOnDisk(
  layout: Layout,
  blob: BlobKey,
  placed: string,
): Promise<boolean> {
  const file = layout.blob(blob.shop, blob.hash)
  const isPlaced = (found: Stats | null) => found !== null && placedBy(found) === placed
  if (!isPlaced(await unlessAbsent(stat(file)))) return false
  const aside = asideOf(layout, blob)
  await unlessAbsent(rename(file, aside))
  if (isPlaced(await unlessAbsent(stat(aside)))) {
    await unlessAbsent(unlink(aside))
    return true
  }
  await unlessAbsent(moveIntoPlace(aside, file))
  return false
}

async function sweepTemporary(layout: Layout, before: number, known: KnownBlobs): Promise<number> {
  let removed = 0
  for (const name of await list(layout.temporaryFolder)) {
    const file = path.join(layout.temporaryFolder, name)
    const blob = blobAside(name)
    if (blob) {
      // The blob was left by a sweep that was killed. It may also belong to a running sweep, which
      // finishes within moments; moving back a blob that it is about to remove does no harm.
      const wanted = await known(blob.shop, [blob.hash])
      if (await finishAside(layout, file, blob, before, wanted.size > 0)) removed += 1
    } else if (await isOld(file, before)) {
      if ((await unlessAbsent(unlink(file).then(() => true))) === true) removed += 1
    }
  }
  return removed
}

/**
 * Removes a blob that was moved aside, or moves it back if it was written again recently. Returns
 * whether it was removed.
 */
async function finishAside(
  layout: Layout,
  aside: string,
  { shop, hash }: BlobKey,
  before: number,
  wanted: boolean,
): Promise<boolean> {
  const found = await unlessAbsent(stat(aside))
  if (found === null) return false
  if (!wanted && found.mtimeMs < before)
    return (await unlessAbsent(unlink(aside).then(() => true))) === true
  await unlessAbsent(moveIntoPlace(aside, layout.blob(shop, hash)))
  return false
}

async function isOld(file: string, before: number): Promise<boolean> {
  const found = await unlessAbsent(stat(file))
  return found !== null && found.mtimeMs < before
}
