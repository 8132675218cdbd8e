// What a file did in a trip: it did something, it passed a call on, or it ran in vain. Judged by the
// code that ran and by what its functions gave back, not by who reads it.
//
// A function ran in vain if nothing came of any of its calls in the trip:
// - it had no effect: the code that ran calls nothing but functions that only read (READING, and
//   functions of the product without effects), changes only its own variables, yields and throws
//   nothing;
// - and it gave back nothing (undefined, null, false, 0, '', an empty list, map or object, its own
//   parameter, or what `next()` gave), because it left before its last statement, or that statement
//   was a branch, a loop or a callback that did not run, or it called only functions that ran in
//   vain;
// - or it gave back something with functions that it made, and none of these ran.
//
// A file ran in vain if one of its functions did, and the others only helped: they had no effect,
// and gave back nothing or functions, or are not seen outside of the file; or if it was only asked
// whether something concerns it, and said no. Limits: data that is made and that
// no caller reads counts as done, and so does a query that finds no rows. A check that finds no
// fault counts as done if it was executed to its end. Calls of functions that are passed as values
// count as effects. Functions that also run while the server is idle are not counted at all.
import path from 'node:path'
import ts from 'typescript'
import {
  branchesOf,
  isFunctionNode,
  type FunctionNode,
  type MeasuredFunction,
  type MeasuredModule,
} from './instrument.ts'

export type Verdict = 'does' | 'relay' | 'vain' | 'demo'

/** What a run told: the blocks that were entered, and the kinds of values, by the function's id. */
export interface Trip {
  entered: ReadonlySet<number>
  /** The functions that do not run while the server is idle. */
  counted: ReadonlySet<number>
  gave: ReadonlyMap<number, ReadonlySet<string>>
}

/** False, or nothing at all: `kindOf`. */
const NOTHING = ['n', 'b']

/** Methods that only read, of lists, maps, texts and dates. */
const READING = new Set(
  `at charCodeAt codePointAt concat endsWith entries every filter find findIndex findLast flat
  flatMap get getTime has hasOwn hasOwnProperty includes indexOf isSubsetOf join keys lastIndexOf
  localeCompare map match matchAll normalize padEnd padStart reduce replace replaceAll repeat search
  slice some split startsWith test exec toISOString toLowerCase toReversed toSorted toString
  toUpperCase trim trimEnd trimStart values`.split(/\s+/),
)
/** Methods that change what a function made itself. */
const CHANGING = new Set(['add', 'clear', 'delete', 'push', 'set', 'sort', 'unshift'])
const PURE_GLOBALS = new Set(
  `Array BigInt Boolean Date Error Map Math Number Object Promise RegExp Set String Symbol TypeError
  URL URLSearchParams Buffer JSON decodeURIComponent encodeURIComponent isNaN parseInt
  parseFloat path performance structuredClone`.split(/\s+/),
)

/** Callbacks of reading calls are a part of the function around them. */
function isInline(node: FunctionNode): boolean {
  const { parent } = node
  if (!ts.isCallExpression(parent) || parent.expression === node) return false
  return (
    ts.isPropertyAccessExpression(parent.expression) &&
    READING.has(parent.expression.name.text) &&
    (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
  )
}

const strip = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) ||
  ts.isAsExpression(node) ||
  ts.isSatisfiesExpression(node) ||
  ts.isNonNullExpression(node) ||
  ts.isAwaitExpression(node) ||
  ts.isVoidExpression(node)
    ? strip(node.expression)
    : node

const EMPTY = new Set([
  ts.SyntaxKind.NullKeyword,
  ts.SyntaxKind.FalseKeyword,
  ts.SyntaxKind.NumericLiteral,
])
function isEmptyLiteral(given: ts.Expression): boolean {
  const node = strip(given)
  if (EMPTY.has(node.kind)) return node.getText() !== '1'
  if (ts.isIdentifier(node)) return node.text === 'undefined'
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0
  if (ts.isObjectLiteralExpression(node)) return node.properties.length === 0
  return ts.isStringLiteral(node) && node.text === ''
}

/** A module of the trip, with what judging it needs. */
interface Known extends MeasuredModule {
  /** Its functions and classes by the name that its code calls them by. */
  callees: Map<string, MeasuredFunction[]>
  /** The functions that other files can call. */
  seen: Set<MeasuredFunction>
}

interface Judged {
  fn: MeasuredFunction
  effect: boolean
  vain: boolean
}

export class Judge {
  readonly #modules: Map<string, Known>
  readonly #trip: Trip
  readonly #judged = new Map<number, Judged>()

