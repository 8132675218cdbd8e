import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../test/code-points.ts'
import { layoutZip, safeNames, type ZipEntry } from './zip.ts'

const entry = (filename: string, size: number): ZipEntry => ({
  filename,
  size,
  crc32: 0xdeadbeef,
  modifiedMs: Date.UTC(2026, 2, 3, 4, 5, 6),
  hash: '0'.repeat(64),
})
/** The records, without the entries' bytes. */
const recordsOf = (entries: readonly ZipEntry[]) =>
  layoutZip(entries).segments.flatMap((segment) => ('bytes' in segment ? [segment] : []))

describe('the layout', () => {
  test('has no gaps, and its size is the sum of its parts', () => {
    const zip = layoutZip([entry('a.pdf', 10), entry('empty', 0), entry('ü.pdf', 5)])
    let at = 0
    for (const segment of zip.segments) {
      expect(segment.at).toBe(at)
      at += segment.length
    }
    expect(zip.size).toBe(at)
  })
  test('declares UTF-8 and the size before each entry, so that it can be read as a stream', () => {
    const { bytes } = recordsOf([entry('ü.pdf', 10)])[0]!
    expect(bytes.readUInt16LE(6)).toBe(0x0800)
    expect([bytes.readUInt32LE(14), bytes.readUInt32LE(18), bytes.readUInt32LE(22)]).toEqual([
      0xdeadbeef, 10, 10,
    ])
    expect(bytes.subarray(30).toString()).toBe('ü.pdf')
  })
  test('has ZIP64 records for an entry above 4 GB, and for entries after it', () => {
    const size = 5 * 1024 ** 3
    const records = recordsOf([entry('large.bin', size), entry('behind.bin', 1)])
    const local = records[0]!.bytes
    expect([local.readUInt16LE(4), local.readUInt32LE(18)]).toEqual([45, 0xffffffff])
    expect(Number(local.readBigUInt64LE(30 + 'large.bin'.length + 4))).toBe(size)
    const end = records.at(-1)!.bytes
    const second = 46 + 'large.bin'.length + 20
    expect(end.readUInt32LE(second)).toBe(0x02014b50)
    expect(end.readUInt32LE(second + 42)).toBe(0xffffffff)
    const offset = Number(end.readBigUInt64LE(second + 46 + 'behind.bin'.length + 4))
    expect(offset).toBe(local.length + size)
    expect(end.includes(Buffer.from([0x50, 0x4b, 6, 6]))).toBe(true)
    expect(end.includes(Buffer.from([0x50, 0x4b, 6, 7]))).toBe(true)
  })
  test('has another ETag as soon as a file has other bytes or another name', () => {
    const tag = (one: ZipEntry) => layoutZip([one]).tag
    const one = entry('a.pdf', 10)
    expect(tag({ ...one })).toBe(tag(one))
    expect(tag({ ...one, hash: '1'.repeat(64) })).not.toBe(tag(one))
    expect(tag({ ...one, filename: 'b.pdf' })).not.toBe(tag(one))
  })
})

describe('names', () => {
  test.each([
    ['a/b\\c.pdf', 'a_b_c.pdf'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['aux .txt', '_aux .txt'],
    ['LPT².pdf', '_LPT².pdf'],
    ['conin$', '_conin$'],
    ['console.txt', 'console.txt'],
    ['ends with dots...', 'ends with dots'],
    ['a:b*?"<>|', 'a_b______'],
    ['exe\u202egpj.scr', 'exe_gpj.scr'],
    ['...', 'file'],
    [`${'a'.repeat(239)} . no extension at all`, 'a'.repeat(239)],
    ['e\u0301.pdf', 'é.pdf'],
  ])('%j becomes %j', (given, safe) => expect(safeNames([given])).toEqual([safe]))
  test('are unique ignoring case, short enough, and never a path', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: codePoint, maxLength: 300 }), { maxLength: 20 }),
        (given) => {
          const names = safeNames(given)
          expect(new Set(names.map((name) => name.normalize('NFC').toLowerCase())).size).toBe(
            given.length,
          )
          for (const name of names) {
            expect(name).not.toMatch(/[/\\<>:"|?*]|[. ]$/)
            expect(Buffer.byteLength(name)).toBeLessThan(256)
          }
        },
      ),
    )
  })
})
