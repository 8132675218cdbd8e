// Derives which error codes each endpoint can answer: those that its handler, and the checks it declares,
// can throw, found by following calls in the source. A call through an interface leads to every object
// that is created as one. What the kernel throws for all endpoints is added in http/openapi.ts.
import path from 'node:path'
import ts from 'typescript'

const ROOT = path.join(import.meta.dirname, '..')

type Body = ts.Node

/** Codes by address: `post /api/links`. */
export function deriveErrorCodes(): Map<string, string[]> {
  const program = openProgram()
  const checker = program.getTypeChecker()
  const files = program
    .getSourceFiles()
    .filter(({ fileName }) => /\/(server|plugins|workflows)\//.test(fileName.slice(ROOT.length)))
    .filter(({ fileName }) => !/\.(test|soak)\.ts$/.test(fileName))
  const graph = new CallGraph(checker, files)
  const found = new Map<string, string[]>()
  for (const file of files)
    visit(file, (node) => {
      for (const address of addressesOf(node, checker)) {
        const codes = graph.codesFrom(definitionOf(node as ts.CallExpression))
        found.set(address, [...new Set([...(found.get(address) ?? []), ...codes])].toSorted())
      }
    })
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function openProgram(): ts.Program {
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  return ts.createProgram([path.join(ROOT, 'server/features.ts')], { ...options, noEmit: true })
}

const visit = (node: ts.Node, each: (node: ts.Node) => void): void => {
  each(node)
  ts.forEachChild(node, (child) => visit(child, each))
}

const ADDRESS = /^(GET|POST|PUT|PATCH|DELETE) \//

/** `endpoint('GET /api/…', {…})`; a template has one address for each value of its literal types. */
function addressesOf(node: ts.Node, checker: ts.TypeChecker): string[] {
  if (!ts.isCallExpression(node) || node.arguments.length !== 2) return []
  const [first, second] = node.arguments
  if (!first || !second || !ts.isObjectLiteralExpression(second)) return []
  const texts = literalsOf(first, checker).filter((text) => ADDRESS.test(text))
  return texts.map((text) => text.replace(/^\w+/, (method) => method.toLowerCase()))
}

function literalsOf(node: ts.Expression, checker: ts.TypeChecker): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (!ts.isTemplateExpression(node)) return valuesOf(checker.getTypeAtLocation(node))
  let texts = [node.head.text]
  for (const { expression, literal } of node.templateSpans) {
    const values = valuesOf(checker.getTypeAtLocation(expression))
    texts = texts.flatMap((text) => values.map((value) => text + value + literal.text))
  }
  return texts
}

const valuesOf = (type: ts.Type): string[] =>
  type.isUnion() ? type.types.flatMap(valuesOf) : type.isStringLiteral() ? [type.value] : []

/** The parts of an endpoint that run: its handler, what it asks before, its checks, and the handler of lines. */
const definitionOf = (call: ts.CallExpression): ts.Node[] =>
  (call.arguments[1] as ts.ObjectLiteralExpression).properties.filter(
    (one) =>
      /^(handler|asks|problems|lines)$/.test(one.name?.getText() ?? '') ||
      ts.isSpreadAssignment(one),
  )

type Made = ReadonlyMap<ts.Symbol, ReadonlyMap<string, ts.Node[]>>

/** The functions of the modules whose type has a name, by that name: `const guard: RunGuard = …`. */
function functionsByType(files: readonly ts.SourceFile[], checker: ts.TypeChecker) {
  const made = new Map<ts.Symbol, ts.Node[]>()
  for (const file of files)
    visit(file, (node) => {
      if (!ts.isVariableDeclaration(node) || !node.type || !isTopLevel(node)) return
      const { aliasSymbol } = checker.getTypeAtLocation(node.type)
      if (aliasSymbol) made.set(aliasSymbol, [...(made.get(aliasSymbol) ?? []), node])
    })
  return made
}

/** The properties of all objects that are created as an interface, by its symbol and their names. */
function objectsByInterface(files: readonly ts.SourceFile[], checker: ts.TypeChecker): Made {
  const made = new Map<ts.Symbol, Map<string, ts.Node[]>>()
  for (const file of files)
    visit(file, (node) => {
      if (!ts.isObjectLiteralExpression(node)) return
      const symbol = checker.getContextualType(node)?.getNonNullableType().symbol
      if (!symbol || !(symbol.flags & ts.SymbolFlags.Interface)) return
      const named = made.get(symbol) ?? new Map<string, ts.Node[]>()
      made.set(symbol, named)
      for (const property of node.properties) {
        const name = property.name?.getText()
        if (name !== undefined) named.set(name, [...(named.get(name) ?? []), property])
      }
    })
  return made
}

class CallGraph {
  readonly #checker: ts.TypeChecker
  readonly #made: Made
  readonly #functions: ReadonlyMap<ts.Symbol, readonly ts.Node[]>
  /** What a node names itself: its codes, and what it refers to. */
  readonly #own = new Map<ts.Node, { codes: string[]; next: ts.Node[] }>()

  constructor(checker: ts.TypeChecker, files: readonly ts.SourceFile[]) {
    this.#checker = checker
    this.#made = objectsByInterface(files, checker)
    this.#functions = functionsByType(files, checker)
  }

  codesFrom(starts: readonly Body[]): string[] {
    const seen = new Set<ts.Node>(starts)
    const codes = new Set<string>()
    for (const node of seen) {
      const own = this.#ownOf(node)
      for (const code of own.codes) codes.add(code)
      for (const next of own.next) seen.add(next)
    }
    return [...codes]
  }

  #ownOf(node: ts.Node) {
    const known = this.#own.get(node)
    if (known) return known
    const codes: string[] = []
    const next: ts.Node[] = []
    visit(node, (inner) => {
      if (ts.isNewExpression(inner) && inner.expression.getText() === 'AppError') {
        const [code] = inner.arguments ?? []
        const values = code ? valuesOf(this.#checker.getTypeAtLocation(code)) : []
        if (code) codes.push(...(values.length > MOST_OF_TYPE ? [] : values), ...textsIn(code))
      }
      if (ts.isIdentifier(inner)) next.push(...this.#declarationsOf(inner))
    })
    const own = { codes, next }
    this.#own.set(node, own)
    return own
  }

  /** The functions that a name stands for. */
  #declarationsOf(name: ts.Identifier): ts.Node[] {
    let symbol = this.#checker.getSymbolAtLocation(name)
    if (symbol && symbol.flags & ts.SymbolFlags.Alias)
      symbol = this.#checker.getAliasedSymbol(symbol)
    return (symbol?.declarations ?? []).flatMap((declaration) => {
      if (declaration.getSourceFile().fileName.includes('/node_modules/')) return []
      if (ts.isFunctionDeclaration(declaration) || ts.isMethodDeclaration(declaration))
        return [declaration]
      if (ts.isParameter(declaration)) return argumentsFor(declaration)
      if (ts.isVariableDeclaration(declaration) && declaration.initializer)
        return isTopLevel(declaration) ? [declaration] : []
      // A variable of a loop over such functions.
      if (ts.isVariableDeclaration(declaration)) {
        const { aliasSymbol } = this.#checker.getTypeAtLocation(declaration)
        return [...((aliasSymbol && this.#functions.get(aliasSymbol)) ?? [])]
      }
      if (ts.isMethodSignature(declaration) || ts.isPropertySignature(declaration)) {
        const owner = this.#checker.getTypeAtLocation(declaration.parent).symbol
        return this.#made.get(owner)?.get(name.text) ?? []
      }
      return ts.isPropertyAssignment(declaration) || ts.isShorthandPropertyAssignment(declaration)
        ? [declaration]
        : []
    })
  }
}

/** What is given for a parameter of a function of the same file, by its name and place. */
function argumentsFor(parameter: ts.ParameterDeclaration): ts.Node[] {
  const given: ts.Node[] = []
  const made = parameter.parent
  const named = ts.isFunctionDeclaration(made) ? made : made.parent
  const name =
    ts.isFunctionDeclaration(named) || ts.isVariableDeclaration(named) ? named.name : null
  if (!name || !ts.isIdentifier(name)) return given
  const at = made.parameters.indexOf(parameter)
  visit(parameter.getSourceFile(), (node) => {
    if (!ts.isCallExpression(node) || node.expression.getText() !== name.text) return
    const argument = node.arguments[at]
    if (argument) given.push(argument)
  })
  return given
}

/** A type with more codes, like that of a parameter which takes all of them, says nothing. */
const MOST_OF_TYPE = 30

const textsIn = (node: ts.Node): string[] => {
  const texts: string[] = []
  visit(node, (inner) => void (ts.isStringLiteral(inner) && texts.push(inner.text)))
  return texts
}

const isTopLevel = (declaration: ts.VariableDeclaration): boolean =>
  ts.isSourceFile(declaration.parent.parent.parent)
