import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contentOf, hashOf } from '../../../test/fakes/content.ts'
import { startLine, type Line } from '../../../test/fakes/line.ts'
import { sized, soakTest, someOf } from '../../../test/scale.ts'
import { BUCKET, startS3, type FakeS3 } from '../../../test/fakes/s3.ts'
import { openRealS3 } from '../../../test/real-s3.ts'
import { storeSuite } from '../../../test/suites/store.ts'
import { createS3Store } from './s3.ts'
import type { S3Location } from './address.ts'
import type { BlobStore } from './store.ts'

const run = promisify(execFile)
const HOUR = 60 * 60 * 1000
/** Several parts of the usual size, and more than the sockets between two processes hold. */
const LARGE = 18_000_000
/** Small parts, so that a body of four parts is small too. */
const PARTS = { upload: 256 * 1024 }
const FOUR_PARTS = 1_000_000
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR)
const none = async () => new Set<string>()
const all = async (_shop: number, hashes: readonly string[]) => new Set(hashes)

const SLICE = 50_000
async function* stream(size: number, seed: string) {
  const bytes = contentOf(size, seed)
  for (let at = 0; at < size; at += SLICE) yield bytes.subarray(at, at + SLICE)
}
/** Calls `when` while the last quarter of the bytes is still missing. */
async function* streamWith(size: number, seed: string, when: () => unknown) {
  let given = 0
  for await (const slice of stream(size, seed)) {
    if (given < size * 0.75 && given + slice.length >= size * 0.75) await when()
    given += slice.length
    yield slice
  }
}
/** With parts of the usual size: a large blob takes few requests. */
const usual = (s3: FakeS3) => createS3Store(s3.location())
const readAll = async (store: BlobStore, hash: string) =>
  Buffer.concat(await Array.fromAsync<Buffer>(await store.read(3, hash)))

const sentTo = (s3: FakeS3, method: string, part: string) =>
  s3.requests.filter(
    (request) => request.startsWith(`${method} /${BUCKET}/`) && request.includes(part),
  )

/**
 * Writes 100 MB in a separate process, where nothing else holds buffers, and then breaks off.
 * `held`: the most bytes of buffers held meanwhile.
 */
async function measureWriter(location: S3Location): Promise<{ given: number; held: number }> {
  const script = `
    const { createS3Store } = await import(${JSON.stringify(import.meta.resolve('./s3.ts'))})
    const { heldBytes } = await import(${JSON.stringify(import.meta.resolve('../../../test/memory.ts'))})
    const before = heldBytes()
    let [given, held] = [0, 0]
    async function* bytes() {
      for (let n = 1; n <= 1000; n += 1) {
        yield Buffer.allocUnsafeSlow(100_000)
        given += 100_000
        if (n % 50 === 0) held = Math.max(held, heldBytes() - before)
      }
      throw new Error('enough')
    }
    await createS3Store(JSON.parse(process.argv[1])).write(3, bytes()).catch(() => {})
    console.log(JSON.stringify({ given, held }))`
  const options = ['--input-type=module', '-e', script, JSON.stringify(location)]
  return JSON.parse((await run(process.execPath, options)).stdout)
}

storeSuite('S3', async () => {
  if (process.env.TEST_S3) return openRealS3(process.env.TEST_S3)
  const s3 = await startS3(sized<{ minPart?: number }>({ minPart: PARTS.upload }, {}))
  const store = createS3Store(s3.location(), sized<Partial<typeof PARTS>>(PARTS, {}))
  return { store, contents: s3.contents, close: s3.close }
})

