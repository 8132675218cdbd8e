// ZIP files as read by several unpackers, which accept different subsets of the format.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { layoutZip, type ZipEntry } from './zip.ts'
import { soakTest } from '../../../test/scale.ts'

const run = promisify(execFile)
const GB = 1024 ** 3
let folder: string
beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'stevedore-zip-'))))
afterAll(() => rm(folder, { recursive: true }))

type Content = ZipEntry & { bytes: Buffer | null }

const entryOf = (filename: string, bytes: Buffer): Content => ({
  filename,
  bytes,
  size: bytes.length,
  crc32: crc32(bytes),
  modifiedMs: Date.UTC(2026, 2, 3, 4, 5, 6),
  hash: createHash('sha256').update(bytes).digest('hex'),
})

/** An entry without bytes is a hole in the file. */
async function write(name: string, entries: readonly Content[]): Promise<string> {
  const file = path.join(folder, name)
  const handle = await open(file, 'w')
  const { segments, size } = layoutZip(entries)
  const few = segments.length < 1000
  const parts: Buffer[] = []
  for (const segment of segments) {
    const bytes = 'bytes' in segment ? segment.bytes : segment.entry.bytes
    if (!few) parts.push(bytes!)
    else if (bytes) await handle.write(bytes, 0, bytes.length, segment.at)
  }
  if (!few) await handle.write(Buffer.concat(parts))
  await handle.truncate(size)
  await handle.close()
  return file
}

const UNPACKERS = {
  unzip: (file: string, to: string) => ['unzip', '-q', file, '-d', to],
  '7z': (file: string, to: string) => ['7z', 'x', '-y', '-bd', `-o${to}`, file],
  bsdtar: (file: string, to: string) => ['bsdtar', '-x', '-f', file, '-C', to],
  // Reads the file as a stream, so it needs the sizes before the bytes.
  'bsdtar of a stream': (file: string, to: string) => [
    'sh',
    '-c',
    `cat '${file}' | bsdtar -x -f - -C '${to}'`,
  ],
  'zipfile of Python': (file: string, to: string) => [
    '/usr/bin/python3',
    '-m',
    'zipfile',
    '-e',
    file,
    to,
  ],
} as const

const ODD = [
  entryOf('plain.txt', Buffer.from('plain')),
  entryOf('größer – 本.pdf', Buffer.from('names in UTF-8')),
  entryOf('empty.bin', Buffer.alloc(0)),
  entryOf('Same.txt', Buffer.from('one')),
  entryOf('same.TXT', Buffer.from('two')),
  entryOf('a/../b:c.txt', Buffer.from('a path')),
  entryOf('con.txt', Buffer.from('a device of Windows')),
]
const NAMES = [
  'plain.txt',
  'größer – 本.pdf',
  'empty.bin',
  'Same.txt',
  'same (2).TXT',
  'a_.._b_c.txt',
  '_con.txt',
]

describe.each(Object.entries(UNPACKERS))('%s', (name, command) => {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  const unpack = async (file: string) => {
    const to = await mkdtemp(path.join(folder, 'out-'))
    const [program, ...given] = command(file, to) as [string, ...string[]]
    await run(program, given, { env, maxBuffer: 64 * 1024 ** 2 })
    return to
  }
  test('reads every name and every byte', async () => {
    const to = await unpack(await write(`${name}-odd.zip`, ODD))
    expect((await readdir(to)).sort()).toEqual(NAMES.toSorted())
    for (const [at, { bytes }] of ODD.entries())
      expect((await readFile(path.join(to, NAMES[at]!))).equals(bytes!)).toBe(true)
  })
})

soakTest('reads more entries than 16 bits can count', async () => {
  const entries = Array.from({ length: 70_000 }, (_, at) => entryOf(`${at}.txt`, Buffer.from('x')))
  const file = await write('many.zip', entries)
  const count = 'import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))'
  expect((await run('/usr/bin/python3', ['-c', count, file])).stdout.trim()).toBe('70000')
  const options = { maxBuffer: 64 * 1024 ** 2 }
  expect((await run('7z', ['l', file], options)).stdout).toContain('70000 files')
  expect((await run('unzip', ['-Z', '-t', file], options)).stdout).toContain('70000 files')
  expect((await run('bsdtar', ['-t', '-f', file], options)).stdout.trim().split('\n').length).toBe(
    70_000,
  )
})

test('reads an entry above 4 GB, and the entries after it, with correct sizes and offsets', async () => {
  const large = {
    ...entryOf('large.bin', Buffer.alloc(0)),
    size: 4 * GB + 10,
    bytes: null,
    hash: '1',
  }
  const behind = entryOf('behind.txt', Buffer.from('read it'))
  const file = await write('large.zip', [large, behind])
  const read = `import sys, zipfile
z = zipfile.ZipFile(sys.argv[1]); print(z.getinfo('large.bin').file_size, z.read('behind.txt').decode())`
  expect((await run('/usr/bin/python3', ['-c', read, file])).stdout.trim()).toBe(
    `${large.size} read it`,
  )
  expect((await run('unzip', ['-p', file, 'behind.txt'])).stdout).toBe('read it')
  expect((await run('7z', ['x', '-so', file, 'behind.txt'])).stdout).toBe('read it')
  expect((await run('unzip', ['-Z', file])).stdout).toContain(String(large.size))
  expect((await run('7z', ['l', file])).stdout).toContain(String(large.size))
})
