// PDF documents for tests: written by hand, so that a test controls each detail of a page, and read
// back with the system's tools.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { constants, deflateRawSync } from 'node:zlib'
import type { Item, WriteContext } from '../plugins/contract/index.ts'
import { fileItem } from './fakes/context.ts'

const run = promisify(execFile)

export interface PageSpec {
  /**
   * Entries of the page's dictionary in addition to its content: `/MediaBox [0 0 200 300] /Rotate
   * 90`.
   */
  says?: string
  /** Resources in addition to the font `/F`. */
  resources?: string
  /** Fonts in addition to `/F`. */
  fonts?: string
  /** The page has no resources. */
  bare?: boolean
  /** The content, as PDF operators. */
  draws?: string
}

/**
 * `extra`: bodies of further objects, from number 10. `catalog` and `tree` are added to the
 * catalogue and to the page tree.
 */
export function documentOf(
  pages: readonly PageSpec[],
  {
    extra = [],
    catalog = '',
    tree = '',
  }: { extra?: readonly (string | Buffer)[]; catalog?: string; tree?: string } = {},
): Buffer {
  const first = 10 + extra.length
  const bodies = new Map<number, string | Buffer>([
    [1, `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`],
    [
      2,
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${first + 2 * at} 0 R`).join(' ')}] ${tree} >>`,
    ],
    [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
    ...extra.map((body, at): [number, string | Buffer] => [10 + at, body]),
  ])
  pages.forEach(
    ({ says = '/MediaBox [0 0 200 300]', resources = '', fonts = '', bare, draws = '' }, at) => {
      const contents = says.includes('/Contents') ? '' : `/Contents ${first + 2 * at + 1} 0 R`
      const has = bare ? '' : `/Resources << /Font << /F 3 0 R ${fonts} >> ${resources} >>`
      bodies.set(first + 2 * at, `<< /Type /Page /Parent 2 0 R ${has} ${contents} ${says} >>`)
      bodies.set(first + 2 * at + 1, streamOf('', draws))
    },
  )
  return assemble(bodies)
}

export const streamOf = (says: string, content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([
    Buffer.from(`<< ${says} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}

function assemble(bodies: ReadonlyMap<number, string | Buffer>): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets = new Map<number, number>()
  let at = parts[0]!.length
  for (const [number, body] of bodies) {
    const object = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      Buffer.from(body),
      Buffer.from('\nendobj\n'),
    ])
    offsets.set(number, at)
    at += object.length
    parts.push(object)
  }
  const size = Math.max(...bodies.keys()) + 1
  const entry = (number: number) =>
    offsets.has(number)
      ? `${String(offsets.get(number)).padStart(10, '0')} 00000 n \n`
      : '0000000000 65535 f \n'
  const table = Array.from({ length: size }, (_, number) => entry(number)).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

/**
 * 1.5 MB that decompress to 1.5 GB when the first page is looked up: an object stream with one
 * endless list in it. A reader's data structures take several times as much.
 */
export function bomb(megabytes = 1500): Buffer {
  const first = '2 0 6 60 '
  const tree = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>'.padEnd(60)
  // The compressed blocks are independent, so one block can be repeated instead of compressing a
  // long text.
  const packed = (text: string | Buffer) =>
    deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH, level: 9 })
  const zeros = packed(Buffer.alloc(1024 ** 2, '0 '))
  const stream = Buffer.concat([
    Buffer.from([0x78, 0xda]),
    packed(`${first}${tree}[`),
    ...Array.from({ length: megabytes }, () => zeros),
    deflateRawSync(']'),
    Buffer.alloc(4),
  ])
  const parts = [
    Buffer.from('%PDF-1.5\n'),
    Buffer.from('1 0 obj\n<< /Type /Catalog /Pages 2 0 R /Extra 6 0 R >>\nendobj\n'),
    Buffer.from('3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>\nendobj\n'),
    Buffer.concat([
      Buffer.from('5 0 obj\n'),
      streamOf(`/Type /ObjStm /N 2 /First ${first.length} /Filter /FlateDecode`, stream),
      Buffer.from('\nendobj\n'),
    ]),
  ]
  const [, catalog, page, objects] = parts.map((_, at) =>
    parts.slice(0, at).reduce((sum, { length }) => sum + length, 0),
  )
  const end = parts.reduce((sum, { length }) => sum + length, 0)
  const row = (type: number, offset: number, index: number) => [type, ...bytesOf(offset, 4), index]
  const table = Buffer.from(
    [
      [0, 0, 0],
      [1, catalog!, 0],
      [2, 5, 0],
      [1, page!, 0],
      [0, 0, 0],
      [1, objects!, 0],
      [2, 5, 1],
      [1, end, 0],
    ].flatMap(([type, offset, index]) => row(type!, offset!, index!)),
  )
  return Buffer.concat([
    ...parts,
    Buffer.from('7 0 obj\n'),
    streamOf('/Type /XRef /Size 8 /W [1 4 1] /Root 1 0 R', table),
    Buffer.from(`\nendobj\nstartxref\n${end}\n%%EOF\n`),
  ])
}

const bytesOf = (value: number, count: number) =>
  Array.from({ length: count }, (_, at) => Math.floor(value / 256 ** (count - 1 - at)) % 256)

/** Each page has its number as text (`page 3`), to identify it. */
export const numberedPages = (count: number): PageSpec[] =>
  Array.from({ length: count }, (_, at) => ({
    draws: `BT /F 24 Tf 40 150 Td (page ${at + 1}) Tj ET`,
  }))

/** Calls `work` with the path of a temporary file with these bytes. */
async function asFile<T>(
  bytes: Uint8Array,
  work: (file: string, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-pdf-'))
  try {
    const file = path.join(folder, 'document.pdf')
    await writeFile(file, bytes)
    return await work(file, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Errors in a document, as reported by the system's qpdf. Empty: none. */
export const faultsOf = (bytes: Uint8Array, password = ''): Promise<string> =>
  asFile(bytes, async (file) => {
    try {
      await run('qpdf', [`--password=${password}`, '--check', file])
      return ''
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return `qpdf --check: ${code} ${stdout}${stderr}`.slice(0, 2000)
    }
  })

/** The text of each page, as poppler extracts it. */
export const textsOf = (bytes: Uint8Array): Promise<string[]> =>
  asFile(bytes, async (file) => {
    const { stdout } = await run('pdftotext', ['-layout', file, '-'], { maxBuffer: 1024 ** 3 })
    return stdout
      .split('\f')
      .slice(0, -1)
      .map((text) => text.trim())
  })

export interface PagePicture {
  width: number
  height: number
  /** One byte per pixel, from the upper left: 0 black, 255 white. */
  grey: Buffer
}

/** Pages rendered by poppler at `dpi`, cropped and rotated as a viewer shows them. */
export const renderPages = (
  bytes: Uint8Array,
  dpi: number,
  range?: [first: number, last: number],
): Promise<PagePicture[]> =>
  asFile(bytes, async (file, folder) => {
    const pages = range ? ['-f', String(range[0]), '-l', String(range[1])] : []
    await run('pdftoppm', [
      '-cropbox',
      '-r',
      String(dpi),
      '-gray',
      ...pages,
      file,
      path.join(folder, 'page'),
    ])
    const images = (await readdir(folder)).filter((name) => name.endsWith('.pgm')).sort()
    return Promise.all(
      images.map(async (name) => pictureOf(await readFile(path.join(folder, name)))),
    )
  })

/** A portable graymap: nothing of it is compressed. */
function pictureOf(graymap: Buffer): PagePicture {
  const [header = '', width, height] =
    /^P5\s(\d+)\s(\d+)\s255\s/.exec(graymap.toString('latin1', 0, 40)) ?? []
  return { width: Number(width), height: Number(height), grey: graymap.subarray(header.length) }
}

/**
 * The bounding box of the ink as fractions of the page, from its upper left; null: the page is
 * empty.
 */
export function inkOf({
  width,
  height,
  grey,
}: PagePicture): { left: number; top: number; right: number; bottom: number } | null {
  let [left, top, right, bottom] = [width, height, -1, -1]
  grey.forEach((value, at) => {
    if (value > 250) return
    const [x, y] = [at % width, Math.floor(at / width)]
    ;[left, right] = [Math.min(left, x), Math.max(right, x)]
    ;[top, bottom] = [Math.min(top, y), Math.max(bottom, y)]
  })
  if (right < 0) return null
  return {
    left: left / width,
    top: top / height,
    right: (right + 1) / width,
    bottom: (bottom + 1) / height,
  }
}

/** An item of an operation whose draft has these bytes from an earlier step. */
export async function documentItem(
  { stage }: Pick<WriteContext, 'stage'>,
  filename: string,
  bytes: Uint8Array,
): Promise<Item> {
  const staged = await stage.write(
    Readable.from([Buffer.from(bytes)]),
    null,
    new AbortController().signal,
  )
  return { ...fileItem(filename, { filename }), staged }
}

/** Encrypts with the system's qpdf: `user` opens the document, `owner` has all permissions. */
export const encrypted = (
  bytes: Uint8Array,
  user: string,
  owner: string,
  bits: 40 | 128 | 256 = 256,
): Promise<Buffer> =>
  asFile(bytes, async (file, folder) => {
    const to = path.join(folder, 'encrypted.pdf')
    await run('qpdf', [
      '--allow-weak-crypto',
      '--encrypt',
      user,
      owner,
      String(bits),
      '--',
      file,
      to,
    ])
    return readFile(to)
  })

/** The encryption as qpdf describes it. Empty: none. */
export const protectionOf = (bytes: Uint8Array, password = ''): Promise<string> =>
  asFile(bytes, async (file) => {
    const { stdout } = await run('qpdf', [`--password=${password}`, '--show-encryption', file])
    return stdout.startsWith('File is not encrypted') ? '' : stdout
  })

/** The document with its streams decompressed, as text that can be searched. */
export const unpacked = (bytes: Uint8Array): Promise<string> =>
  asFile(bytes, async (file, folder) => {
    const to = path.join(folder, 'unpacked.pdf')
    await run('qpdf', ['--qdf', '--object-streams=disable', file, to])
    return readFile(to, 'latin1')
  })

export const countPages = (bytes: Uint8Array): Promise<number> =>
  asFile(bytes, async (file) => {
    const { stdout } = await run('qpdf', ['--warning-exit-0', '--show-npages', file])
    return Number(stdout)
  })

/** An object as qpdf writes it in JSON: dictionaries with `/Names`, references as `12 0 R`. */
export type DocumentValue =
  | string
  | number
  | boolean
  | null
  | readonly DocumentValue[]
  | { readonly [name: string]: DocumentValue }

export interface DocumentObjects {
  pages: readonly string[]
  /** The value at this path from the trailer, with references followed: `/Root /Names /Dests`. */
  at(path: string): DocumentValue
  /** The value itself, or of the object that it refers to; for a stream, its dictionary. */
  value(of: DocumentValue | undefined): DocumentValue
  /** The entry of a dictionary, or of the one that a reference names. */
  entry(of: DocumentValue | undefined, name: string): DocumentValue
}

interface DocumentJson {
  pages: { object: string }[]
  qpdf: [unknown, Record<string, { value?: DocumentValue; stream?: { dict: DocumentValue } }>]
}

/** All objects of a document, as the system's qpdf reads them. */
export const objectsOf = (bytes: Uint8Array): Promise<DocumentObjects> =>
  asFile(bytes, async (file) => {
    const args = ['--warning-exit-0', '--json=2', '--json-key=pages', '--json-key=qpdf']
    const { stdout } = await run('qpdf', [...args, file], { maxBuffer: 1024 ** 3 })
    const { pages, qpdf } = JSON.parse(stdout) as DocumentJson
    const objects = new Map(Object.entries(qpdf[1]))
    const value = (of: DocumentValue | undefined): DocumentValue => {
      const found = typeof of === 'string' ? objects.get(`obj:${of}`) : undefined
      return found ? value(found.stream?.dict ?? found.value ?? null) : (of ?? null)
    }
    const entry = (of: DocumentValue | undefined, name: string) => {
      const own = value(of)
      if (typeof own !== 'object' || own === null) return null
      return value((own as Record<string, DocumentValue>)[name])
    }
    const trailer = objects.get('trailer')?.value
    const at = (path: string) => path.split(' ').reduce(entry, trailer ?? null)
    return { pages: pages.map(({ object }) => object), at, value, entry }
  })

/** The bookmarks of a document, each with the place of its page; those below it are behind it. */
export async function bookmarksOf(bytes: Uint8Array): Promise<string[]> {
  const { at, entry, value, pages } = await objectsOf(bytes)
  const named = namedDestinations(at, entry, value)
  const placeOf = (item: DocumentValue) => {
    const target = entry(item, '/Dest') ?? entry(entry(item, '/A'), '/D')
    const found = typeof target === 'string' ? value(named.get(target)) : target
    const list = Array.isArray(found) ? found : entry(found, '/D')
    if (!Array.isArray(list)) return 0
    const page = list[0] as DocumentValue
    return typeof page === 'number' ? page + 1 : pages.indexOf(String(page)) + 1
  }
  const read = (first: DocumentValue, level: string): string[] => {
    const found: string[] = []
    for (let item = first; item !== null; item = entry(item, '/Next')) {
      found.push(`${level}${String(entry(item, '/Title')).slice(2)} ${placeOf(item)}`)
      found.push(...read(entry(item, '/First'), `${level}- `))
    }
    return found
  }
  return read(entry(at('/Root /Outlines'), '/First'), '')
}

/** The destinations by their names, of which the first counts. */
function namedDestinations(
  at: DocumentObjects['at'],
  entry: DocumentObjects['entry'],
  value: DocumentObjects['value'],
): Map<DocumentValue, DocumentValue | undefined> {
  const listOf = (list: DocumentValue): readonly DocumentValue[] =>
    Array.isArray(list) ? (list as readonly DocumentValue[]) : []
  const entries = (
    node: DocumentValue,
  ): (readonly [DocumentValue, DocumentValue | undefined])[] => {
    const list = listOf(entry(node, '/Names'))
    const own = list.flatMap((key, place) =>
      place % 2 === 0 ? [[value(key), list[place + 1]] as const] : [],
    )
    return [...own, ...listOf(entry(node, '/Kids')).flatMap(entries)]
  }
  const old = Object.entries(at('/Root /Dests') ?? {})
  return new Map([...old, ...entries(at('/Root /Names /Dests'))].toReversed())
}

/** The names of the attached files, as the system's qpdf lists them. */
export const attachmentsOf = (bytes: Uint8Array): Promise<string[]> =>
  asFile(bytes, async (file) => {
    const { stdout } = await run('qpdf', ['--warning-exit-0', '--list-attachments', file])
    return stdout.split('\n').flatMap((line) => /^(.+) -> /.exec(line)?.[1] ?? [])
  })
