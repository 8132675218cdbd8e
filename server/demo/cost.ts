// The cost of a query by the platform's published rules: a scalar 0, an object 1, a connection 2
// and its rows. Before the query runs it is computed from the requested fields, afterwards from the
// answer.
import { ownValue } from '../../plugins/contract/index.ts'
import {
  getNamedType,
  isCompositeType,
  isObjectType,
  isInterfaceType,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql'
import { present } from '../core/lazy.ts'

export const MAX_POINTS = 1000
const MUTATION_POINTS = 10

interface CostContext {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: Readonly<Record<string, unknown>>
}

/** The highest possible cost of the query's answer. */
export function requestedCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: CostContext['variables'],
): number {
  return ofDocument({ schema, fragments: fragmentsOf(document), variables }, document, ASKED)
}

/** The cost of the actual answer. */
export function actualCost(schema: GraphQLSchema, document: DocumentNode, data: unknown): number {
  return ofDocument({ schema, fragments: fragmentsOf(document), variables: {} }, document, data)
}

/** Placeholder for an answer that does not exist yet. */
const ASKED = Symbol('asked')

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((one) => one.kind === 'FragmentDefinition')
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

function ofDocument(counted: CostContext, document: DocumentNode, data: unknown): number {
  const operation = present(
    document.definitions.find((one) => one.kind === 'OperationDefinition'),
    'The operation',
  )
  const root = present(counted.schema.getRootType(operation.operation), operation.operation)
  const points = ofSelections(counted, operation.selectionSet, root, data)
  return operation.operation === 'mutation' ? points + MUTATION_POINTS : points
}

function ofSelections(
  counted: CostContext,
  set: SelectionSetNode,
  type: GraphQLCompositeType,
  data: unknown,
): number {
  let sum = 0
  for (const selection of set.selections) {
    if (selection.kind === 'Field') {
      sum += ofField(counted, selection, type, data)
      continue
    }
    const fragment =
      selection.kind === 'FragmentSpread' ? fragmentOf(counted, selection.name.value) : selection
    const condition =
      fragment.typeCondition && counted.schema.getType(fragment.typeCondition.name.value)
    sum += ofSelections(
      counted,
      fragment.selectionSet,
      isCompositeType(condition) ? condition : type,
      data,
    )
  }
  return sum
}

/** The document is valid: it has every fragment that it uses. */
const fragmentOf = ({ fragments }: CostContext, name: string): FragmentDefinitionNode =>
  present(fragments.get(name), name)

function ofField(
  counted: CostContext,
  field: FieldNode,
  parent: GraphQLCompositeType,
  data: unknown,
): number {
  const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {}
  const { selectionSet } = field
  const definition = ownValue(fields, field.name.value)
  const type = definition && getNamedType(definition.type)
  if (!isCompositeType(type) || !selectionSet) return 0
  const value =
    data === ASKED
      ? ASKED
      : ownValue(data as Record<string, unknown>, (field.alias ?? field.name).value)
  if (value === null || value === undefined) return 0
  if (type.name.endsWith('Connection'))
    return ofConnection(counted, field, selectionSet, type, value)
  const list = Array.isArray(value) ? value : [value]
  return list
    .filter((one) => one !== null)
    .reduce<number>((sum, one) => sum + 1 + ofSelections(counted, selectionSet, type, one), 0)
}

/** `nodes` and `edges` are the rows; `pageInfo` is part of the connection's own 2. */
function ofConnection(
  counted: CostContext,
  field: FieldNode,
  { selections }: SelectionSetNode,
  type: GraphQLCompositeType,
  value: unknown,
): number {
  let sum = 2
  for (const part of selections) {
    if (part.kind !== 'Field' || part.name.value === 'pageInfo') continue
    // An edge costs nothing, its node does.
    const free = part.name.value === 'edges' ? 1 : 0
    const rows =
      value === ASKED
        ? []
        : (ownValue(value as Record<string, unknown[]>, (part.alias ?? part.name).value) ?? [])
    const each = ofField(counted, part, type, ASKED) - free
    if (value === ASKED) sum += Math.max(each, 0) * rowsAsked(counted, field)
    else sum += ofField(counted, part, type, value) - free * rows.length
  }
  return sum
}

function rowsAsked(counted: CostContext, field: FieldNode): number {
  for (const { name, value } of field.arguments ?? []) {
    if (name.value !== 'first' && name.value !== 'last') continue
    if (value.kind === 'IntValue') return Number(value.value)
    if (
      value.kind === 'Variable' &&
      typeof ownValue(counted.variables, value.name.value) === 'number'
    )
      return ownValue(counted.variables, value.name.value) as number
  }
  return 0
}
