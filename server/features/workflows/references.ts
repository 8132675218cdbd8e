// Ids in the options of a workflow, a schedule, an action or a setting, in filters and in saved
// queries: each must belong to the shop when it is saved.
// Another shop's id gets the same answer as one that does not exist.
import { z } from 'zod'
import {
  type Plugin,
  say,
  type Step,
  type Text,
  ownValue,
} from '../../../plugins/contract/index.ts'
import { asDetail, type WorkflowProblem } from './problems.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { parsePublicId } from '../../core/ids.ts'
import { filterFields } from '../../files/filter.ts'

/** The option's `widget` says what kind of id it holds. */
export type Kind = OwnKind | 'product' | 'variant'
/** Kinds whose ids are public ones of ours, with the kind as their prefix. */
const OWN_KINDS = [
  'pack',
  'file',
  'licences',
  'connection',
  'account',
  'schedule',
  'workflow',
  'op',
  'import',
  'webhook',
  'key',
] as const
type OwnKind = (typeof OWN_KINDS)[number]

/** SQL: the rows of a kind. */
const ROWS: Readonly<Record<OwnKind, string>> = {
  pack: 'packs where shop_id = :shop',
  file: 'files where shop_id = :shop',
  licences: 'licence_lists where shop_id = :shop and deleted_at is null',
  connection: 'connections where shop_id = :shop',
  account: 'drop_accounts where shop_id = :shop',
  schedule: `triggers where shop_id = :shop and kind = 'times'`,
  workflow: 'workflows where shop_id = :shop',
  op: `operations where shop_id = :shop and kind = 'bulk'`,
  import: `operations where shop_id = :shop and kind = 'import'`,
  webhook: 'webhook_endpoints where shop_id = :shop',
  key: 'api_keys where shop_id = :shop and revoked_at is null',
}
export interface Reference {
  kind: Kind
  id: string
  param: string
}

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['pack', 'pack'],
  ['file', 'file'],
  ['licence-list', 'licences'],
  ['product', 'product'],
  ['products', 'product'],
  ['variant', 'variant'],
  ['webhook', 'webhook'],
  ['connection', 'connection'],
])

/** Ids in objects inside an option, such as the accepted candidates of a mapping. */
const INNER: Readonly<Record<string, Kind>> = {
  file_id: 'file',
  picture: 'file',
  product_id: 'product',
  variant_id: 'variant',
}

/**
 * The maximum length of a list whose ids are looked up: longer ones are refused by their schema,
 * because it would take seconds.
 */
const MAX_OF_LIST = 10_000

const MESSAGES: Readonly<Record<Kind, Text>> = {
  pack: say('There is no such pack: choose one of this shop'),
  file: say('There is no such file: choose one of this shop'),
  licences: say('There is no such list of licence keys: choose one of this shop'),
  connection: say('There is no such cloud connection: choose one of this shop'),
  account: say('There is no such account of the drop folder: choose one of this shop'),
  schedule: say('There is no such schedule: choose one of this shop'),
  workflow: say('There is no such workflow: choose one of this shop'),
  op: say('There is no such operation: choose one of this shop'),
  import: say('There is no such operation: choose one of this shop'),
  webhook: say('There is no such webhook: choose one of this shop'),
  key: say('There is no such API key: choose one of this shop'),
  product: say('The catalog of this shop has no such product'),
  variant: say('The catalog of this shop has no such variant'),
}

export const missingText = (kind: Kind): Text => MESSAGES[kind]

/**
 * Finds the ids in the options of a step.
 * @param at where the options are in the request.
 */
export const referencesIn = (
  plugin: Plugin | undefined,
  options: Readonly<Record<string, unknown>>,
  at: string,
): Reference[] => (plugin ? referencesBySchema(plugin.options, options, at) : [])

/**
 * Finds the ids in the fields of an object.
 * @param at where the object is in the request; null: it is the request
 */
export function referencesBySchema(
  schema: z.ZodType,
  fields: Readonly<Record<string, unknown>>,
  at: string | null,
): Reference[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.entries(fields).flatMap(([name, value]): Reference[] => {
    const property = ownValue(properties, name)
    const widget = typeof property === 'object' ? property.widget : undefined
    const kind = (typeof widget === 'string' ? KINDS.get(widget) : undefined) ?? null
    return found(value, kind, at === null ? name : `${at}.${name}`)
  })
}