describe('S3', () => {
  let s3: FakeS3
  let store: BlobStore
  beforeEach(async () => {
    s3 = await startS3({ minPart: PARTS.upload })
    store = createS3Store(s3.location(), PARTS)
  })
  afterEach(() => s3.close())
  const of = (method: string, part: string) => sentTo(s3, method, part)

  it('stores a blob under its prefix and shop, and ignores other objects in the bucket', async () => {
    const other = createS3Store(s3.location({ prefix: 'files/' }))
    const { hash } = await store.write(3, stream(10, 'root'))
    const below = await other.write(3, stream(10, 'below'))
    const mine = [`3/${hash}`, `files/3/${below.hash}`].sort()
    expect(await s3.contents()).toEqual(mine)
    expect(await store.sweep(-5000, all)).toBe(0)
    expect(await other.sweep(-5000, none)).toBe(1)
    expect(await s3.contents()).toEqual([`3/${hash}`, expect.stringContaining('files/aside/')])
  })
  soakTest('sends a small blob in one request, and a large one in parts', async () => {
    const real = await startS3()
    store = usual(real)
    await store.write(3, stream(8 * 1024 * 1024, 'one part'))
    expect(real.requests).toHaveLength(1)
    const { hash } = await store.write(3, stream(LARGE, 'parts'))
    expect(sentTo(real, 'PUT', 'partNumber=')).toHaveLength(3)
    expect(sentTo(real, 'PUT', hash)).toHaveLength(1)
    expect(hashOf(await readAll(store, hash))).toBe(hash)
    await real.close()
  })
  it('shows nothing under the final name before the bytes are complete', async () => {
    let seen: string[] = []
    await store.write(
      3,
      streamWith(FOUR_PARTS, 'whole', async () => (seen = await s3.contents())),
    )
    expect(seen).toEqual([expect.stringMatching(/^tmp\/[0-9a-f]{24} \(unfinished\)$/)])
    expect(await s3.contents()).toEqual([expect.stringMatching(/^3\//)])
  })
  it('copies a large object in parts', async () => {
    const copies = { ...PARTS, whole: 600_000, copy: 300_000 }
    const limited = createS3Store(s3.location(), copies)
    const { hash } = await limited.write(3, stream(FOUR_PARTS, 'copied'))
    expect(of('PUT', `${hash}?partNumber=`)).toHaveLength(4)
    expect(hashOf(await readAll(store, hash))).toBe(hash)
    expect(await s3.contents()).toEqual([`3/${hash}`])
  })
  soakTest('keeps little of a large body in memory', async () => {
    s3.intercept = ({ url }) => (url.includes('partNumber=') ? 'discarded' : null)
    const { given, held } = await measureWriter(s3.location())
    // Four parts are held.
    expect(given).toBe(100_000_000)
    expect(held).toBeLessThan(60_000_000)
  })
  soakTest('uploads at most a dozen parts concurrently, for any number of bodies', async () => {
    const gate = Promise.withResolvers<null>()
    let arrived = 0
    s3.intercept = ({ url }) => {
      if (!url.includes('partNumber=')) return null
      arrived += 1
      return gate.promise
    }
    const writes = Array.from({ length: 7 }, (_, n) => store.write(3, stream(600_000, `many ${n}`)))
    await expect.poll(() => arrived).toBe(12)
    for (let n = 0; n < 20; n += 1) await store.size(3, hashOf(Buffer.from(String(n))))
    expect(arrived).toBe(12)
    gate.resolve(null)
    expect(new Set((await Promise.all(writes)).map(({ hash }) => hash)).size).toBe(7)
    expect(arrived).toBe(21)
  })
  soakTest('releases the connection when its reader stops before the first byte', async () => {
    const { hash } = await usual(s3).write(3, stream(LARGE, 'left'))
    const before = await s3.connections()
    const left = await createS3Store(s3.location()).read(3, hash)
    expect(await s3.connections()).toBe(before + 1)
    left.destroy()
    await expect.poll(() => s3.connections()).toBe(before)
  })
  it('signs an address that serves a blob for a while, with the given name', async () => {
    const { hash } = await store.write(3, stream(1000, 'signed'))
    const as = { disposition: `attachment; filename="a b.pdf"`, contentType: 'application/pdf' }
    const address = await store.signedAddress!(3, hash, { expiresSeconds: 60, ...as })
    const response = await fetch(address)
    expect(hashOf(Buffer.from(await response.arrayBuffer()))).toBe(hash)
    expect(response.headers.get('content-disposition')).toBe(as.disposition)
    expect(response.headers.get('content-type')).toContain(as.contentType)
    const other = address.replace(hash, hashOf(Buffer.from('another')))
    expect((await fetch(other)).status).toBe(403)
    const short = await store.signedAddress!(3, hash, { expiresSeconds: 1, ...as })
    await expect.poll(async () => (await fetch(short)).status).toBe(403)
  })
})

describe('S3 errors', () => {
  let s3: FakeS3
  let line: Line
  let store: BlobStore
  beforeEach(async () => {
    s3 = await startS3({ minPart: PARTS.upload })
    line = await startLine(s3.port)
    store = createS3Store(s3.location({ endpoint: line.url }), PARTS)
  })
  afterEach(async () => {
    await line.close()
    await s3.close()
  })
  const error = (code: string) => expect.objectContaining({ name: 'StoreError', code })

  it('a connection cut during a write is retried when the server is back', async () => {
    const cut = () => {
      line.cut()
      line.mend()
    }
    const { hash } = await store.write(3, streamWith(FOUR_PARTS, 'cut', cut))
    expect(hashOf(await readAll(store, hash))).toBe(hash)
    expect(await s3.contents()).toEqual([`3/${hash}`])
  })
  soakTest('an unreachable server gets no blob, and leftovers are swept', async () => {
    await expect(store.write(3, streamWith(FOUR_PARTS, 'gone', line.cut))).rejects.toEqual(
      error('unavailable'),
    )
    line.mend()
    const [left, ...more] = await s3.contents()
    expect(left).toMatch(/^tmp\/[0-9a-f]{24} \(unfinished\)$/)
    expect(more).toEqual([])
    await s3.age(left!.replace(' (unfinished)', ''), hoursAgo(25))
    expect(await store.sweep(HOUR, none)).toBe(1)
    expect(await s3.contents()).toEqual([])
  })
  soakTest('a killed writer leaves no blob, and its leftovers are swept', async () => {
    const script = `
      const { createS3Store } = await import(${JSON.stringify(import.meta.resolve('./s3.ts'))})
      async function* bytes() {
        for (let n = 0; n < 10; n += 1) yield Buffer.alloc(100_000, n)
        await new Promise(() => setInterval(() => {}, 1000))
      }
      await createS3Store(...JSON.parse(process.argv[1])).write(3, bytes())`
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      script,
      JSON.stringify([s3.location(), PARTS]),
    ])
    await expect
      .poll(() => s3.requests.filter((one) => one.includes('partNumber=3')).length)
      .toBe(1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [left, ...more] = await s3.contents()
    expect(more).toEqual([])
    const key = left!.replace(' (unfinished)', '')
    // Not while it may still be uploading, and not while parts still arrive.
    await s3.age(key, hoursAgo(23))
    expect(await store.sweep(HOUR, none)).toBe(0)
    await s3.age(key, hoursAgo(200), { parts: false })
    expect(await store.sweep(HOUR, none)).toBe(0)
    expect(await s3.contents()).toEqual([left])
    await s3.age(key, hoursAgo(25))
    expect(await store.sweep(HOUR, none)).toBe(1)
    expect(await s3.contents()).toEqual([])
  })
  it('a response lost after the write is complete has no effect', async () => {
    let lost = 0
    s3.intercept = ({ method, url }) =>
      method === 'POST' && url.includes('uploadId=') && lost++ === 0 ? 'lost' : null
    const { hash } = await store.write(3, stream(FOUR_PARTS, 'lost'))
    expect(lost).toBeGreaterThan(1)
    expect(hashOf(await readAll(store, hash))).toBe(hash)
    expect(await s3.contents()).toEqual([`3/${hash}`])
  })
  for (const size of [1000, FOUR_PARTS])
    soakTest(`a temporary refusal is retried (${size} bytes)`, async () => {
      let refused = 0
      s3.intercept = () => (refused++ < 2 ? { status: 503, code: 'SlowDown' } : null)
      const { hash } = await store.write(3, stream(size, 'slow'))
      expect(hashOf(await readAll(store, hash))).toBe(hash)
    })
  it.each(
    someOf(
      [
        [503, 'ServiceUnavailable', 'unavailable'],
        [500, 'InternalError', 'unavailable'],
        [404, 'NoSuchBucket', 'unavailable'],
        [403, 'AccessDenied', 'denied'],
        [507, 'XMinioStorageFull', 'full'],
      ] as const,
      (_, at) => at === 2 || at === 4,
    ),
  )(
    'a response %i %s to every write is named, and leaves nothing behind',
    async (status, code, expected) => {
      s3.intercept = ({ method, url }) =>
        method === 'PUT' || url.includes('uploads') ? { status, code } : null
      for (const size of [1000, FOUR_PARTS])
        await expect(store.write(3, stream(size, code))).rejects.toEqual(error(expected))
      expect(await s3.contents()).toEqual([])
    },
  )
  it('wrong keys are a refusal', async () => {
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' }
    const wrong = createS3Store(s3.location({ credentials }))
    await expect(wrong.write(3, stream(10, 'x'))).rejects.toEqual(error('denied'))
    await expect(wrong.check!()).rejects.toEqual(error('denied'))
    await store.check!()
  })
  it('an unreachable server is named as such', async () => {
    const { hash } = await store.write(3, stream(10, 'there'))
    line.cut()
    await expect(store.write(3, stream(10, 'x'))).rejects.toEqual(error('unavailable'))
    await expect(store.read(3, hash)).rejects.toEqual(error('unavailable'))
    await expect(store.size(3, hash)).rejects.toEqual(error('unavailable'))
    await expect(store.check!()).rejects.toEqual(error('unavailable'))
  })
  it('continues reading where the connection broke', async () => {
    const { hash } = await usual(s3).write(3, stream(LARGE, 'resumed'))
    const whole = contentOf(LARGE, 'resumed')
    const ranges = [{ start: 5_000_001, end: 17_000_000 }, undefined]
    for (const range of someOf(ranges, (_, at) => at === 0)) {
      const chunks: Buffer[] = []
      let length = 0
      for await (const chunk of (await store.read(3, hash, range)) as AsyncIterable<Buffer>) {
        if (length < 10_000_000 && length + chunk.length >= 10_000_000) {
          line.cut()
          line.mend()
        }
        chunks.push(chunk)
        length += chunk.length
      }
      const expected = range ? whole.subarray(range.start, range.end + 1) : whole
      expect(Buffer.concat(chunks).equals(expected)).toBe(true)
    }
  })
  soakTest('a reader gets an error if the rest does not arrive', async () => {
    const { hash } = await usual(s3).write(3, stream(LARGE, 'torn'))
    const torn = async () => {
      for await (const chunk of await store.read(3, hash)) if (chunk) line.cut()
    }
    await expect(torn()).rejects.toEqual(error('unavailable'))
  })
})

describe('an object deleted by a sweep', () => {
  let s3: FakeS3
  let store: BlobStore
  beforeEach(async () => {
    s3 = await startS3()
    store = createS3Store(s3.location())
  })
  afterEach(() => s3.close())

  it('is moved aside first, and deleted after the same time again if nothing used it', async () => {
    const { hash } = await store.write(3, stream(1000, 'stray'))
    await s3.age(`3/${hash}`, hoursAgo(2))
    expect(await store.sweep(HOUR, none)).toBe(1)
    const [aside] = await s3.contents()
    expect(aside).toMatch(new RegExp(`^aside/3/${hash}/[0-9a-f]{24}$`))
    expect(await store.size(3, hash)).toBeNull()
    await store.sweep(HOUR, none)
    expect(await s3.contents()).toEqual([aside])
    await s3.age(aside!, hoursAgo(2))
    await store.sweep(HOUR, none)
    expect(await s3.contents()).toEqual([])
    await expect(store.read(3, hash)).rejects.toMatchObject({ code: 'missing' })
  })
  it('is read from there, and restored if it is written again at that moment', async () => {
    const { hash } = await store.write(3, stream(1000, 'raced'))
    await s3.age(`3/${hash}`, hoursAgo(2))
    s3.intercept = async ({ method, url }) => {
      if (method === 'DELETE' && url.includes(`/3/${hash}`))
        await store.write(3, stream(1000, 'raced'))
      return null
    }
    await store.sweep(HOUR, none)
    expect(await store.size(3, hash)).toBeNull()
    expect(hashOf(await readAll(store, hash))).toBe(hash)
    expect((await store.readWhole(3, hash)).length).toBe(1000)
    await store.sweep(HOUR, all)
    expect(await s3.contents()).toEqual([`3/${hash}`])
  })
  it('is not the object that was written again meanwhile', async () => {
    const { hash } = await store.write(3, stream(1000, 'fresh'))
    await s3.age(`3/${hash}`, hoursAgo(2))
    s3.intercept = async ({ method, url }) => {
      if (method === 'PUT' && url.includes('/aside/')) await store.write(3, stream(1000, 'fresh'))
      return null
    }
    expect(await store.sweep(HOUR, none)).toBe(0)
    expect(await s3.contents()).toEqual([`3/${hash}`])
  })
  soakTest('is the same if the bucket cannot list unfinished uploads', async () => {
    const { hash } = await store.write(3, stream(1000, 'plain'))
    await s3.age(`3/${hash}`, hoursAgo(2))
    s3.intercept = ({ url }) =>
      url.includes('uploads=') ? { status: 501, code: 'NotImplemented' } : null
    expect(await store.sweep(HOUR, none)).toBe(1)
  })
  soakTest('is found among several pages', async () => {
    s3.cutLists(3)
    const written = Array.from({ length: 10 }, (_, n) => store.write(3, stream(10, `page ${n}`)))
    const hashes = (await Promise.all(written)).map(({ hash }) => hash).sort()
    const stray = hashes.slice(-2)
    for (const hash of stray) await s3.age(`3/${hash}`, hoursAgo(2))
    const asked: string[] = []
    const removed = await store.sweep(HOUR, async (_shop, old) => {
      asked.push(...old.filter((hash) => !asked.includes(hash)))
      return new Set([stray[0]!])
    })
    expect([removed, asked.sort()]).toEqual([1, stray])
    expect(await store.size(3, stray[0]!)).toBe(10)
  })
})
