// Figures about the text of the product: sizes, long functions, and who imports whom.
import path from 'node:path'
import ts from 'typescript'

const MAX_FUNCTION_LINES = 60
const SMALL_LINES = 40

export interface Source {
  file: string
  text: string
  lines: number
}

interface Parsed {
  assertions: number
  long: { name: string; lines: number }[]
}

function parse({ file, text }: Source): Parsed {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Parsed = { assertions: 0, long: [] }
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node) => {
    if (ts.isNonNullExpression(node)) found.assertions++
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const lines = lineOf(node.end) - lineOf(node.getStart()) + 1
      const name =
        node.name?.getText() ?? (node.parent as { name?: ts.Node }).name?.getText() ?? '…'
      if (lines > MAX_FUNCTION_LINES) found.long.push({ name: `${file} ${name}`, lines })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g

/** The files that each file imports, without those that are not listed. */
export function importsOf(files: readonly Omit<Source, 'lines'>[]): Map<string, Set<string>> {
  const names = new Set(files.map(({ file }) => file))
  return new Map(
    files.map(({ file, text }) => {
      const targets = [...text.matchAll(IMPORT)].map(([, to]) =>
        path.posix.join(path.posix.dirname(file), to!),
      )
      return [file, new Set(targets.filter((to) => names.has(to)))]
    }),
  )
}

/** How many files one other file alone imports. */
export function importedOnce(imports: ReadonlyMap<string, ReadonlySet<string>>): number {
  const importers = new Map<string, number>()
  for (const targets of imports.values())
    for (const to of targets) importers.set(to, (importers.get(to) ?? 0) + 1)
  return [...importers.values()].filter((count) => count === 1).length
}

/** The imports of `server/startup/` and `server/compose.ts` that lead into features. */
function intoFeatures(files: readonly Source[]): number {
  const composing = files.filter(({ file }) => /^server\/(?:startup\/|compose\.ts$)/.test(file))
  const pattern = /(?:from|import\()\s*'[^']*\bfeatures(?:\/|\.ts)[^']*'/g
  return composing.flatMap(({ text }) => text.match(pattern) ?? []).length
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

/** Lines of the output: what is counted, and the figure. */
export function figuresOf(files: readonly Source[]): [what: string, figure: string][] {
  const sources = files.map((source) => ({ ...source, ...parse(source) }))
  const sizes = sources.map(({ lines }) => lines)
  const server = sources.filter(({ file }) => file.startsWith('server/'))
  const assertions = sum(server.map((source) => source.assertions))
  const inThousand = (1000 * assertions) / sum(server.map(({ lines }) => lines))
  const long = sources.flatMap((source) => source.long).sort((a, b) => b.lines - a.lines)
  const small = sizes.filter((lines) => lines <= SMALL_LINES).length
  return [
    ['product files', String(sources.length)],
    ['product lines', String(sum(sizes))],
    [
      'lines of a file',
      `${percentile(sizes, 0.5)} median, ${percentile(sizes, 0.9)} 90th percentile`,
    ],
    [`files ≤ ${SMALL_LINES} lines`, String(small)],
    ['files with one importer', String(importedOnce(importsOf(files)))],
    ['`!` in 1,000 lines', `${inThousand.toFixed(1)} (server)`],
    [
      `functions > ${MAX_FUNCTION_LINES} lines`,
      [long.length, ...long.map(({ name, lines }) => `${lines} ${name}`)].join('; '),
    ],
    ['loose files in server/', String(server.filter(({ file }) => !/\/.*\//.test(file)).length)],
    ['imports into features', `${intoFeatures(files)} (server/startup/, server/compose.ts)`],
  ]
}
