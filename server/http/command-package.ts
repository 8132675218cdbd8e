// /stevedore.tgz: the command and the typed client as an npm package, with the address of this
// installation in it, so that `npx https://HOST/stevedore.tgz` needs no other setting.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'
import { AppError } from '../core/errors.ts'
import { present } from '../core/lazy.ts'
import { evaluateConditions } from './conditions.ts'
import { notAllowed } from './errors.ts'
import type { Mount } from './listen.ts'

const PATH = '/stevedore.tgz'
const MANIFEST = 'package.json'
/** The commands of a package are made executable by npm. */
const EXECUTABLE = 'command.js'

export interface CommandPackageParts {
  /** The folder that the build wrote. Rejects if there is none. */
  folder: () => Promise<string>
  /** The installation's address; null: that of each request. */
  baseUrl: string | null
}

interface Packed {
  bytes: Buffer
  etag: string
}

/** One address in most installations; a request may name any host. */
const MAX_KEPT = 4

export function commandPackage({ folder, baseUrl }: CommandPackageParts): Mount {
  const kept = new Map<string, Promise<Packed>>()
  const packedFor = (url: string): Promise<Packed> => {
    const known = kept.get(url)
    if (known) return known
    if (kept.size >= MAX_KEPT) kept.clear()
    const packing = folder().then((place) => pack(place, url))
    kept.set(url, packing)
    packing.catch(() => kept.delete(url))
    return packing
  }
  const handle = async (ctx: Context): Promise<void> => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw notAllowed(ctx, ['GET', 'HEAD'])
    const url = baseUrl ?? requestOrigin(ctx)
    const packed = await packedFor(url)
    ctx.status = 200
    ctx.type = 'application/gzip'
    ctx.etag = packed.etag
    // npm asks each time, and an unchanged package is not sent again.
    ctx.set('Cache-Control', 'no-cache')
    ctx.set('X-Content-Type-Options', 'nosniff')
    if (isKnown(ctx, packed)) ctx.status = 304
    else ctx.body = packed.bytes
  }
  return { path: PATH, route: PATH, handle }
}

function isKnown({ headers }: Context, { etag, bytes }: Packed): boolean {
  const asked = { 'if-none-match': headers['if-none-match'] }
  const about = { etag: `"${etag}"`, modifiedMs: 0, size: bytes.length }
  return evaluateConditions('GET', asked, about).status === 304
}

/** Where the client reached this server. A malformed Host is refused. */
export function requestOrigin(ctx: Context): string {
  const url = `${ctx.protocol}://${ctx.host}`
  if (ctx.host === '' || !URL.canParse(url)) throw new AppError('malformed_request')
  return new URL(url).origin
}

async function pack(folder: string, url: string): Promise<Packed> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new AppError('not_found', { cause: error })
  })
  const files = await Promise.all(
    names
      .toSorted()
      .map(async (name) => ({ name, bytes: await readFile(path.join(folder, name)) })),
  )
  const manifest = present(
    files.find(({ name }) => name === MANIFEST),
    'The manifest of the package',
  )
  const about = JSON.parse(manifest.bytes.toString()) as { stevedore: { build: string } }
  const own = { ...about, stevedore: { ...about.stevedore, url } }
  manifest.bytes = Buffer.from(JSON.stringify(own, null, 2) + '\n')
  const address = createHash('sha256').update(url).digest('hex').slice(0, 8)
  return {
    bytes: await promisify(gzip)(tarOf(files), { level: 9 }),
    // The command compares the first part with its own, and tells a person about a newer one.
    etag: `${about.stevedore.build}-${address}`,
  }
}

const BLOCK = 512

/** The files below `package/`, as npm expects them. Without times and owners: the same each time. */
function tarOf(files: readonly { name: string; bytes: Buffer }[]): Buffer {
  const blocks = files.flatMap(({ name, bytes }) => [
    headerOf(`package/${name}`, bytes.length, name === EXECUTABLE ? 0o755 : 0o644),
    bytes,
    Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK),
  ])
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** npm takes a modification time of 0 for a mistake in some versions: 1985, as npm itself packs. */
const MODIFIED = Date.UTC(1985, 9, 26, 8, 15) / 1000

/** A header of the format `ustar` (POSIX.1-1988). Names are short and have no other characters. */
function headerOf(name: string, size: number, mode: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  header.write(name, 0, 'latin1')
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(MODIFIED, 136, 12)
  header.write(' '.repeat(8), 148, 'latin1')
  header.write('0', 156, 'latin1')
  header.write('ustar\0', 257, 'latin1')
  header.write('00', 263, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}