  /** @param modules those whose functions may be called; `trip`: what ran of them. */
  constructor(modules: readonly MeasuredModule[], trip: Trip) {
    this.#modules = new Map(modules.map((one) => [one.file, known(one)]))
    this.#trip = trip
    linkImports(this.#modules)
    // From the pessimistic side: each round finds more that have no effect.
    for (const { functions } of this.#modules.values())
      for (const fn of functions)
        if (this.#ran(fn.id)) this.#judged.set(fn.id, { fn, effect: true, vain: false })
    while (this.#refine());
  }

  verdictOf(file: string): Verdict {
    if (/^server\/demo\/|^test\/fakes\//.test(file)) return 'demo'
    const { functions, seen } = this.#modules.get(file)!
    const ran = functions.filter(({ id, node }) => this.#trip.counted.has(id) && !isInline(node))
    if (ran.some((fn) => !this.#isQuiet(fn, seen) && !this.isVain(fn) && !this.#isRelay(fn)))
      return 'does'
    if (ran.some((fn) => this.#isRelay(fn) && !this.isVain(fn))) return 'relay'
    if (ran.some((fn) => this.isVain(fn))) return 'vain'
    // It was only asked whether something concerns it.
    const isAsked = ran.some((fn) => seen.has(fn) && this.#gaveOnly(fn, 'b'))
    const others = [...seen].filter(({ id }) => !this.#ran(id))
    return isAsked && others.length > 0 ? 'vain' : 'does'
  }

  isVain = (fn: MeasuredFunction): boolean => this.#judged.get(fn.id)?.vain ?? false

  #ran(id: number): boolean {
    return this.#trip.entered.has(id)
  }

  #refine(): boolean {
    let changed = false
    for (const one of this.#judged.values()) {
      const effect = one.effect && this.#hasEffect(one.fn)
      const vain = one.vain || (!effect && this.#cameToNothing(one.fn))
      changed ||= effect !== one.effect || vain !== one.vain
      Object.assign(one, { effect, vain })
    }
    return changed
  }

  /** Whether it only helped the others. */
  #isQuiet(fn: MeasuredFunction, seen: Set<MeasuredFunction>): boolean {
    const { effect } = this.#judged.get(fn.id)!
    return !effect && (!seen.has(fn) || this.#gaveOnly(fn, ...NOTHING, 'f'))
  }

  #gaveOnly({ id }: MeasuredFunction, ...kinds: string[]): boolean {
    const given = [...(this.#trip.gave.get(id) ?? [])]
    return given.every((kind) => kinds.includes(kind))
  }

  #cameToNothing(fn: MeasuredFunction): boolean {
    if (!this.#gaveOnly(fn, ...NOTHING, 'f')) return false
    if (this.#onlyCalledInVain(fn)) return true
    if (this.#gaveOnly(fn, ...NOTHING)) return !this.#reachedEnd(fn)
    const made = this.#madeBy(fn)
    return made.length > 0 && !made.some(({ id }) => this.#ran(id))
  }

  /** The functions that it made, without those that it calls itself. */
  #madeBy({ file, node }: MeasuredFunction): MeasuredFunction[] {
    const { functions } = this.#modules.get(file)!
    if (ts.isConstructorDeclaration(node))
      return functions.filter((one) => one.node.parent === node.parent && one.node !== node)
    const isInside = (one: ts.Node): boolean =>
      one.parent && (one.parent === node || isInside(one.parent))
    return functions.filter((one) => isInside(one.node) && !isInline(one.node))
  }

  /** The nodes of its code that ran, with those of callbacks that are a part of it. */
  #executed(fn: MeasuredFunction): ts.Node[] {
    const nodes: ts.Node[] = []
    const inline = new Map(
      this.#modules.get(fn.file)!.functions.map((one) => [one.node as ts.Node, one]),
    )
    const walk = (node: ts.Node, of: MeasuredFunction, on: boolean) => {
      if (ts.isTypeNode(node)) return
      const block = of.blocks.get(node)
      const runs = block ? this.#ran(block.id) : on
      if (isFunctionNode(node)) {
        const callback = inline.get(node)
        if (callback && isInline(node) && this.#ran(callback.id)) walk(node.body, callback, true)
        return
      }
      if (runs) nodes.push(node)
      let behind = runs
      ts.forEachChild(node, (child) => {
        walk(child, of, behind)
        // What follows a statement behind a jump shares its block.
        const own = of.blocks.get(child)
        const isList = ts.isBlock(node) || ts.isCaseOrDefaultClause(node)
        if (isList && own && ts.isStatement(child)) behind = this.#ran(own.id)
      })
    }
    walk(fn.node.body, fn, true)
    return nodes
  }

  #hasEffect(fn: MeasuredFunction): boolean {
    const isOwn = (name: string) => ownNames(fn.node).has(name)
    return this.#executed(fn).some((node) => {
      if (ts.isThrowStatement(node) || ts.isYieldExpression(node)) return true
      if (ts.isDeleteExpression(node) || ts.isTaggedTemplateExpression(node)) return true
      if (ts.isCallExpression(node) || ts.isNewExpression(node))
        return !this.#onlyReads(node, fn, isOwn)
      const changed = changedBy(node)
      return changed !== null && !isOwnPlace(changed, fn.node, isOwn)
    })
  }

  #onlyReads(
    node: ts.CallExpression | ts.NewExpression,
    fn: MeasuredFunction,
    isOwn: (name: string) => boolean,
  ): boolean {
    const callee = strip(node.expression)
    if (callee.kind === ts.SyntaxKind.SuperKeyword) return true
    if (ts.isIdentifier(callee)) {
      if (callee.text === 'next' || PURE_GLOBALS.has(callee.text)) return true
      return this.#areQuiet(callee.text, fn)
    }
    if (!ts.isPropertyAccessExpression(callee)) return false
    const [of, { text: method }] = [strip(callee.expression), callee.name]
    if (of.kind === ts.SyntaxKind.ThisKeyword) return this.#areQuiet(`this.${method}`, fn)
    if (ts.isIdentifier(of) && PURE_GLOBALS.has(of.text)) return method !== 'assign'
    if (READING.has(method)) return true
    return CHANGING.has(method) && ts.isIdentifier(of) && isOwn(of.text)
  }

  #areQuiet(name: string, fn: MeasuredFunction): boolean {
    const found = this.#calleesOf(name, fn)
    return found.length > 0 && found.every(({ id }) => !(this.#judged.get(id)?.effect ?? true))
  }

  #calleesOf(name: string, fn: MeasuredFunction): MeasuredFunction[] {
    return this.#modules.get(fn.file)!.callees.get(name) ?? []
  }

  #onlyCalledInVain(fn: MeasuredFunction): boolean {
    const called = this.#executed(fn).flatMap((node) =>
      (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
      ts.isIdentifier(strip(node.expression))
        ? this.#calleesOf((strip(node.expression) as ts.Identifier).text, fn)
        : [],
    )
    const ran = called.filter(({ id }) => this.#ran(id))
    return ran.length > 0 && ran.every((one) => this.isVain(one))
  }

  #isRelay(fn: MeasuredFunction): boolean {
    const { body } = fn.node
    const statements = ts.isBlock(body) ? [...body.statements] : [body]
    const last = statements.pop()
    const takesApart = (node: ts.Node) =>
      ts.isVariableStatement(node) && !hasCall(node.declarationList)
    if (!last || !statements.every(takesApart)) return false
    const expression =
      ts.isReturnStatement(last) || ts.isExpressionStatement(last)
        ? last.expression
        : ts.isBlock(body)
          ? undefined
          : (last as ts.Expression)
    const call = expression && strip(expression)
    if (!call || !ts.isCallExpression(call)) return false
    const callee = strip(call.expression)
    const reads = ts.isPropertyAccessExpression(callee) && READING.has(callee.name.text)
    return !reads && !hasCall(callee) && !call.arguments.some((one) => hasCall(one))
  }

  /** Whether its last statement ran, and a branch of it, if it has any that does something. */
  #reachedEnd(fn: MeasuredFunction): boolean {
    const { body } = fn.node
    if (ts.isBlock(body)) return this.#reachedEndOf(body.statements, fn)
    return this.#reachedIn(body, fn)
  }

  #reachedEndOf(statements: readonly ts.Statement[], fn: MeasuredFunction): boolean {
    const last = statements.at(-1)
    if (!last) return false
    const at = statements.findLastIndex((one) => fn.blocks.has(one))
    if (at >= 0 && !this.#ran(fn.blocks.get(statements[at]!)!.id)) return false
    return this.#reachedIn(last, fn)
  }

  #reachedIn(given: ts.Node, fn: MeasuredFunction): boolean {
    if (ts.isTryStatement(given)) return this.#reachedEndOf(given.tryBlock.statements, fn)
    if (ts.isReturnStatement(given) || ts.isExpressionStatement(given))
      return given.expression === undefined || this.#reachedIn(given.expression, fn)
    const node = ts.isExpression(given) ? strip(given) : given
    if (ts.isSwitchStatement(node)) return true
    const branches = ts.isBinaryExpression(node) ? andBranches(node) : branchesOf(node)
    if (branches.length > 0) return branches.some((one) => this.#branchRan(one, fn))
    return this.#callbacksRan(node, fn)
  }

  #branchRan(branch: ts.Node, fn: MeasuredFunction): boolean {
    const block = fn.blocks.get(branch)
    if (block && !this.#ran(block.id)) return false
    if (ts.isBlock(branch)) return this.#reachedEndOf(branch.statements, fn)
    if (!ts.isExpression(branch)) return this.#reachedIn(branch, fn)
    return !isEmptyLiteral(branch) && !isNextCall(branch) && this.#reachedIn(branch, fn)
  }

  /** If all that it does is in callbacks: whether one of them ran. */
  #callbacksRan(node: ts.Node, fn: MeasuredFunction): boolean {
    if (ts.isExpression(node) && isNextCall(node)) return false
    const callbacks = this.#modules
      .get(fn.file)!
      .functions.filter((one) => isInline(one.node) && contains(node, one.node))
    return callbacks.length === 0 || callbacks.some(({ id }) => this.#ran(id))
  }
}

const isNextCall = (given: ts.Expression): boolean => {
  const node = strip(given)
  return ts.isCallExpression(node) && node.expression.getText() === 'next'
}

const contains = (outer: ts.Node, inner: ts.Node): boolean =>
  outer.pos <= inner.pos && inner.end <= outer.end

const hasCall = (node: ts.Node): boolean =>
  ts.isCallExpression(node) ||
  ts.isNewExpression(node) ||
  ts.isConditionalExpression(node) ||
  (ts.forEachChild(node, (child) => hasCall(child) || undefined) ?? false)

/** `a && b` only does something if `b` runs; `a ?? b` always gives a value. */
const andBranches = (node: ts.BinaryExpression): ts.Node[] =>
  node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken ? [node.right] : []

const ASSIGNING = new Set([ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken])
/** What a node assigns to. */
function changedBy(node: ts.Node): ts.Expression | null {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
    return assigns ? node.left : null
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node))
    return ASSIGNING.has(node.operator) ? node.operand : null
  return null
}

/** Its own variable, or a field of the object that a constructor makes. */
function isOwnPlace(
  place: ts.Expression,
  node: FunctionNode,
  isOwn: (name: string) => boolean,
): boolean {
  if (ts.isIdentifier(place)) return isOwn(place.text)
  if (!ts.isPropertyAccessExpression(place) && !ts.isElementAccessExpression(place)) return false
  const of = strip(place.expression)
  if (of.kind === ts.SyntaxKind.ThisKeyword) return ts.isConstructorDeclaration(node)
  return ts.isIdentifier(of) && isOwn(of.text)
}

const declared = new WeakMap<FunctionNode, Set<string>>()
/** The variables that a function declares and makes; without its parameters. */
function ownNames(node: FunctionNode): Set<string> {
  const before = declared.get(node)
  if (before) return before
  const names = new Set<string>()
  const walk = (one: ts.Node): void => {
    if (ts.isVariableDeclaration(one)) {
      const value = one.initializer && strip(one.initializer)
      // Another name of what a parameter holds is not its own.
      if (!value || !(ts.isPropertyAccessExpression(value) || ts.isElementAccessExpression(value)))
        for (const name of one.name.getText().match(/\w+/g) ?? []) names.add(name)
    }
    ts.forEachChild(one, walk)
  }
  walk(node.body)
  declared.set(node, names)
  return names
}

function known(one: MeasuredModule): Known {
  const callees = new Map<string, MeasuredFunction[]>()
  const seen = new Set<MeasuredFunction>()
  for (const fn of one.functions) {
    const { node, name } = fn
    const add = (by: string) => callees.set(by, [...(callees.get(by) ?? []), fn])
    if (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node.parent)) add(name)
    if (ts.isConstructorDeclaration(node)) add(node.parent.name?.text ?? '')
    if (ts.isClassElement(node)) add(`this.${name}`)
    if (isSeen(fn, one.source)) seen.add(fn)
  }
  return { ...one, callees, seen }
}

/** Exported, a method, or a part of an object: the rest is called by its name in the file. */
function isSeen({ node, name }: MeasuredFunction, source: ts.SourceFile): boolean {
  const isNamed = ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node.parent)
  return !isNamed || exportsOf(source).has(name)
}

function exportsOf(source: ts.SourceFile): Set<string> {
  const names = new Set<string>()
  for (const statement of source.statements) {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!exported) continue
    if (ts.isFunctionDeclaration(statement)) names.add(statement.name?.text ?? '')
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) names.add(name.getText())
  }
  return names
}

/** Adds the functions that a file imports to those that it can call. */
function linkImports(modules: ReadonlyMap<string, Known>): void {
  const own = new Map([...modules].map(([file, { callees }]) => [file, new Map(callees)]))
  for (const { file, source, callees } of modules.values())
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
        continue
      const from = path.posix.join(path.posix.dirname(file), statement.moduleSpecifier.text)
      const bindings = statement.importClause?.namedBindings
      if (!bindings || !ts.isNamedImports(bindings)) continue
      for (const { name, propertyName } of bindings.elements) {
        const found = own.get(from)?.get((propertyName ?? name).text)
        if (found) callees.set(name.text, found)
      }
    }
}
