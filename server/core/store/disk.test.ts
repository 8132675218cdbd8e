import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contentOf, contentSlices, hashOf } from '../../../test/fakes/content.ts'
import { heldBytes, watchedBuffers } from '../../../test/memory.ts'
import { storeSuite } from '../../../test/suites/store.ts'
import { createDiskStore } from './disk.ts'
import { soakTest, someOf } from '../../../test/scale.ts'

const run = promisify(execFile)
const makeFolder = () => mkdtemp(path.join(tmpdir(), 'stevedore-disk-'))
const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
async function* stream(size: number, seed: string) {
  yield* contentSlices(size, seed)
}

storeSuite('disk', async () => {
  const folder = await makeFolder()
  return {
    store: createDiskStore({ folder }),
    contents: () => filesIn(folder),
    close: () => rm(folder, { recursive: true }),
  }
})

describe('disk', () => {
  let folder: string
  beforeEach(async () => void (folder = await makeFolder()))
  afterEach(() => rm(folder, { recursive: true }))

  it('stores a blob in the folder of its shop and the first two digits of its hash', async () => {
    const { hash } = await createDiskStore({ folder }).write(3, stream(10, 'place'))
    expect(await filesIn(folder)).toEqual([`3/${hash}`])
  })
  it('replaces a leftover of a crash under the name', async () => {
    const store = createDiskStore({ folder })
    const { hash } = await store.write(3, stream(50_000, 'crash'))
    await writeFile(path.join(folder, `3/${hash}`), '')
    await store.write(3, stream(50_000, 'crash'))
    expect(hashOf(await store.readWhole(3, hash))).toBe(hash)
    expect(await filesIn(folder)).toEqual([`3/${hash}`])
  })
  it('shows nothing under the final name before the bytes are complete', async () => {
    const store = createDiskStore({ folder })
    const seen: string[][] = []
    async function* watched() {
      for (const slice of contentSlices(3_000_000, 'whole')) {
        yield slice
        seen.push(await filesIn(folder))
      }
    }
    await store.write(3, watched())
    expect(seen.at(-1)).toHaveLength(1)
    expect(seen.flat().every((name) => name.startsWith('tmp/'))).toBe(true)
  })
  soakTest('sweeps old temporary files and keeps young ones', async () => {
    const store = createDiskStore({ folder })
    await writeFile(path.join(folder, 'tmp/old'), 'x')
    await utimes(path.join(folder, 'tmp/old'), 1, 1)
    await writeFile(path.join(folder, 'tmp/young'), 'x')
    expect(await store.sweep(60_000, async () => new Set())).toBe(1)
    expect(await filesIn(folder)).toEqual(['tmp/young'])
  })
  it('restores what a killed sweep had moved aside, if it is used or recent', async () => {
    const store = createDiskStore({ folder })
    const [wanted, fresh, stray] = ['wanted', 'fresh', 'stray'].map((seed) =>
      contentOf(10, seed),
    ) as [Buffer, Buffer, Buffer]
    for (const bytes of [wanted, fresh, stray]) {
      const aside = path.join(folder, `tmp/aside-4-${hashOf(bytes)}-0a`)
      await writeFile(aside, bytes)
      if (bytes !== fresh) await utimes(aside, 1, 1)
    }
    expect(await store.sweep(60_000, async () => new Set([hashOf(wanted)]))).toBe(1)
    const left = [hashOf(wanted), hashOf(fresh)].map((hash) => `4/${hash}`)
    expect(await filesIn(folder)).toEqual(left.sort())
  })
  it('reports a missing location instead of writing somewhere else', async () => {
    const store = createDiskStore({ folder: path.join(folder, 'mounted') })
    await rm(path.join(folder, 'mounted'), { recursive: true })
    await expect(store.write(3, stream(10, 'gone'))).rejects.toMatchObject({
      name: 'StoreError',
      code: 'unavailable',
    })
    expect(await readdir(folder)).toEqual([])
  })
  it.each(someOf(['adopt', 'take'] as const, (_, at) => at < 1))(
    'copies a file from another disk: %s',
    async (how) => {
      const other = await mkdtemp('/dev/shm/stevedore-other-').catch(makeFolder)
      const bytes = contentOf(2_000_000, 'elsewhere')
      await writeFile(path.join(other, 'upload'), bytes)
      const store = createDiskStore({ folder })
      const file = path.join(other, 'upload')
      const written =
        how === 'adopt'
          ? await store.adopt(3, file)
          : (await store.take(3, file, { size: bytes.length }))!
      expect(await readdir(other)).toEqual(how === 'adopt' ? ['upload'] : [])
      expect(written).toMatchObject({ hash: hashOf(bytes), size_bytes: bytes.length })
      expect(await filesIn(folder)).toEqual([`3/${written.hash}`])
      await rm(other, { recursive: true })
    },
  )
  it('names an error of the system', async () => {
    const store = createDiskStore({ folder })
    await chmod(folder, 0o755)
    await chmod(path.join(folder, 'tmp'), 0o555)
    // Root may write everywhere, so a test that runs as root switches to another user.
    const isRoot = process.getuid?.() === 0
    if (isRoot) process.seteuid!(65534)
    try {
      await expect(store.write(3, stream(10, 'locked'))).rejects.toMatchObject({
        name: 'StoreError',
        code: 'denied',
      })
    } finally {
      if (isRoot) process.seteuid!(0)
    }
  })
  soakTest('keeps little of a large body in memory', async () => {
    const store = createDiskStore({ folder })
    await store.write(3, stream(5_000_000, 'warm'))
    const before = heldBytes()
    let most = 0
    await store.write(
      3,
      watchedBuffers(1000, (held) => (most = Math.max(most, held))),
    )
    // 65 MB were written.
    expect(most - before).toBeLessThan(20_000_000)
  })
})

