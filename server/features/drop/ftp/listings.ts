// The entries that LIST, NLST and STAT name: those of a folder, a file, or those that match a pattern
// like `*.pdf`.
import { RE2JS } from 're2js'
import { DropError } from '../errors.ts'
import type { Node } from '../vfs.ts'
import { pathOf } from './folder-verbs.ts'
import { sessionOf, type State } from './state.ts'

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** The line of an entry in the format of `ls -l`, for clients without MLSD. */
export function listLine({ name, kind, size, modified }: Node): string {
  const letters = kind === 'folder' ? 'drwxr-xr-x' : '-rw-r--r--'
  const day = `${MONTHS[modified.getUTCMonth()]} ${String(modified.getUTCDate()).padStart(2)}`
  const recent = Math.abs(Date.now() - modified.getTime()) < 180 * 86_400_000
  const when = recent
    ? modified.toISOString().slice(11, 16)
    : String(modified.getUTCFullYear()).padStart(5)
  return `${letters} 1 drop drop ${String(size).padStart(12)} ${day} ${when} ${name}`
}

/** Removes options of `ls` such as `-a`, which clients send. */
export const withoutOptions = (argument: string) => argument.replace(/^(-\S+\s*)+/, '')

type LineOf = (node: Node, folder: string) => string

/** The lines of entries, a page at a time. `folder`: as the client wrote it before a pattern. */
export async function* linesOf(
  pages: AsyncIterable<readonly Node[]>,
  lineOf: LineOf,
  folder = '',
): AsyncGenerator<readonly string[]> {
  for await (const page of pages) yield page.map((one) => lineOf(one, folder))
}

/**
 * The lines of the entries at a path, a page at a time.
 * @param argument the path; '': the current folder. In the name at its end, `*` and `?` match other
 *   characters, if no entry has just this name.
 * @param lineOf gets the folder before a pattern too, as the client wrote it: `scans/`
 * @throws `not_found`, `bad_name`
 */
export async function entriesAt(
  state: State,
  argument: string,
  lineOf: LineOf,
): Promise<AsyncIterable<readonly string[]>> {
  const { fs } = sessionOf(state)
  const path = argument === '' ? state.folder : pathOf(state, argument)
  const folder = argument.slice(0, argument.lastIndexOf('/') + 1)
  const pattern = argument.slice(folder.length)
  const node = await fs.stat(path).catch((error: unknown) => {
    const isPattern = /[*?]/.test(pattern)
    if (isPattern && error instanceof DropError && error.code === 'not_found') return null
    throw error
  })
  if (node === null) {
    const parent = pathOf(state, folder === '' ? '.' : folder)
    await fs.stat(parent)
    return linesOf(matching(fs.list(parent), pattern), lineOf, folder)
  }
  return linesOf(node.kind === 'file' ? onlyPage(node) : fs.list(path), lineOf)
}

async function* onlyPage(node: Node): AsyncGenerator<Node[]> {
  yield [node]
}

async function* matching(
  pages: AsyncIterable<readonly Node[]>,
  pattern: string,
): AsyncGenerator<Node[]> {
  // The time of any pattern is linear in the name.
  const expression = RE2JS.compile(
    RE2JS.quote(pattern).replaceAll('\\*', '.*').replaceAll('\\?', '.'),
    RE2JS.DOTALL,
  )
  for await (const page of pages) yield page.filter(({ name }) => expression.matches(name))
}
