import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { FILE, LINK, unicodePath, zipOf, type ZipPart } from '../../test/zips.ts'
import type { Item, Outcome, UnpackedFile, WriteContext } from '../contract/index.ts'
import { unpackZip } from './plugin.ts'

let house: TestEngine
beforeAll(async () => {
  house = await createTestEngine([], [])
})
afterAll(() => house.close())

const context = async (): Promise<WriteContext> => {
  const { bytes, sandbox, stage } = await house.parts.ports(house.scope)
  return writeContext({ bytes, sandbox, stage })
}
async function item(filename: string, bytes: Buffer, entry: object = {}): Promise<Item> {
  const { stage, signal } = await context()
  const staged = await stage.write(Readable.from([bytes]), null, signal)
  return importItem(filename, { entry: { filename, ...entry }, staged })
}
async function unpacked(archive: Item, options: object = {}): Promise<Outcome> {
  const outcomes = unpackZip.run!([archive], unpackZip.options.parse(options), await context())
  const [outcome] = await Array.fromAsync(outcomes)
  return outcome!
}
function unpackedFiles(outcome: Outcome): readonly UnpackedFile[] {
  expect(outcome).toMatchObject({ status: 'ok' })
  return outcome.status === 'ok' ? (outcome.unpacked ?? []) : []
}
const namesIn = async (bytes: Buffer, options: object = {}) =>
  unpackedFiles(await unpacked(await item('files.zip', bytes), options)).map(
    ({ filename }) => filename,
  )
const stored = (): Promise<string[]> =>
  readdir(path.join(house.folder, 'primary', String(house.shop))).then((names) => names.sort())

pluginSuite(unpackZip, async () => ({
  items: [
    await item('good.zip', zipOf([{ name: 'a.txt', bytes: 'a' }])),
    await item('broken.zip', Buffer.from('no archive')),
    await item('notes.txt', Buffer.from('notes')),
  ],
  context: await context(),
  state: stored,
}))

const FILES = { 'guide.pdf': 'a guide', 'Prices/Grüße.txt': 'prices', 'Prices/日本語.txt': 'words' }
const NAMES = ['guide.pdf', 'Grüße.txt', '日本語.txt'].sort()

function folderOfFiles(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'unpack-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(path.join(folder, 'in/Prices'), { recursive: true })
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(path.join(folder, 'in', name), text)
  return folder
}

const PROGRAMS: Record<string, readonly string[]> = {
  'Info-ZIP': ['zip', '-qr', '../out.zip', '.'],
  'Info-ZIP, of a stream': ['sh', '-c', 'zip -qr - . > ../out.zip'],
  'Info-ZIP, with 64 bits': ['zip', '-qr', '-fz', '../out.zip', '.'],
  '7-Zip': ['7z', 'a', '-bd', '../out.zip', '.'],
  bsdtar: ['bsdtar', '-a', '-cf', '../out.zip', '.'],
  Python: ['python3', '-m', 'zipfile', '-c', '../out.zip', 'guide.pdf', 'Prices/'],
}

test.each(Object.keys(PROGRAMS))('unpacks what %s writes', async (program) => {
  const folder = folderOfFiles()
  const [command = '', ...rest] = PROGRAMS[program]!
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  execFileSync(command, rest, { cwd: path.join(folder, 'in'), env, stdio: 'ignore' })
  const outcome = await unpacked(
    await item('files.zip', readFileSync(path.join(folder, 'out.zip'))),
  )
  expect(outcome).not.toHaveProperty('warnings')
  const files = unpackedFiles(outcome)
  expect(files.map(({ filename }) => filename).sort()).toEqual(NAMES)
  expect(files.find(({ filename }) => filename === 'guide.pdf')?.bytes.size_bytes).toBe(7)
})

const cp850 = (text: string) => Buffer.from(text, 'latin1')
const SHIFT_JIS = Buffer.from('90e096be8f912f8ee688b590e096be8f91817593fa967b8cea2e706466', 'hex')

test('reads names as each program writes them', async () => {
  const text = (name: string | Buffer, more: Partial<ZipPart> = {}) =>
    zipOf([{ name, bytes: 'x', ...more }])
  const raw = Buffer.from('#U65e5.txt')
  const cases: [string, Buffer, string][] = [
    ['the flag of UTF-8', text('Größe.pdf', { flags: 0x800 }), 'Größe.pdf'],
    [
      'macOS: UTF-8 without a flag, with letters apart',
      text('Gro\u0308ße.pdf', { system: 3, flags: 8 }),
      'Größe.pdf',
    ],
    ['Info-ZIP: a field', text(raw, { extra: unicodePath(raw, '日本.txt') }), '日本.txt'],
    [
      'a field of another name',
      text(raw, { extra: unicodePath(Buffer.from('x'), '日本.txt') }),
      '#U65e5.txt',
    ],
    [
      'Explorer in the West: code page 437',
      text(cp850('\x9abungsbl\x84tter f\x81r Sch\x81ler.pdf')),
      'Übungsblätter für Schüler.pdf',
    ],
    ['Explorer in Japan: Shift_JIS', text(SHIFT_JIS), '取扱説明書「日本語.pdf'],
    [
      'Explorer in Russia: code page 866',
      text(Buffer.from('88adaae0e3aae6a8ef20afae20e3e1e2a0adaea2aaa52e706466', 'hex')),
      'Инкрукция по установке.pdf',
    ],
  ]
  for (const [who, bytes, name] of cases) expect([who, await namesIn(bytes)]).toEqual([who, [name]])
})

