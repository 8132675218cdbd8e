// Adds counters to a module, so that a run tells which of its functions and branches were entered,
// in which order, and what kind of value each function gave back (record.ts writes it).
import ts from 'typescript'

/** A part of a function that runs whole or not at all, unless something in it throws. */
export interface Block {
  id: number
  /** The node whose own code it counts: a function, a branch, or a statement behind a jump. */
  node: ts.Node
}

export interface MeasuredFunction {
  file: string
  name: string
  node: FunctionNode
  /** Its first block has the same id. */
  id: number
  /** Without those of functions within it, by their node. */
  blocks: Map<ts.Node, Block>
}

export interface MeasuredModule {
  file: string
  source: ts.SourceFile
  functions: MeasuredFunction[]
  /** The text with counters. */
  code: string
}

export type FunctionNode = ts.FunctionLikeDeclaration & { body: ts.Block | ts.Expression }

/** Ids are shared by all modules of a run. */
export class Ids {
  #next = 0
  take(): number {
    return this.#next++
  }
}

export const isFunctionNode = (node: ts.Node): node is FunctionNode =>
  ts.isFunctionLike(node) && 'body' in node && node.body !== undefined

const jumps = (node: ts.Node): boolean =>
  ts.isReturnStatement(node) ||
  ts.isThrowStatement(node) ||
  ts.isBreakOrContinueStatement(node) ||
  (!isFunctionNode(node) && (ts.forEachChild(node, (child) => jumps(child) || undefined) ?? false))

/** What may or may not run within a statement or an expression. */
export function branchesOf(node: ts.Node): ts.Node[] {
  if (ts.isIfStatement(node))
    return node.elseStatement ? [node.thenStatement, node.elseStatement] : [node.thenStatement]
  if (ts.isIterationStatement(node, false)) return [node.statement]
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse]
  if (ts.isBinaryExpression(node) && SHORT.has(node.operatorToken.kind)) return [node.right]
  if (ts.isCatchClause(node)) return [node.block]
  if (ts.isCaseOrDefaultClause(node)) return node.statements.slice(0, 1)
  return []
}
const SHORT = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
])

/** The statements that only run if one before them did not leave the list. */
function behindJumps(node: ts.Node): ts.Node[] {
  if (!ts.isBlock(node) && !ts.isCaseOrDefaultClause(node)) return []
  const { statements } = node
  return statements.slice(1).filter((_, at) => jumps(statements[at]!))
}

/** A parameter as it was given, or what `next()` gives. */
function givesNothingNew(expression: ts.Expression, { parameters }: FunctionNode): boolean {
  const text = expression.getText().replace(/^await /, '')
  return text === 'next()' || parameters.some(({ name }) => name.getText() === text)
}

export function nameOf(node: FunctionNode): string {
  const own = node.name?.getText()
  const { parent } = node
  if (own !== undefined) return own
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent))
    return parent.name.getText()
  return ts.isPropertyDeclaration(parent) ? parent.name.getText() : ''
}

interface Insertion {
  at: number
  /** Ends of what is enclosed come before beginnings at the same place. */
  opens: boolean
  text: string
}

export function instrument(file: string, text: string, ids: Ids): MeasuredModule {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const functions: MeasuredFunction[] = []
  const inserted: Insertion[] = []
  const enclose = (node: ts.Node, before: string, after: string, inside: () => void) => {
    inserted.push({ at: node.getStart(), opens: true, text: before })
    inside()
    inserted.push({ at: node.end, opens: false, text: after })
  }
  const children = (node: ts.Node, of: MeasuredFunction | null) =>
    ts.forEachChild(node, (child) => visit(child, of))
  const newBlock = (node: ts.Node, of: MeasuredFunction) => {
    const id = ids.take()
    of.blocks.set(node, { id, node })
    return id
  }

  function visitFunction(node: FunctionNode): void {
    const id = ids.take()
    const of = { file, name: nameOf(node), node, id, blocks: new Map([[node, { id, node }]]) }
    functions.push(of as MeasuredFunction)
    for (const parameter of node.parameters) visit(parameter, null)
    if (ts.isBlock(node.body)) {
      inserted.push({ at: node.body.getStart() + 1, opens: true, text: `__ran(${id});` })
      children(node.body, of as MeasuredFunction)
    } else
      enclose(
        node.body,
        `(__ran(${id}),__gave(${id},(`,
        givesNothingNew(node.body, node) ? '),true))' : ')))',
        () => visit(node.body, of as MeasuredFunction),
      )
  }

  function visitBlock(node: ts.Node, of: MeasuredFunction): void {
    const id = newBlock(node, of)
    if (ts.isBlock(node)) {
      inserted.push({ at: node.getStart() + 1, opens: true, text: `__ran(${id});` })
      visitWithin(node, of)
    } else if (ts.isCaseOrDefaultClause(node.parent) || !isAlone(node)) {
      if (ts.isStatement(node)) {
        inserted.push({ at: node.getStart(), opens: true, text: `__ran(${id});` })
        visitWithin(node, of)
      } else enclose(node, `(__ran(${id}),`, ')', () => visitWithin(node, of))
    } else enclose(node, `{__ran(${id});`, '}', () => visitWithin(node, of))
  }

  function visit(node: ts.Node, of: MeasuredFunction | null): void {
    if (ts.isTypeNode(node)) return
    if (isFunctionNode(node)) return visitFunction(node)
    const { parent } = node
    if (of && (branchesOf(parent).includes(node) || behindJumps(parent).includes(node)))
      return visitBlock(node, of)
    visitWithin(node, of)
  }

  function visitWithin(node: ts.Node, of: MeasuredFunction | null): void {
    if (isFunctionNode(node)) return visitFunction(node)
    if (of && ts.isReturnStatement(node) && node.expression) {
      const { expression } = node
      const end = givesNothingNew(expression, of.node) ? '),true)' : '))'
      return enclose(expression, `__gave(${of.id},(`, end, () => visit(expression, of))
    }
    children(node, of)
  }

  children(source, null)
  return { file, source, functions, code: withInsertions(text, inserted) }
}

/** A statement without braces: a counter before it would take its place. */
const isAlone = (node: ts.Node): boolean =>
  ts.isStatement(node) && !ts.isBlock(node.parent) && !ts.isSourceFile(node.parent)

function withInsertions(text: string, inserted: readonly Insertion[]): string {
  const sorted = inserted.toSorted((a, b) => a.at - b.at || Number(a.opens) - Number(b.opens))
  let [code, from] = ['', 0]
  for (const { at, text: added } of sorted) {
    code += text.slice(from, at) + added
    from = at
  }
  return code + text.slice(from)
}
