// One change shared by many files, applied and recorded in SQL: no file is read into this process.
// Files whose result SQL can't decide are skipped; the caller handles them one by one.
import { settingColumns, type FileChange } from '../../plugins/contract/index.ts'
import type { Bindings } from '../core/db/for-shop.ts'
import { MAX_TAGS, normalizeTags } from './rules.ts'

/**
 * Settings that write nothing except their column. (A name must be free, and a public file needs an
 * address.)
 */
const COLUMN_TYPES = settingColumns({ plain: true })
type Plain = keyof typeof COLUMN_TYPES

/** How a field changes: its new value, whether it differs, and its entries in before and after. */
interface Field {
  sets: string
  differs: string
  before: string
  after: string
  /** `after` as an object, if it is the same for every file. */
  value?: Readonly<Record<string, unknown>>
  /** The condition that the new value must meet. */
  limit?: string
}

export interface UniformUpdate {
  /**
   * UPDATE of the files of `given (id)` that it changes, RETURNING id, before, after: the same as
   * `changeFiles` records.
   */
  sql: string
  bindings: Bindings
}

/** The UPDATE of a change; null: the database cannot make it without reading files here. */
export function uniformUpdate(change: FileChange): UniformUpdate | null {
  const bindings: Bindings = {}
  const fields = fieldsOf(change, bindings)
  if (!fields || fields.length === 0) return null
  const conditions = [
    // With an array the index finds them; with a join the planner would read all files.
    `files.shop_id = :shop and files.id = any(array(select id from given))
      and files.deleted_at is null`,
    // Another operation has not claimed the file.
    `not exists (select from file_claims c where c.shop_id = files.shop_id
      and c.file_id = files.id)`,
    `(${fields.map(({ differs }) => differs).join(' or ')})`,
    ...fields.flatMap(({ limit }) => limit ?? []),
  ]
  return {
    sql: `update files set ${fields.map(({ sets }) => sets).join(', ')}, updated_at = now()
      where ${conditions.join(' and ')}
      returning files.id,
        ${recordedObject(fields, before, `'updated_at', old.updated_at::text`)} as before,
        ${recordedObject(fields, after, undefined, wholeAfter(fields, bindings))} as after`,
    bindings,
  }
}

const before = (field: Field) => field.before
const after = (field: Field) => field.after

/**
 * `after` where all fields changed, built once for all files; undefined: it differs between files.
 */
function wholeAfter(fields: readonly Field[], bindings: Bindings): string | undefined {
  if (fields.some(({ value }) => value === undefined)) return undefined
  bindings.uniform_after = JSON.stringify(Object.assign({}, ...fields.map(({ value }) => value)))
  return ':uniform_after::jsonb'
}

/**
 * An object of the fields that changed, plus those always present. If all changed, the usual case,
 * it is built in one call, or is `whole`.
 */
function recordedObject(
  fields: readonly Field[],
  pair: (field: Field) => string,
  always?: string,
  whole?: string,
): string {
  const extra = always === undefined ? [] : [always]
  const all = whole ?? `jsonb_build_object(${[...fields.map(pair), ...extra].join(', ')})`
  if (fields.length === 1) return all
  const one = (field: Field) =>
    `case when ${afterUpdate(field.differs)} then jsonb_build_object(${pair(field)})
      else '{}'::jsonb end`
  const differ = fields.map(({ differs }) => `(${afterUpdate(differs)})`).join(' and ')
  const apart = [...fields.map(one), ...extra.map((given) => `jsonb_build_object(${given})`)].join(
    ' || ',
  )
  return `case when ${differ} then ${all} else ${apart} end`
}

/** In RETURNING, `old` is the row before the update. */
const afterUpdate = (sql: string) => sql.replaceAll('files.', 'old.')

function fieldsOf(
  { set = {}, tags, deleted, ...rest }: FileChange,
  bindings: Bindings,
): Field[] | null {
  if (Object.values(rest).some((value) => value !== undefined) || deleted === false) return null
  const fields: Field[] = []
  for (const [name, value] of Object.entries(set)) {
    if (!Object.hasOwn(COLUMN_TYPES, name)) return null
    bindings[`uniform_${name}`] = value
    fields.push(columnField(name as Plain, value))
  }
  const tagging = tags && tagsField(tags, bindings)
  if (tagging === null) return null
  if (tagging) fields.push(tagging)
  if (deleted) fields.push(TRASH)
  return fields
}

function columnField(name: Plain, to: unknown): Field {
  const value = `:uniform_${name}::${COLUMN_TYPES[name]}`
  return {
    sets: `${name} = ${value}`,
    differs: `files.${name} is distinct from ${value}`,
    before: `'${name}', old.${name}`,
    after: `'${name}', new.${name}`,
    value: { [name]: to },
  }
}

const TRASH: Field = {
  sets: 'deleted_at = now()',
  differs: 'files.deleted_at is null',
  before: `'deleted', false`,
  after: `'deleted', true`,
  value: { deleted: true },
}

type TagChange = NonNullable<FileChange['tags']>
const TAGS = ':uniform_tags::text[]'
const without = (all: string, some: string) =>
  `array(select t from unnest(${all}) with ordinality as u(t, n) where t <> all(${some})
     order by n)`

/**
 * The change of tags, as in server/engine/work-item.ts: kept tags in their order, then the new
 * ones. A different order alone is not a change.
 */
function tagsField(change: TagChange, bindings: Bindings): Field | null {
  const sql = tagSql(change)
  if (!sql) return null
  bindings.uniform_tags = normalizeTags(sql.tags)
  return {
    sets: `tags = ${sql.after}`,
    differs: `(${sql.differs})`,
    before: `'tags', old.tags`,
    after: `'tags', jsonb_build_object('added', ${without('new.tags', 'old.tags')}, 'removed',
      ${without('old.tags', 'new.tags')})`,
    limit: `cardinality(${sql.after}) <= ${MAX_TAGS}`,
  }
}

/** The bound tags, the SQL of the new tags, and of whether they differ; null: SQL cannot do it. */
function tagSql(
  change: TagChange,
): { tags: readonly string[]; after: string; differs: string } | null {
  if ('replace' in change)
    return {
      tags: change.replace,
      after: TAGS,
      differs: `not (files.tags @> ${TAGS} and files.tags <@ ${TAGS})`,
    }
  const { add = [], remove = [] } = change
  if (add.length > 0 && remove.length > 0) return null
  if (remove.length > 0)
    return { tags: remove, after: without('files.tags', TAGS), differs: `files.tags && ${TAGS}` }
  return {
    tags: add,
    after: `files.tags || ${without(TAGS, 'files.tags')}`,
    differs: `not files.tags @> ${TAGS}`,
  }
}
