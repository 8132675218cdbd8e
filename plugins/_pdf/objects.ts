// A document's objects as qpdf writes them in its JSON, version 2: dictionaries with `/Names`,
// references as `12 0 R`.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { OpenedDocument } from './opened.ts'
import { HERE, runQpdf } from './qpdf.ts'

export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [name: string]: Value }
export type Dictionary = { readonly [name: string]: Value }

export interface Objects {
  /** The values by references like `12 0 R`; for a stream, its dictionary. */
  readonly values: ReadonlyMap<string, Value>
  readonly streams: ReadonlySet<string>
  /** Follows references until there is a value. */
  resolve(value: Value | undefined): Value
  /** These values and `more`. */
  with(more: Objects): Objects
}

/** The JSON that qpdf writes. */
interface QpdfJson {
  qpdf: [unknown, Record<string, { stream?: { dict: Dictionary }; value?: Value }>]
}

const JSON_FILE = 'objects.json'
const MAX_DEPTH = 50

/**
 * Reads the document's objects.
 * @param ids the objects as qpdf names them (`12,0`); absent: all
 * @param args further arguments of qpdf
 */
export async function readObjects(
  folder: string,
  { file }: Pick<OpenedDocument, 'file'>,
  ids: readonly string[] = [],
  args: readonly string[] = ['--json-stream-data=none'],
): Promise<Objects> {
  await runQpdf(folder, [
    `${HERE}/${file}`,
    '--json=2',
    '--json-key=qpdf',
    '--decode-level=none',
    ...args,
    ...ids.map((id) => `--json-object=${id}`),
    `${HERE}/${JSON_FILE}`,
  ])
  const { qpdf } = JSON.parse(await readFile(path.join(folder, JSON_FILE), 'utf8')) as QpdfJson
  return parse(qpdf[1])
}

function parse(written: QpdfJson['qpdf'][1]): Objects {
  const streams = new Set<string>()
  const values = new Map<string, Value>()
  for (const [name, { stream, value }] of Object.entries(written)) {
    const reference = name.replace(/^obj:/, '')
    if (stream) streams.add(reference)
    values.set(reference, stream ? stream.dict : (value ?? null))
  }
  return objectsOf(values, streams)
}

function objectsOf(values: ReadonlyMap<string, Value>, streams: ReadonlySet<string>): Objects {
  const resolve = (value: Value | undefined, deep = 0): Value =>
    isReference(value) && deep < MAX_DEPTH ? resolve(values.get(value), deep + 1) : (value ?? null)
  return {
    values,
    streams,
    resolve: (value) => resolve(value),
    with: (more) =>
      objectsOf(new Map([...values, ...more.values]), new Set([...streams, ...more.streams])),
  }
}

/** The reference of the object with this number. */
export const referenceTo = (number: number): string => `${number} 0 R`

/** The dictionary without these entries. */
export const without = (own: Dictionary, names: readonly string[]): Dictionary =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !names.includes(name)))

export const isReference = (value: Value | undefined): value is string =>
  typeof value === 'string' && /^\d+ \d+ R$/.test(value)

export const isDictionary = (value: Value | undefined): value is Dictionary =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value)

/** `12 0 R` as qpdf's arguments name it. */
export const idOf = (reference: string): string => reference.replace(/^(\d+) (\d+) R$/, '$1,$2')