describe('a full disk', () => {
  it('is named, leaves nothing behind, and recovers when there is room again', async () => {
    const folder = await makeFolder()
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]).then(
      () => true,
      () => false,
    )
    try {
      // Without the permission to mount, a limit on the size of files gives the store the same
      // error.
      await (mounted ? fillUp(folder) : runLimited(folder))
    } finally {
      if (mounted) await run('umount', [folder])
      await rm(folder, { recursive: true })
    }
  })
  it('includes a limit on the size of files', async () => {
    const folder = await makeFolder()
    await runLimited(folder)
    await rm(folder, { recursive: true })
  })
})

async function fillUp(folder: string): Promise<void> {
  const store = createDiskStore({ folder })
  const kept = await store.write(3, stream(1_000_000, 'kept'))
  const before = await filesIn(folder)
  for (const size of [20_000_000, 9_000_000])
    await expect(store.write(3, stream(size, 'full'))).rejects.toMatchObject({
      name: 'StoreError',
      code: 'full',
    })
  expect(await filesIn(folder)).toEqual(before)
  await store.remove(3, kept.hash)
  expect(await store.write(3, stream(2_000_000, 'room'))).toMatchObject({ size_bytes: 2_000_000 })
}

/** Runs in a process that cannot write files above 8 MB. */
async function runLimited(folder: string): Promise<void> {
  const script = `
    const { createDiskStore } = await import(${JSON.stringify(import.meta.resolve('./disk.ts'))})
    const store = createDiskStore({ folder: process.argv[1] })
    const write = (size) => store.write(3, [Buffer.alloc(size)]).then(({ size_bytes }) => size_bytes, ({ code }) => code)
    console.log(JSON.stringify([await write(1000000), await write(20000000), await write(2000000)]))`
  const limited = [
    '-c',
    'ulimit -f 16384; exec "$0" --input-type=module -e "$1" "$2"',
    process.execPath,
    script,
    folder,
  ]
  const { stdout } = await run('sh', limited)
  expect(JSON.parse(stdout)).toEqual([1_000_000, 'full', 2_000_000])
  expect(await filesIn(folder)).toHaveLength(2)
  expect((await filesIn(folder)).every((name) => name.startsWith('3/'))).toBe(true)
}
