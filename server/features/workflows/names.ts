// Names in place of ids, and ids in place of names: documents and the told differences of workflows
// have names, so that they mean the same in another shop and to people. What has no name
// keeps its id.
import { ownValue, say, type Plugin, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId, toPublicId, type IdPrefix } from '../../core/ids.ts'
import type { WorkflowBody } from './check.ts'
import type { ToldWorkflow } from './difference.ts'
import type { WorkflowProblem } from './problems.ts'
import {
  mapFilter,
  mapOptions,
  missingText,
  type Kind,
  type Reference,
  type VisitReference,
} from './references.ts'

/** SQL: the ids and names of a kind. Products and variants have SKUs. */
const NAMED: Readonly<Record<Kind, string>> = {
  pack: 'select id::text, name from packs where shop_id = :shop',
  file: 'select id::text, filename as name from files where shop_id = :shop and deleted_at is null',
  licences: 'select id::text, name from licence_lists where shop_id = :shop and deleted_at is null',
  connection: 'select id::text, name from connections where shop_id = :shop',
  account: 'select id::text, name from drop_accounts where shop_id = :shop',
  key: 'select id::text, name from api_keys where shop_id = :shop and revoked_at is null',
  schedule: `select id::text, name from triggers where shop_id = :shop and kind = 'times'`,
  workflow: 'select id::text, name from workflows where shop_id = :shop',
  webhook: 'select id::text, url as name from webhook_endpoints where shop_id = :shop',
  product:
    'select distinct product_id as id, sku as name from variants where shop_id = :shop and sku is not null',
  variant: 'select id, sku as name from variants where shop_id = :shop and sku is not null',
  // They have no names.
  op: 'select null as id, null as name where :shop < 0',
  import: 'select null as id, null as name where :shop < 0',
}
const KINDS = Object.keys(NAMED) as Kind[]

interface NamedRow {
  kind: Kind
  id: string
  name: string
}

/** Reads the rows of these names, and of the names of these ids. */
async function readRows(
  scope: ShopScope,
  asked: ReadonlyMap<Kind, { ids: string[]; names: string[] }>,
): Promise<NamedRow[]> {
  const kinds = KINDS.filter((kind) => asked.has(kind))
  if (kinds.length === 0) return []
  return scope.query<NamedRow>(
    kinds
      .map(
        (kind) => `(with named as not materialized (${NAMED[kind]})
           select '${kind}' as kind, id, name from named where name = any(:${kind}_names::text[])
             or name in (select name from named where id = any(:${kind}_ids::text[])))`,
      )
      .join(' union all '),
    Object.fromEntries(
      kinds.flatMap((kind) => [
        [`${kind}_names`, asked.get(kind)?.names ?? []],
        [`${kind}_ids`, asked.get(kind)?.ids ?? []],
      ]),
    ),
  )
}

/** The id in the database: the UUID of a public id, the platform’s id of a product; null: no id. */
function storedId(kind: Kind, text: string): string | null {
  if (kind === 'product' || kind === 'variant') return text.startsWith('gid://') ? text : null
  return parsePublicId(kind, text)
}
const publicIdOf = (kind: Kind, id: string): string =>
  kind === 'product' || kind === 'variant' ? id : toPublicId(kind as IdPrefix, id)

/** Reads what these references are called; what has no name that is its own keeps its id. */
export async function namesOfIds(
  scope: ShopScope,
  references: readonly Reference[],
): Promise<VisitReference> {
  const asked = askedOf(references)
  const rows = await readRows(scope, asked)
  const names = new Map<string, string>()
  const byName = Map.groupBy(rows, ({ kind, name }) => `${kind} ${name}`)
  for (const { kind, id, name } of rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const isOwn = (byName.get(`${kind} ${name}`) ?? []).length === 1
    const key = `${kind} ${id}`
    if (isOwn && storedId(kind, name) === null && !names.has(key)) names.set(key, name)
  }
  return ({ kind, id }) => names.get(`${kind} ${storedId(kind, id) ?? ''}`) ?? id
}

function askedOf(references: readonly Reference[]) {
  const asked = new Map<Kind, { ids: string[]; names: string[] }>()
  for (const { kind, id: text } of references) {
    const of = asked.get(kind) ?? { ids: [], names: [] }
    asked.set(kind, of)
    const id = storedId(kind, text)
    if (id !== null) of.ids.push(id)
    // PostgreSQL stores neither NUL nor half a surrogate pair.
    else if (text.isWellFormed() && !text.includes('\0')) of.names.push(text)
  }
  return asked
}

