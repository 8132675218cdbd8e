// The standards that a document claims to follow (PDF/A for archives, PDF/X for printers, PDF/UA for
// screen readers), in its metadata. A claim that is no longer true must not stay.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Warning } from '../contract/index.ts'
import { ownValue, say } from '../contract/sandbox.ts'
import {
  idOf,
  isDictionary,
  isReference,
  readObjects,
  without,
  type Dictionary,
  type Value,
} from './objects.ts'
import type { OpenedDocument } from './opened.ts'
import { HERE } from './qpdf.ts'

export interface Claims {
  /** `PDF/A-1`, `PDF/X-4`. Empty: none. */
  standards: readonly string[]
  /** Whether one of them allows neither object streams nor transparency. */
  isOld: boolean
  /** Whether colours without a profile are defined by a profile of the document. */
  hasProfile: boolean
  /** The changed objects of the document without its claims. */
  removal: Record<string, unknown>
}

const NAMESPACES: readonly (readonly [uri: string, standard: string, names: string])[] = [
  ['http://www.aiim.org/pdfa/ns/id/', 'PDF/A', '[\\w.-]+'],
  ['http://www.aiim.org/pdfua/ns/id/', 'PDF/UA', '[\\w.-]+'],
  ['http://www.aiim.org/pdfe/ns/id/', 'PDF/E', '[\\w.-]+'],
  ['http://www.npes.org/pdfx/ns/id/', 'PDF/X', '[\\w.-]+'],
  ['http://ns.adobe.com/pdfx/1.3/', 'PDF/X', 'GTS_PDFX[\\w.-]*'],
]
const OLD = /^PDF\/(A-1|X-[13])/
const STREAM = 'metadata'

/** Reads the claims in a document's metadata and description. */
export async function readClaims(folder: string, opened: OpenedDocument): Promise<Claims> {
  const { values } = await readObjects(folder, opened, ['trailer'])
  const trailer = values.get('trailer')
  const named = ['/Root', '/Info'].map((name) =>
    isDictionary(trailer) ? ownValue(trailer, name) : null,
  )
  const found = await readObjects(folder, opened, [
    'trailer',
    ...named.filter(isReference).map(idOf),
  ])
  const [catalog, info] = named.map((one) => found.resolve(one))
  const metadata = isDictionary(catalog) ? catalog['/Metadata'] : null
  const text = isReference(metadata) ? await readStream(folder, opened, metadata) : null
  const inText = text === null ? [] : claimsIn(text.content)
  const inInfo = isDictionary(info) ? claimsOfInfo(info) : []
  const standards = [...new Set([...inText, ...inInfo])]
  return {
    standards,
    isOld: standards.some((standard) => OLD.test(standard)),
    hasProfile: isDictionary(catalog) && catalog['/OutputIntents'] !== undefined,
    removal: {
      ...(text !== null && isReference(metadata) && inText.length > 0
        ? { [`obj:${metadata}`]: streamWithout(text) }
        : {}),
      ...(isReference(named[1]) && isDictionary(info) && inInfo.length > 0
        ? { [`obj:${named[1]}`]: { value: without(info, CLAIMS_OF_INFO) } }
        : {}),
    },
  }
}

/** The warning that a result has lost its claims; none if there were none. */
export const claimWarnings = ({ standards }: Claims): Warning[] =>
  standards.length === 0
    ? []
    : [
        {
          code: 'pdf_standard_lost',
          message: say('The result no longer claims to be {standard}', {
            standard: standards.join(', '),
          }),
        },
      ]

interface ReadStream {
  dict: Dictionary
  content: string
}

/** A stream as text, decoded. Null: it is none. */
async function readStream(
  folder: string,
  opened: OpenedDocument,
  reference: string,
): Promise<ReadStream | null> {
  const args = ['--json-stream-data=file', '--decode-level=generalized', `--json-stream-prefix=${HERE}/${STREAM}`] // oxfmt-ignore
  const { values, streams } = await readObjects(folder, opened, [idOf(reference)], args)
  const dict: Value | undefined = values.get(reference)
  if (!streams.has(reference) || !isDictionary(dict)) return null
  const bytes = await readFile(path.join(folder, `${STREAM}-${parseInt(reference)}`))
  const isWide = bytes.readUInt16BE(0) === 0xfe_ff && bytes.length % 2 === 0
  return { dict, content: isWide ? bytes.swap16().toString('utf16le') : bytes.toString('utf8') }
}

/** The prefixes under which the metadata writes the entries of a standard. */
const prefixesIn = (text: string) =>
  NAMESPACES.flatMap(([uri, standard, names]) =>
    [...text.matchAll(/xmlns:([\w.-]+)\s*=\s*["']([^"']+)["']/g)]
      .filter(([, , declared]) => declared === uri)
      .map(([, prefix = '']) => ({ prefix, standard, names })),
  )

function claimsIn(text: string): string[] {
  return prefixesIn(text).flatMap(({ prefix, standard, names }) => {
    const entries = new RegExp(`[<\\s]${prefix}:(${names})\\s*(?:=\\s*["']|>)([^"'<]*)`, 'g')
    return [...text.matchAll(entries)].flatMap(([, name = '', value = '']) => {
      if (/^GTS_PDFXVersion$/.test(name)) return value.trim()
      return name === 'part' ? `${standard}-${value.trim()}` : []
    })
  })
}

function streamWithout({ dict, content }: ReadStream) {
  const text = prefixesIn(content).reduce((rest, { prefix, names }) => {
    const name = `${prefix}:${names}`
    return rest
      .replace(new RegExp(`<(${name})(?:\\s[^>]*)?>[^]*?</\\1\\s*>`, 'g'), '')
      .replace(new RegExp(`<${name}(?:\\s[^>]*)?/>`, 'g'), '')
      .replace(new RegExp(`\\s${name}\\s*=\\s*("[^"]*"|'[^']*')`, 'g'), '')
  }, content)
  const plain = without(dict, ['/Filter', '/DecodeParms', '/Length'])
  return { stream: { dict: plain, data: Buffer.from(text).toString('base64') } }
}

/** The entries of a document's description that are claims. */
export const CLAIMS_OF_INFO = ['/GTS_PDFXVersion', '/GTS_PDFXConformance']

function claimsOfInfo(info: Dictionary): string[] {
  const version = info['/GTS_PDFXVersion']
  return typeof version === 'string' ? [version.replace(/^u:/, '')] : []
}
