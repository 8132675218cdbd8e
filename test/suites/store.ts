// Requirements of every storage location.
import { access, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreError, type BlobStore } from '../../server/core/store/store.ts'
import { contentOf, hashOf } from '../fakes/content.ts'
import { sized } from '../scale.ts'

export interface StoreUnderTest {
  store: BlobStore
  /** Everything that the store holds now, including temporary objects, as readable names. */
  contents(): Promise<readonly string[]>
  close(): Promise<void>
}

const SHOP = 7
const NONE = new Set<string>()
const HOSTILE = [
  '',
  '..',
  '../../etc/passwd',
  'A'.repeat(64),
  'g'.repeat(64),
  `${'a'.repeat(64)}\n`,
  'a/'.repeat(32),
]
const around = (size: number) => [size - 1, size, size + 1]
/**
 * Sizes around the pieces of a disk and the parts of a bucket, and multiples of them. The larger
 * ones are for buckets with parts of the usual size.
 */
const SIZES = [
  0,
  1,
  4095,
  4096,
  65_536,
  100_000,
  ...around(512 * 1024),
  ...sized([3_000_000], [...around(8 * 1024 * 1024), 30_000_000]),
]

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function* chunksFrom(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk
}
/** Yields `bytes` and then waits without end. */
async function* stalledAfter(bytes: Uint8Array, stalled: () => void): AsyncGenerator<Uint8Array> {
  yield bytes
  stalled()
  await new Promise<never>(() => {})
}

