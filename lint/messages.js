// Finds messages: of the page, the literal first arguments of t() and tRich(); of the server and
// the plugins, those of say() and sayPlain(). It uses the compiler interface of TypeScript 6, which
// TypeScript 7 does not have (neither does openapi-typescript).
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const PAGE_CALLS = ['t', 'tRich']
const SKIPPED = /\.test\.tsx?$|\bapi\.gen\.ts$|\.d\.ts$/

/** The source files below a folder, without tests, generated files and builds. */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith('dist') ? [] : sourcesIn(file)
    return /\.tsx?$/.test(entry.name) && !SKIPPED.test(entry.name) ? [file] : []
  })
}

/** Every message with the places that state it, `web/app.tsx:12`. `calls`: functions by name. */
export function messagesIn(folder, calls = PAGE_CALLS) {
  const found = new Map()
  for (const file of sourcesIn(folder)) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
    const visit = (node) => {
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
        const [message, , context] = node.arguments
        if (calls.includes(node.expression.text) && message && ts.isStringLiteralLike(message)) {
          const { line } = source.getLineAndCharacterOfPosition(message.getStart(source))
          // As `keyOf` of web/shell/messages/t.ts writes it.
          const hasContext = context && ts.isStringLiteralLike(context)
          const key = hasContext ? `${message.text} || ${context.text}` : message.text
          found.set(key, [...(found.get(key) ?? []), `${file}:${line + 1}`])
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}
