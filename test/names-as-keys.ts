// Look-ups of plain objects by a name that is only known at run time, found by the types: a name
// from outside may be `constructor` or `__proto__`, which every plain object inherits. The linter's
// interface for own rules has no types, so the compiler is asked.
import path from 'node:path'
import {
  isBinaryExpression,
  isElementAccessExpression,
  type ElementAccessExpression,
  type Expression,
  type Node,
  SyntaxKind,
} from 'typescript-native/unstable/ast'
import { API, TypeFlags, type Project, type Type } from 'typescript-native/unstable/sync'

const ROOT = path.join(import.meta.dirname, '..')
/** The configurations of the server and of the page. */
const CONFIGS = ['tsconfig.json', 'web/tsconfig.json']
const PRODUCT = /^(?:app\.config\.ts$|(?:server|plugins|workflows|migrations|web)\/)/
const TEST = /\.(?:test|soak)\.tsx?$/
/** Where `ownValue` is written. */
const HELPER = 'plugins/_page/own-value.ts'

export interface NameAsKey {
  /** Its path from the root, with the line. */
  place: string
  file: string
  text: string
  node: Node
}

/** The element accesses and `in` tests of the product whose key may be any string. */
export function namesAsKeys(): NameAsKey[] {
  const api = new API({ cwd: ROOT })
  try {
    const found = CONFIGS.flatMap((config) => {
      const file = path.join(ROOT, config)
      const project = api.updateSnapshot({ openProject: file }).getProject(file)
      if (!project) throw new Error(`${config} could not be read`)
      return foundIn(project)
    })
    // Files that both configurations contain are found twice.
    return [...new Map(found.map((one) => [`${one.file} ${one.node.pos}`, one])).values()]
  } finally {
    api.close()
  }
}

/** An object and the expression of the name that is looked up in it. */
interface LookUp {
  node: Node
  key: Expression
}

function foundIn({ rootFiles, program, checker }: Project): NameAsKey[] {
  return rootFiles.flatMap((name) => {
    const file = path.relative(ROOT, name)
    if (!PRODUCT.test(file) || TEST.test(file) || file === HELPER) return []
    const source = program.getSourceFile(name)
    if (!source) throw new Error(`${name} could not be read`)
    const lookUps = lookUpsIn(source)
    const types = checker.getTypeAtLocation(lookUps.map(({ key }) => key))
    return lookUps.flatMap(({ node }, at) => {
      if (!mayBeAnyString(types[at])) return []
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      return [{ place: `${file}:${line + 1}`, file, text: node.getText(source), node }]
    })
  })
}

function lookUpsIn(source: Node): LookUp[] {
  const found: LookUp[] = []
  const visit = (node: Node): undefined => {
    if (isElementAccessExpression(node)) found.push({ node, key: keyOf(node) })
    if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword)
      found.push({ node, key: node.left })
    node.forEachChild(visit)
  }
  visit(source)
  return found
}

const keyOf = ({ argumentExpression }: ElementAccessExpression): Expression => argumentExpression

function mayBeAnyString(type: Type | undefined): boolean {
  if (!type) return true
  if (type.isUnionType()) return type.getTypes().some(mayBeAnyString)
  return (type.flags & (TypeFlags.String | TypeFlags.Any | TypeFlags.Unknown)) !== 0
}
