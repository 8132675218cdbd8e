// The scripts of the viewer and the parts of pdf.js that it needs, read from where they are
// installed. Their address contains a hash, so browsers keep them.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'

const OWN = new URL('./browser/', import.meta.url)
const require = createRequire(import.meta.url)
const PDFJS = path.dirname(require.resolve('pdfjs-dist/package.json'))
const { version } = require('pdfjs-dist/package.json') as { version: string }

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
const BYTES = 'application/octet-stream'

const own = ['player.js', 'reader.js', 'reader.css'].map((name) => ({
  name,
  bytes: readFileSync(new URL(name, OWN)),
}))

/** The folder of the assets: it changes with each of them. */
export const ASSETS = `view/assets/${own
  .reduce((hash, { bytes }) => hash.update(bytes), createHash('sha256').update(version))
  .digest('hex')
  .slice(0, 16)}`

// The build for older browsers too; fonts, character maps and decoders are loaded only for
// documents that need them.
const PDFJS_FILE =
  /^pdfjs\/(legacy\/build\/pdf(?:\.worker|\.renderer)?\.min\.mjs|(?:cmaps|standard_fonts|wasm|iccs)\/[\w-]+(?:\.\w+)+)$/

export interface Asset {
  bytes: Buffer
  type: string
}

/** @param name after the folder; null: there is no such file. */
export async function readAsset(name: string): Promise<Asset | null> {
  const ours = own.find((one) => one.name === name)
  if (ours) return { bytes: ours.bytes, type: name.endsWith('.css') ? STYLE : SCRIPT }
  const file = PDFJS_FILE.exec(name)?.[1]
  if (file === undefined) return null
  const bytes = await readFile(path.join(PDFJS, file)).catch(() => null)
  return bytes && { bytes, type: typeOf(file) }
}

function typeOf(file: string): string {
  if (/\.m?js$/.test(file)) return SCRIPT
  return file.endsWith('.wasm') ? 'application/wasm' : BYTES
}
