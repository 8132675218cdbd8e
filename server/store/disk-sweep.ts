// Finds and removes what a crash may have left on a disk: temporary files, and blobs that no row names.
// A blob can be written again, by any process, between the look and the removal: so it is first moved aside, looked at
// again where nobody else can touch it, and moved back when it turns out to be wanted.
import path from 'node:path'
import type { BlobStore } from './store.ts'
import { list, rename, stat, unlessAbsent, unlink } from './disk-calls.ts'
import { moveIntoPlace, type Layout } from './disk-layout.ts'

type Known = Parameters<BlobStore['sweep']>[1]
const ASIDE = /^aside-(\d+)-([0-9a-f]{64})-/

export async function sweepDisk(layout: Layout, olderThan: number, known: Known): Promise<number> {
  const before = Date.now() - olderThan
  let removed = await sweepTemporary(layout, before, known)
  for (const shop of (await list(layout.folder)).filter((name) => /^\d+$/.test(name))) {
    for (const part of await list(path.join(layout.folder, shop)))
      removed += await sweepPart(layout, Number(shop), part, before, known)
  }
  return removed
}

/** One folder of blobs: the first two digits of their hashes. */
async function sweepPart(layout: Layout, shop: number, part: string, before: number, known: Known): Promise<number> {
  const hashes = (await list(path.join(layout.folder, String(shop), part))).filter((name) =>
    /^[0-9a-f]{64}$/.test(name),
  )
  const old: string[] = []
  for (const hash of hashes) if (await isOld(layout.blob(shop, hash), before)) old.push(hash)
  if (old.length === 0) return 0
  const wanted = await known(shop, old)
  let removed = 0
  for (const hash of old.filter((each) => !wanted.has(each))) {
    const aside = `${layout.temporaryFolder}/aside-${shop}-${hash}-${path.basename(layout.temporary())}`
    await unlessAbsent(rename(layout.blob(shop, hash), aside))
    if (await settleAside(layout, aside, before, false)) removed += 1
  }
  return removed
}

async function sweepTemporary(layout: Layout, before: number, known: Known): Promise<number> {
  let removed = 0
  for (const name of await list(layout.temporaryFolder)) {
    const file = path.join(layout.temporaryFolder, name)
    const aside = ASIDE.exec(name)
    if (aside) {
      // Left by a sweep that was killed. Nobody else's: a running sweep settles its own within moments, and moving back
      // what it is about to remove does no harm.
      const wanted = await known(Number(aside[1]), [aside[2]!])
      if (await settleAside(layout, file, before, wanted.size > 0)) removed += 1
    } else if (await isOld(file, before)) {
      if ((await unlessAbsent(unlink(file).then(() => true))) === true) removed += 1
    }
  }
  return removed
}

/** Removes what was moved aside, or moves it back when it is fresh after all. Was it removed? */
async function settleAside(layout: Layout, aside: string, before: number, wanted: boolean): Promise<boolean> {
  const [, shop, hash] = ASIDE.exec(path.basename(aside))!
  const found = await unlessAbsent(stat(aside))
  if (found === null) return false
  if (!wanted && found.mtimeMs < before) return (await unlessAbsent(unlink(aside).then(() => true))) === true
  await unlessAbsent(moveIntoPlace(aside, layout.blob(Number(shop), hash!)))
  return false
}

async function isOld(file: string, before: number): Promise<boolean> {
  const found = await unlessAbsent(stat(file))
  return found !== null && found.mtimeMs < before
}