export function storeSuite(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a store`, () => {
    let on: StoreUnderTest
    beforeAll(async () => void (on = await makeStore()))
    afterAll(() => on.close())
    const put = (bytes: Uint8Array, shop = SHOP) => on.store.write(shop, chunksOf(bytes, 65_536))

    it.each(SIZES)('returns the same %i bytes', async (size) => {
      const bytes = contentOf(size, 'round trip')
      const written = await put(bytes)
      expect(written).toMatchObject({ hash: hashOf(bytes), size_bytes: size })
      expect(await on.store.size(SHOP, written.hash)).toBe(size)
      expect((await on.store.readWhole(SHOP, written.hash)).equals(bytes)).toBe(true)
      const read = Buffer.concat(await Array.fromAsync(await on.store.read(SHOP, written.hash)))
      expect(read.equals(bytes)).toBe(true)
    })
    it.each([1, 7, 4095, 300_000])('keeps the order of chunks of %i bytes', async (chunk) => {
      const bytes = contentOf(Math.min(chunk * 50, 3_000_000) + 3, `chunks ${chunk}`)
      expect((await on.store.write(SHOP, chunksOf(bytes, chunk))).hash).toBe(hashOf(bytes))
      expect((await on.store.readWhole(SHOP, hashOf(bytes))).equals(bytes)).toBe(true)
    })
    it('keeps the order of short and long chunks', async () => {
      const lengths = [1, 5000, 2, 3, 900_000, 4, 4096, 0, 4095, 600_000, 1]
      const parts = lengths.map((length, n) => contentOf(length, `part ${n}`))
      const whole = Buffer.concat(parts)
      await on.store.write(SHOP, chunksOfParts(parts))
      expect((await on.store.readWhole(SHOP, hashOf(whole))).equals(whole)).toBe(true)
    })

    it('releases chunks in order, after their bytes are stored', async () => {
      const bytes = contentOf(3_000_000, 'released')
      const given = (await Array.fromAsync(chunksOf(bytes, 64_000))).map((chunk) =>
        Uint8Array.from(chunk),
      )
      const released: Uint8Array[] = []
      const source = {
        [Symbol.asyncIterator]: () => chunksFrom(given),
        // Overwrites released chunks: if the store still used them, the blob would differ.
        release: (chunks: readonly Uint8Array[]) =>
          chunks.forEach((chunk) => released.push(chunk) && chunk.fill(0)),
      }
      const { hash } = await on.store.write(SHOP, source)
      expect(hash).toBe(hashOf(bytes))
      expect(
        Buffer.concat(await Array.fromAsync(await on.store.read(SHOP, hash))).equals(bytes),
      ).toBe(true)
      expect(released).toEqual(given)
    })
    it('reads ranges, both ends included', async () => {
      const bytes = contentOf(1_000_000, 'ranges')
      const { hash } = await put(bytes)
      for (const [start, end] of [
        [0, 0],
        [0, 999_999],
        [999_999, 999_999],
        [255_999, 256_001],
        [5, 700_000],
      ] as const) {
        const read = Buffer.concat(
          await Array.fromAsync(await on.store.read(SHOP, hash, { start, end })),
        )
        expect(read.equals(bytes.subarray(start, end + 1)), `${start}-${end}`).toBe(true)
      }
    })
    it('fills a buffer from any offset, if it supports that', async () => {
      const bytes = contentOf(300_000, 'filled')
      const { hash } = await put(bytes)
      const reader = await on.store.open?.(SHOP, hash)
      if (!reader) return expect(on.store.open).toBeUndefined()
      const into = Buffer.alloc(100_000)
      for (const at of [0, 123_456, 250_000, 300_000]) {
        const read = await reader.read(into, at)
        expect(
          into.subarray(0, read).equals(bytes.subarray(at, at + into.length)),
          `at ${at}`,
        ).toBe(true)
      }
      await reader.close()
      await expect(
        on.store.open!(SHOP, hashOf(Buffer.from('never written'))),
      ).rejects.toMatchObject({
        code: 'missing',
      })
    })
    it('copies a blob to a file, if it supports that', async () => {
      if (!on.store.copyOut) return
      const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-copy-'))
      const bytes = contentOf(300_000, 'copied out')
      const { hash } = await put(bytes)
      await on.store.copyOut(SHOP, hash, path.join(folder, 'blob'))
      expect((await readFile(path.join(folder, 'blob'))).equals(bytes)).toBe(true)
      const missing = on.store.copyOut(SHOP, 'a'.repeat(64), path.join(folder, 'none'))
      await expect(missing).rejects.toMatchObject({ code: 'missing' })
      await rm(folder, { recursive: true })
    })
    it('lets a reader stop early', async () => {
      const { hash } = await put(contentOf(3_000_000, 'early'))
      const stream = await on.store.read(SHOP, hash)
      for await (const chunk of stream) {
        expect(chunk).not.toHaveLength(0)
        break
      }
      expect(stream.destroyed).toBe(true)
    })

    it('stores the same bytes once', async () => {
      const bytes = contentOf(50_000, 'twice')
      await put(bytes)
      const before = await on.contents()
      const { hash, size_bytes } = await put(bytes)
      const same = { hash, size_bytes }
      expect(await Promise.all([put(bytes), put(bytes), put(bytes)])).toEqual([same, same, same])
      expect(await on.contents()).toEqual(before)
    })
    it('keeps shops apart', async () => {
      const { hash } = await put(contentOf(10, 'apart'), 8)
      expect(await on.store.size(9, hash)).toBeNull()
      await on.store.remove(9, hash)
      expect(await on.store.size(8, hash)).toBe(10)
    })
    it('removes a blob, and ignores a missing one', async () => {
      const { hash } = await put(contentOf(10, 'remove'))
      await on.store.remove(SHOP, hash)
      await on.store.remove(SHOP, hash)
      expect(await on.store.size(SHOP, hash)).toBeNull()
    })
    it('removes all blobs of a shop, and none of another one', async () => {
      const [gone, stays] = [17, 171]
      const hashes: string[] = []
      for (const n of [1, 2, 3]) hashes.push((await put(contentOf(10, `all ${n}`), gone)).hash)
      const kept = await put(contentOf(10, 'all 1'), stays)
      expect(await on.store.removeShop(gone)).toBe(hashes.length)
      for (const hash of hashes) expect(await on.store.size(gone, hash)).toBeNull()
      expect((await on.contents()).filter((name) => name.includes(`${gone}/`))).toEqual([])
      expect(await on.store.size(stays, kept.hash)).toBe(10)
      expect(await on.store.removeShop(gone)).toBe(0)
      expect(await on.store.size(gone, (await put(contentOf(10, 'all 4'), gone)).hash)).toBe(10)
      const stopped = on.store.removeShop(gone, AbortSignal.abort(new Error('stopped')))
      await expect(stopped).rejects.toThrow('stopped')
      await expect(on.store.removeShop(-1)).rejects.toThrow(TypeError)
    })
    it('reports a missing blob', async () => {
      const hash = hashOf(Buffer.from('never written'))
      for (const read of [on.store.read, on.store.readWhole]) {
        const error = await read(SHOP, hash).then(
          () => null,
          (thrown: unknown) => thrown,
        )
        expect(error).toBeInstanceOf(StoreError)
        expect((error as StoreError).code).toBe('missing')
      }
    })
    it('refuses names that are not hashes', async () => {
      const { read, readWhole, size, remove } = on.store
      for (const hash of HOSTILE)
        for (const call of [read, readWhole, size, remove])
          await expect(call(SHOP, hash), JSON.stringify(hash)).rejects.toThrow(TypeError)
      for (const shop of [-1, 1.5, NaN])
        await expect(size(shop, 'a'.repeat(64))).rejects.toThrow(TypeError)
    })

    adoptTests(() => on)
    failureTests(() => on)
    sweepTests(() => on)
  })
}

async function* chunksOfParts(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

function adoptTests(on: () => StoreUnderTest): void {
  const shop = 71
  let folder: string
  beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'stevedore-adopt-'))))
  afterAll(() => rm(folder, { recursive: true }))
  const fileOf = async (bytes: Uint8Array, name: string) => {
    const file = path.join(folder, name)
    await writeFile(file, bytes)
    return file
  }
  it.each([0, 1, 1024 * 1024, sized(3_000_001, 20_000_001)])(
    'adopts a file of %i bytes, which stays at its path',
    async (size) => {
      const bytes = contentOf(size, 'adopted')
      const file = await fileOf(bytes, `adopted-${size}`)
      const before = await on().contents()
      const written = await on().store.adopt(shop, file)
      expect(written).toMatchObject({ hash: hashOf(bytes), size_bytes: size })
      expect((await on().store.readWhole(shop, written.hash)).equals(bytes)).toBe(true)
      expect(await on().contents()).toHaveLength(before.length + 1)
      await rm(file)
      expect((await on().store.readWhole(shop, written.hash)).equals(bytes)).toBe(true)
    },
  )
  it('adopts the same file again, and the same bytes from another, without side effects', async () => {
    const bytes = contentOf(100_000, 'again')
    const file = await fileOf(bytes, 'first')
    const first = await on().store.adopt(shop, file)
    const before = await on().contents()
    const same = { hash: hashOf(bytes), size_bytes: bytes.length }
    expect(await on().store.adopt(shop, file)).toEqual(same)
    expect(await on().store.adopt(shop, await fileOf(bytes, 'second'))).toEqual(same)
    expect(await on().contents()).toEqual(before)
    expect(await on().store.readWhole(shop, first.hash).then(hashOf)).toBe(first.hash)
  })
  it.each([0, 1, 256 * 1024, 3_000_001])(
    'takes a file of %i bytes, which is removed from its path',
    async (size) => {
      const bytes = contentOf(size, 'taken')
      const file = await fileOf(bytes, `taken-${size}`)
      const first: Buffer[] = []
      const onFirst = (piece: Uint8Array) => void first.push(Buffer.from(piece))
      expect(await on().store.take(shop, file, { size: size + 1, onFirst })).toBeNull()
      const written = await on().store.take(shop, file, { size, onFirst })
      expect(written).toMatchObject({ hash: hashOf(bytes), size_bytes: size })
      expect((await on().store.readWhole(shop, written!.hash)).equals(bytes)).toBe(true)
      await expect(access(file)).rejects.toThrow('ENOENT')
      const began = Buffer.concat(first)
      expect(began.length > 0 && bytes.subarray(0, began.length).equals(began)).toBe(size > 0)
    },
  )
  it.each(['adopt', 'take'] as const)(
    'counts the age of a blob from its last write: %s',
    async (how) => {
      const file = await fileOf(contentOf(5000, how), how)
      await utimes(file, 1, 1)
      const { store } = on()
      const { hash } =
        how === 'adopt'
          ? await store.adopt(shop, file)
          : (await store.take(shop, file, { size: 5000 }))!
      await store.sweep(60_000, async (of, hashes) => (of === shop ? NONE : new Set(hashes)))
      expect(await store.size(shop, hash)).toBe(5000)
    },
  )
  it('leaves nothing behind for a missing file, or after an abort', async () => {
    const before = await on().contents()
    const reason = new Error('cancelled')
    const file = await fileOf(contentOf(9, 'x'), 'aborted')
    await expect(on().store.adopt(shop, path.join(folder, 'absent'))).rejects.toBeInstanceOf(
      StoreError,
    )
    const signal = AbortSignal.abort(reason)
    await expect(on().store.adopt(shop, file, signal)).rejects.toBe(reason)
    await expect(on().store.take(shop, file, { size: 9, signal })).rejects.toBe(reason)
    expect(await on().contents()).toEqual(before)
  })
}

function failureTests(on: () => StoreUnderTest): void {
  it.each([0, 10, 3_000_000, ...sized([], [20_000_000])])(
    'leaves nothing behind if the source throws after %i bytes',
    async (size) => {
      const before = await on().contents()
      const fault = new Error('the source broke')
      async function* broken() {
        yield* chunksOf(contentOf(size, 'broken'), 65_536)
        throw fault
      }
      await expect(on().store.write(SHOP, broken())).rejects.toBe(fault)
      expect(await on().contents()).toEqual(before)
    },
  )
  it.each([10, 3_000_000, ...sized([], [20_000_000])])(
    'leaves nothing behind when aborted after %i bytes, even while the source is silent',
    async (size) => {
      const before = await on().contents()
      const controller = new AbortController()
      const reason = new Error('cancelled')
      const source = stalledAfter(contentOf(size, 'aborted'), () =>
        setImmediate(() => controller.abort(reason)),
      )
      await expect(on().store.write(SHOP, source, controller.signal)).rejects.toBe(reason)
      expect(await on().contents()).toEqual(before)
    },
  )
  it('does nothing if it is already aborted', async () => {
    const before = await on().contents()
    const reason = new Error('cancelled')
    await expect(
      on().store.write(SHOP, chunksOf(contentOf(9, 'x'), 9), AbortSignal.abort(reason)),
    ).rejects.toBe(reason)
    expect(await on().contents()).toEqual(before)
  })
}

function sweepTests(on: () => StoreUnderTest): void {
  const shop = 70
  const put = (seed: string) => on().store.write(shop, chunksOf(contentOf(1000, seed), 1000))
  it('sweeps old unknown blobs, and nothing else', async () => {
    const [kept, stray] = [await put('kept'), await put('stray')]
    const known = async (of: number, hashes: readonly string[]) =>
      of === shop ? new Set(hashes.filter((hash) => hash === kept.hash)) : new Set(hashes)
    const orphans = (olderThan: number) =>
      Array.fromAsync(on().store.orphans(olderThan, known), ({ shop, hash }) => [shop, hash])
    expect(await orphans(3_600_000)).toEqual([])
    expect(await on().store.sweep(3_600_000, async () => NONE)).toBe(0)
    expect(await orphans(-5000)).toEqual([[shop, stray.hash]])
    // In the future, since some stores have times in whole seconds, rounded up.
    expect(await on().store.sweep(-5000, known)).toBe(1)
    expect(await on().store.size(shop, kept.hash)).toBe(1000)
    expect(await on().store.size(shop, stray.hash)).toBeNull()
  })
  it('sweeps only the shops whose turn it is', async () => {
    const { store } = on()
    const { hash } = await put('of another turn')
    const known = async (of: number, hashes: readonly string[]) =>
      new Set(of === shop ? hashes.filter((one) => one !== hash) : hashes)
    expect(await store.sweep(-5000, known, [shop + 1])).toBe(0)
    expect(await store.size(shop, hash)).not.toBeNull()
    expect(await store.sweep(-5000, known, [shop])).toBe(1)
    expect(await store.size(shop, hash)).toBeNull()
  })

  it('keeps a blob that is written again while the sweep checks it', async () => {
    const { hash } = await put('again')
    const since = Date.now()
    while (Date.now() < since + 20) await on().store.size(shop, hash)
    const known = async (of: number, hashes: readonly string[]) => {
      if (of !== shop) return new Set(hashes)
      await put('again')
      return NONE
    }
    await on().store.sweep(10, known)
    expect(await on().store.readWhole(shop, hash).then(hashOf)).toBe(hash)
  })
  it('sweeps while the same blob is rewritten repeatedly: the last write is kept', async () => {
    const notShop = async (of: number, hashes: readonly string[]) =>
      of === shop ? NONE : new Set(hashes)
    for (let round = 0; round < sized(10, 30); round += 1) {
      const [written] = await Promise.all([put('race'), on().store.sweep(1000, notShop)])
      expect(await on().store.size(shop, written.hash)).toBe(1000)
    }
  })
}