/**
 * The conditions of a filter that name something of the shop: products, and what accepts only ids
 * of one kind.
 */
const FILTER_KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['product', 'product'],
  ...Object.entries(filterFields).flatMap(([name, schema]) => {
    const accepts = (value: string) => schema.safeParse(value).success
    const kind = accepts('x')
      ? undefined
      : OWN_KINDS.find((own) => accepts(`${own}_${'0'.repeat(32)}`))
    return kind === undefined ? [] : [[name, kind] as const]
  }),
])

/** Finds the ids in a filter. */
export const referencesInFilter = (
  filter: Readonly<Record<string, unknown>>,
  at: string,
): Reference[] =>
  Object.entries(filter).flatMap(([name, value]) =>
    name === 'any' && Array.isArray(value)
      ? value.flatMap((part, index) => referencesInFilter(Object(part), `${at}.any[${index}]`))
      : found(value, FILTER_KINDS.get(name) ?? null, `${at}.${name}`),
  )

// With names in place of ids, an id cannot be known by its form: what a place refers to is known by its
// schema alone. Both directions go through these functions, so that each name has its way back.

/** Takes a reference and returns what is written in its place. */
export type VisitReference = (reference: Reference) => string

/** Options whose value is a condition on files, or has some inside. */
const CONDITION_WIDGETS = ['condition', 'rules']

/** Options whose fields have ids as their names. */
const BY_ID: Readonly<Record<string, Kind>> = { by_pack: 'pack' }

/** The options with their references replaced. */
export function mapOptions(
  schema: z.ZodType,
  options: Readonly<Record<string, unknown>>,
  at: string,
  visit: VisitReference,
): Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => {
      const property = ownValue(properties, name)
      const widget = typeof property === 'object' ? String(property.widget) : ''
      const kind = KINDS.get(widget) ?? ownValue(INNER, name) ?? null
      const inner = CONDITION_WIDGETS.includes(widget) ? FILTER_KINDS : NO_KINDS
      const param = `${at}.${name}`
      const byId = ownValue(BY_ID, name)
      if (!byId || typeof value !== 'object' || value === null || Array.isArray(value))
        return [name, mapValue(value, kind, param, { visit, inner })]
      const keyed = Object.entries(value).map(([id, one]) => [
        visit({ kind: byId, id, param: `${param}.${id}` }),
        mapValue(one, null, `${param}.${id}`, { visit, inner }),
      ])
      return [name, Object.fromEntries(keyed)]
    }),
  )
}

/** The filter with its references replaced. */
export const mapFilter = (
  filter: Readonly<Record<string, unknown>>,
  at: string,
  visit: VisitReference,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      name === 'any' && Array.isArray(value)
        ? value.map((part: unknown, index) =>
            typeof part === 'object' && part !== null
              ? mapFilter(part as Record<string, unknown>, `${at}.any[${index}]`, visit)
              : part,
          )
        : mapValue(value, FILTER_KINDS.get(name) ?? null, `${at}.${name}`, {
            visit,
            inner: NO_KINDS,
          }),
    ]),
  )

const NO_KINDS: ReadonlyMap<string, Kind> = new Map()

interface Mapping {
  visit: VisitReference
  /** What the fields of objects inside refer to, by name. */
  inner: ReadonlyMap<string, Kind>
}

function mapValue(value: unknown, kind: Kind | null, param: string, mapping: Mapping): unknown {
  const { visit, inner } = mapping
  if (typeof value === 'string') return kind === null ? value : visit({ kind, id: value, param })
  if (Array.isArray(value))
    return value.map((one, at) =>
      at < MAX_OF_LIST ? mapValue(one, kind, `${param}[${at}]`, mapping) : one,
    )
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      mapValue(one, ownValue(INNER, name) ?? inner.get(name) ?? null, `${param}.${name}`, mapping),
    ]),
  )
}

/** Finds the ids in the query of a list: values that are public ids. */
export const referencesInQuery = (
  query: Readonly<Record<string, unknown>>,
  at: string,
): Reference[] =>
  Object.entries(query).flatMap(([name, value]) => {
    const kind = OWN_KINDS.find((own) => parsePublicId(own, String(value)) !== null)
    return kind === undefined ? [] : [{ kind, id: String(value), param: `${at}.${name}` }]
  })