test('leaves out what systems leave in archives, and folders', async () => {
  const archive = zipOf([
    { name: 'Files/' },
    { name: 'Files/guide.pdf', bytes: 'x', system: 3, attributes: FILE },
    { name: '__MACOSX/Files/._guide.pdf', bytes: 'x' },
    { name: 'Files/.DS_Store', bytes: 'x' },
    { name: 'Files/Thumbs.db', bytes: 'x' },
    { name: 'Files\\old\\map.pdf', bytes: 'y' },
  ])
  const outcome = await unpacked(await item('files.zip', archive), { folders: 'tag', into: 'pack' })
  expect(outcome).not.toHaveProperty('warnings')
  expect(unpackedFiles(outcome)).toMatchObject([
    {
      path: 'Files/guide.pdf',
      change: { packs: { add: [{ name: 'files' }] }, tags: { add: ['Files'] } },
    },
    { path: 'Files/old/map.pdf', filename: 'map.pdf', change: { tags: { add: ['old'] } } },
  ])
})

const refusals = async (parts: readonly ZipPart[]) => {
  const outcome = await unpacked(
    await item('files.zip', zipOf([{ name: 'good.txt', bytes: 'x' }, ...parts])),
  )
  const warnings = outcome.status === 'ok' ? (outcome.warnings ?? []) : []
  return warnings.map(({ code, message }) => [code, inEnglish(message)])
}

test('refuses entries that lead out, are links, or cannot be read, each with its reason', async () => {
  const leads = (name: string) => [
    'zip_unsafe',
    `${name} was left out: its path leads out of the archive`,
  ]
  expect(
    await refusals([
      { name: '../evil.txt', bytes: 'x' },
      { name: 'a/../../evil.txt', bytes: 'x' },
      { name: '/etc/passwd', bytes: 'x' },
      { name: 'C:\\evil.txt', bytes: 'x' },
      { name: '\\\\server\\evil.txt', bytes: 'x' },
      { name: 'link', bytes: '/etc/passwd', system: 3, attributes: LINK },
      { name: 'secret.pdf', bytes: 'x', flags: 1, method: 99 },
      { name: 'tight.pdf', bytes: 'x', method: 14 },
    ]),
  ).toEqual([
    leads('../evil.txt'),
    leads('a/../../evil.txt'),
    leads('/etc/passwd'),
    leads('C:/evil.txt'),
    leads('//server/evil.txt'),
    ['zip_unsafe', 'link was left out: it is a link to another file'],
    ['zip_encrypted', 'secret.pdf was left out: a password protects it'],
    [
      'zip_unsupported',
      'tight.pdf was left out: it is packed in a way that cannot be read: use Deflate',
    ],
  ])
})

test('an archive fails as a whole if nothing can be imported, or not all of it can be read', async () => {
  const code = async (bytes: Buffer, options: object = {}) => {
    const outcome = await unpacked(await item('files.zip', bytes), options)
    return outcome.status === 'failed' ? [outcome.code, outcome.retryable] : outcome
  }
  const two = zipOf([
    { name: 'a.txt', bytes: 'aaa' },
    { name: 'b.txt', bytes: 'bbb' },
  ])
  const before = await stored()
  expect(await code(zipOf([{ name: 'a.txt', bytes: 'x', flags: 1 }]))).toEqual([
    'zip_encrypted',
    false,
  ])
  expect(await code(zipOf([]))).toEqual(['zip_empty', false])
  expect(await code(two.subarray(0, -30))).toEqual(['zip_damaged', false])
  expect(await code(zipOf([{ name: 'a', bytes: 'x', says: { crc: 1 } }]))).toEqual([
    'zip_damaged',
    false,
  ])
  expect(await code(zipOf([{ name: 'a', bytes: 'xxxx', says: { size: 3 } }]))).toEqual([
    'zip_damaged',
    false,
  ])
  expect(await code(two, { max_files: 1 })).toEqual(['zip_limit', false])
  expect(await code(two, { max_bytes: 5 })).toEqual(['zip_limit', false])
  const bomb = { name: 'zeros', bytes: Buffer.alloc(110 * 1024 ** 2) }
  expect(await code(zipOf([bomb]), {})).toEqual(['zip_limit', false])
  // Only the archives themselves were stored.
  expect((await stored()).length).toBeLessThanOrEqual(before.length + 8)
})

test('cleans names, numbers those of several folders, and takes the last of several', async () => {
  const outcome = await unpacked(
    await item(
      'files.zip',
      zipOf([
        { name: 'a/read me.txt', bytes: '1' },
        { name: 'b/Read Me.txt', bytes: '2' },
        { name: 'gu\u0007ide\u202e.pdf', bytes: '3', flags: 0x800 },
        { name: 'same.txt', bytes: 'old' },
        { name: 'same.txt', bytes: 'newer' },
        { name: `${'x'.repeat(300)}.pdf`, bytes: '4' },
        { name: 'inner.zip', bytes: zipOf([{ name: 'deep.txt', bytes: '5' }]) },
      ]),
    ),
  )
  const files = unpackedFiles(outcome)
  expect(files.map(({ filename, name_cleaned = false }) => [filename, name_cleaned])).toEqual([
    ['read me.txt', false],
    ['Read Me (2).txt', true],
    ['guide.pdf', true],
    ['same.txt', false],
    [`${'x'.repeat(251)}.pdf`, true],
    ['inner.zip', false],
  ])
  expect(files[3]?.bytes.size_bytes).toBe(5)
})

test('an archive inside an archive, and the next version of a file, stay files', async () => {
  const bytes = zipOf([{ name: 'a.txt', bytes: 'x' }])
  const kept = { item: 'x.zip', status: 'ok' }
  expect(await unpacked(await item('x.zip', bytes, { replaces: 'some' }))).toEqual(kept)
  const inside = { archive: 'a.zip', path: 'x.zip' }
  expect(await unpacked(await item('x.zip', bytes, { unpacked_from: inside }))).toEqual(kept)
})