/** Reads the ids of these names, and finds a problem for each name that is not of one record. */
export async function idsOf(
  scope: ShopScope,
  references: readonly Reference[],
  known: (reference: Reference) => boolean = () => false,
): Promise<{ visit: VisitReference; problems: WorkflowProblem[] }> {
  const rows = await readRows(scope, askedOf(references))
  const byName = Map.groupBy(rows, ({ kind, name }) => `${kind} ${name}`)
  const problems = references.flatMap((reference): WorkflowProblem[] => {
    const { kind, id: text, param } = reference
    const found = byName.get(`${kind} ${text}`) ?? []
    if (storedId(kind, text) !== null || found.length === 1 || known(reference)) return []
    const problem: Text = found.length > 1 ? SEVERAL : missingText(kind)
    const message = { message: '{text}: {problem}', values: { text, problem } }
    return [{ param, code: 'not_found', message }]
  })
  const visit: VisitReference = ({ kind, id: text }) => {
    const [row] = byName.get(`${kind} ${text}`) ?? []
    return storedId(kind, text) === null && row ? publicIdOf(kind, row.id) : text
  }
  return { visit, problems }
}

const SEVERAL = say('Several have this name: write the id of one')

/** Where else a workflow’s request names something: the path of its field, and the kind. */
const FIELDS: Readonly<Record<string, Kind>> = { 'if_not.run': 'workflow' }

const SOURCE_KINDS: Readonly<Record<string, Kind>> = {
  drop_account: 'account',
  connection: 'connection',
  api_key: 'key',
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The workflow’s request with its references replaced. */
export function mapWorkflow(
  body: WorkflowBody,
  plugins: readonly Plugin[],
  visit: VisitReference,
): WorkflowBody {
  const { when, steps, ...others } = body
  const mapped: WorkflowBody = {
    ...(mapFields(others, '', visit) as typeof others),
    steps: mapSteps(steps, 'steps', plugins, visit) as WorkflowBody['steps'],
  }
  if (!when) return mapped
  const triggers = when.map((trigger, at) => mapTrigger(trigger, `when[${at}]`, visit))
  return { ...mapped, when: triggers as unknown as NonNullable<WorkflowBody['when']> }
}

/** Maps the fields of `FIELDS`. */
function mapFields(value: unknown, path: string, visit: VisitReference): unknown {
  const kind = ownValue(FIELDS, path)
  if (kind && typeof value === 'string') return visit({ kind, id: value, param: path })
  if (!isFields(value)) return value
  const within = (name: string) => (path === '' ? name : `${path}.${name}`)
  return mapEach(value, (name, one) => mapFields(one, within(name), visit))
}

const mapEach = (fields: Fields, map: (name: string, value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(name, value)]))

const mapTrigger = (trigger: Fields, at: string, visit: VisitReference) =>
  mapEach(trigger, (name, value) => {
    if (!isFields(value)) return value
    if (name === 'from')
      return mapEach(value, (field, id) => {
        const kind = ownValue(SOURCE_KINDS, field)
        return kind && typeof id === 'string'
          ? visit({ kind, id, param: `${at}.from.${field}` })
          : id
      })
    return name === 'which' ? mapFilter(value, `${at}.which`, visit) : value
  })

/** Steps, and the lists of steps inside them. */
function mapSteps(
  steps: unknown,
  at: string,
  plugins: readonly Plugin[],
  visit: VisitReference,
): unknown {
  if (!Array.isArray(steps)) return steps
  return steps.map((step: unknown, index) => {
    if (!isFields(step)) return step
    const place = `${at}[${index}]`
    const plugin = plugins.find(({ id }) => id === step.plugin)
    return mapEach(step, (name, value) => {
      if (name === 'options' && isFields(value) && plugin)
        return mapOptions(plugin.options, value, `${place}.options`, visit)
      if (name === 'when' && isFields(value)) return mapFilter(value, `${place}.when`, visit)
      if (name === 'branch' && isFields(value) && isFields(value.when))
        return { ...value, when: mapFilter(value.when, `${place}.branch.when`, visit) }
      return isStepList(value) ? mapSteps(value, `${place}.${name}`, plugins, visit) : value
    })
  })
}

export const isStepList = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => isFields(one) && typeof one.plugin === 'string')

/** The references of a workflow’s request, by the places that its schema knows. */
export function referencesOfBody(body: WorkflowBody, plugins: readonly Plugin[]): Reference[] {
  const references: Reference[] = []
  mapWorkflow(body, plugins, (reference) => {
    references.push(reference)
    return reference.id
  })
  return references
}

/** Reads the names of several requests in one query. */
export async function toldWorkflows(
  scope: ShopScope,
  bodies: readonly WorkflowBody[],
  plugins: readonly Plugin[],
): Promise<ToldWorkflow[]> {
  const references = bodies.flatMap((body) => referencesOfBody(body, plugins))
  const names = await namesOfIds(scope, references)
  return bodies.map((body) => ({ body, named: mapWorkflow(body, plugins, names) }))
}