export const referencesOfSteps = (
  steps: readonly Step[],
  plugins: readonly Plugin[],
): Reference[] =>
  steps.flatMap(({ plugin, options, when, branch }, at) => [
    ...referencesIn(
      plugins.find(({ id }) => id === plugin),
      options ?? {},
      `steps[${at}].options`,
    ),
    ...referencesInFilter({ ...when }, `steps[${at}].when`),
    ...referencesInFilter({ ...branch?.when }, `steps[${at}].branch.when`),
  ])

function found(value: unknown, kind: Kind | null, param: string): Reference[] {
  if (typeof value === 'string') return kind === null ? [] : [{ kind, id: value, param }]
  if (Array.isArray(value))
    return value.slice(0, MAX_OF_LIST).flatMap((one, at) => found(one, kind, `${param}[${at}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .slice(0, MAX_OF_LIST)
    .flatMap(([name, one]) => [
      ...keyReference(name, `${param}.${name}`),
      ...found(one, ownValue(INNER, name) ?? kindInCondition(name, one), `${param}.${name}`),
    ])
}

/** A condition in an option, such as a rule of tags, names what a filter names. */
function kindInCondition(name: string, value: unknown): Kind | null {
  const kind = FILTER_KINDS.get(name) ?? null
  const isOwn = OWN_KINDS.some((own) => own === kind)
  return isOwn && typeof value === 'string' && value.startsWith(`${kind}_`) ? kind : null
}

/** The name of a property may be an id, as in options by file or by pack. */
function keyReference(name: string, param: string): Reference[] {
  const kind = OWN_KINDS.find((one) => new RegExp(`^${one}_[0-9a-f]{32}$`).test(name))
  return kind === undefined ? [] : [{ kind, id: name, param }]
}

const bareId = (kind: Kind, id: string): string | null => {
  const own = OWN_KINDS.find((one) => one === kind)
  return own ? parsePublicId(own, id) : id
}

/** Finds a problem for each id that does not belong to the shop. */
export async function referenceProblems(
  scope: ShopScope,
  references: readonly Reference[],
): Promise<WorkflowProblem[]> {
  if (references.length === 0) return []
  const known = await knownOf(scope, references)
  return references
    .filter(({ kind, id }) => !known.has(`${kind} ${bareId(kind, id)}`))
    .map(({ kind, param }) => ({ param, code: 'not_found', message: MESSAGES[kind] }))
}

/** Throws `validation_failed` with each id that does not belong to the shop. */
export async function requireReferences(
  scope: ShopScope,
  references: readonly Reference[],
): Promise<void> {
  const details = (await referenceProblems(scope, references)).map(asDetail)
  if (details[0]) throw new AppError('validation_failed', { details, param: details[0].param })
}

/**
 * Finds the ids that belong to the shop. Products that were deleted from the catalog may still be
 * mapped, and a schedule may unmap them.
 */
async function knownOf(
  scope: ShopScope,
  references: readonly Reference[],
): Promise<ReadonlySet<string>> {
  const of = (kind: Kind) => references.filter((one) => one.kind === kind).map(({ id }) => id)
  const bare = (kind: Kind) => of(kind).flatMap((id) => bareId(kind, id) ?? [])
  const rows = await scope.query<{ key: string }>(
    `${OWN_KINDS.map((kind) => `select '${kind} ' || id as key from ${ROWS[kind]} and id = any(:${kind}::uuid[])`).join(' union all ')}
     union all select 'product ' || id from products where shop_id = :shop
       and id = any(:products::text[])
     union all select 'product ' || product_id from mappings
       where shop_id = :shop and product_id = any(:products::text[])
     union all select 'variant ' || id from variants where shop_id = :shop
       and id = any(:variants::text[])
     union all select 'variant ' || variant_id from mappings
       where shop_id = :shop and variant_id = any(:variants::text[])`,
    {
      ...Object.fromEntries(OWN_KINDS.map((kind) => [kind, bare(kind)])),
      products: of('product').filter(isText),
      variants: of('variant').filter(isText),
    },
  )
  return new Set(rows.map(({ key }) => key))
}

/** Can the text be stored? PostgreSQL stores neither NUL nor half a surrogate pair. */
const isText = (text: string) => text.isWellFormed() && !text.includes('\0')
