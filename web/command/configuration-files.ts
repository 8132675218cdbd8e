// A folder with the configuration of a shop as files, and what the command keeps about it: the state
// of each document when it was written or applied, by shop.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { UsageError } from './exit.ts'

const STATE = '.stevedore.json'
const EXTENSIONS = ['.yaml', '.yml', '.json']

export interface ConfigurationFile {
  /** Its path in the folder, with slashes. */
  file: string
  text: string
}

/** Reads the documents of a folder, by name. Throws `UsageError`. */
export async function readFiles(folder: string): Promise<ConfigurationFile[]> {
  const found: ConfigurationFile[] = []
  const visit = async (below: string): Promise<void> => {
    const entries = await readdir(path.join(folder, below), { withFileTypes: true }).catch(
      (error: unknown) => {
        if (below !== '') throw error
        throw new UsageError(`There is no folder ${folder}`)
      },
    )
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.')) continue
      const file = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) await visit(file)
      else if (EXTENSIONS.includes(path.extname(entry.name).toLowerCase()))
        found.push({ file, text: await readFile(path.join(folder, file), 'utf8') })
    }
  }
  await visit('')
  return found
}

/** Is it a path that stays in the folder? The installation names it. */
export const isPlainPath = (file: string): boolean =>
  /^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9-]*)?\.yaml$/.test(file)

export async function writeTo(folder: string, { file, text }: ConfigurationFile): Promise<void> {
  const place = path.join(folder, ...file.split('/'))
  await mkdir(path.dirname(place), { recursive: true })
  await writeFile(place, text)
}

/** A document when the folder and the shop were equal. */
export interface KnownDocument {
  /** Of the shop's document. */
  tag: string
  /** Of the file's text. */
  hash: string
}
export type KnownDocuments = Readonly<Record<string, KnownDocument>>
/** By shop: the address of its installation and its domain. */
type State = Record<string, KnownDocuments>

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export async function readState(folder: string): Promise<State> {
  const text = await readFile(path.join(folder, STATE), 'utf8').catch(() => '{}')
  try {
    const state: unknown = JSON.parse(text)
    return typeof state === 'object' && state !== null ? (state as State) : {}
  } catch {
    throw new UsageError(`${path.join(folder, STATE)} is not valid: delete it, and pull again`)
  }
}

export const knownIn = (state: State, shop: string): KnownDocuments =>
  Object.hasOwn(state, shop) ? (state[shop] ?? {}) : {}

export const writeState = (folder: string, state: State): Promise<void> =>
  writeFile(path.join(folder, STATE), `${JSON.stringify(state, null, 2)}\n`)
