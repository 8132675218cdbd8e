// The problems of a check, grouped by their causes: `12 rows: the SKU is unknown`. A group says
// which corrections of all its rows are meaningful.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { nearSkus } from '../../matching/near-skus.ts'
import { FIELDS, type CsvField } from './columns.ts'
import { OF_SHOWN_CHECK, PROBLEM_COLUMNS, type ProblemRow } from './problems.ts'
import type { CsvUpload } from './uploads.ts'

/** A correction of all rows of a group. */
export type Fix =
  | { type: 'leave_out' }
  /** Replaces the whole text of the cell. */
  | { type: 'set'; text: string }
  | { type: 'prefix'; text: string }
  | { type: 'replace'; find: string; with: string }
  /** Gives names that are taken a number: `guide (2).pdf`. */
  | { type: 'number' }
  /** Names the file after the end of its address. */
  | { type: 'from_address' }
  /** Restores letters that were read in a wrong encoding: `MÃ¼ller`. */
  | { type: 'decode' }
  /** Appends the ending of its address to the name. */
  | { type: 'extension' }
  /** Replaces unknown SKUs by those that they are typing errors of. */
  | { type: 'meant' }

export type FixType = Fix['type']

export interface ProblemGroup extends Pick<
  ProblemRow,
  'column' | 'severity' | 'code' | 'message' | 'detail'
> {
  id: string
  field: CsvField | null
  rows: number
  /** The different texts of the cells, most frequent first. */
  values: GroupValue[]
  /** How many different texts there are. */
  different: number
  fixes: FixType[]
}

interface GroupValue {
  value: string
  rows: number
  /** The SKU of the shop that it is a typing error of (`nearSkus`). */
  did_you_mean: string | null
}

const MAX_GROUPS = 100
const MAX_VALUES = 20

/**
 * SQL: the id of a problem's group. Values of messages do not separate groups; what an address
 * answered does.
 */
const GROUP = `md5(concat_ws(chr(31), severity, code, place, message,
  case when code in ('url_not_accessible', 'web_page', 'not_asked')
      then concat_ws(chr(31), detail, detail_values)
    when code = 'duplicate_filename' then (detail like 'Row %')::text end))`

interface GroupRow extends Omit<ProblemGroup, 'field' | 'fixes' | 'values'> {
  values: Omit<GroupValue, 'did_you_mean'>[]
  place: number
  first: number
}

/** Lists the groups, errors first, then those with most rows. */
export async function listGroups(scope: ShopScope, upload: CsvUpload): Promise<ProblemGroup[]> {
  const groups = await scope.query<GroupRow>(
    `with p as materialized (
       select ${GROUP} as id, ${PROBLEM_COLUMNS} from csv_problems
       where ${OF_SHOWN_CHECK}),
     v as (
       select id, value, count(distinct row)::int as rows, count(*) over (partition by id)::int as different,
         row_number() over (partition by id order by count(*) desc, min(row)) as rank
       from p where value is not null group by id, value)
     select id, severity, code, place, min("column") as "column", min(message::text)::jsonb as message,
       case when count(distinct coalesce(detail::text, '')) = 1 then min(detail::text)::jsonb end as detail,
       count(distinct row)::int as rows, min(row) as first,
       coalesce((select jsonb_agg(jsonb_build_object('value', v.value, 'rows', v.rows) order by rank)
         from v where v.id = p.id and rank <= :values), '[]') as values,
       coalesce((select max(different) from v where v.id = p.id), 0) as different
     from p group by id, severity, code, place
     order by severity, count(distinct row) desc, min(row) limit :max`,
    { id: upload.id, values: MAX_VALUES, max: MAX_GROUPS },
  )
  const { header_row } = upload.format
  const meant = await meantSkus(
    scope,
    groups.flatMap(({ code, values }) => values.map(({ value }) => ({ code, value }))),
  )
  return groups.map(({ place, first, ...group }) => {
    const field = FIELDS[place - 1] ?? null
    const values = group.values.map((one) => ({
      ...one,
      did_you_mean: meant({ ...one, code: group.code }),
    }))
    // Problems of the whole file are at its header.
    const fixes = first <= header_row ? [] : fixesOf({ ...group, field })
    if (values.some(({ did_you_mean }) => did_you_mean !== null)) fixes.unshift('meant')
    return { ...group, values, field, fixes }
  })
}

/** What the value of each of these problems is a typing error of; null: it is unknown. */
export async function meantSkus(
  scope: ShopScope,
  problems: readonly Pick<ProblemRow, 'code' | 'value'>[],
): Promise<(problem: Pick<ProblemRow, 'code' | 'value'>) => string | null> {
  const unknown = problems.flatMap(({ code, value }) =>
    code === 'sku_not_found' && value !== null ? [value] : [],
  )
  const meant = await nearSkus(scope, unknown)
  return ({ code, value }) => (code === 'sku_not_found' && meant.get(value ?? '')) || null
}

/** The corrections that are meaningful for all rows with this problem. */
function fixesOf({ field, code }: Pick<ProblemGroup, 'field' | 'code'>): FixType[] {
  if (field === null) return ['leave_out']
  if (field === 'file_url')
    return code === 'invalid_url' ? ['prefix', 'replace', 'leave_out'] : ['replace', 'leave_out']
  if (code === 'wrong_letters') return ['decode', 'replace', 'leave_out']
  if (field === 'filename' && code === 'no_extension')
    return ['extension', 'from_address', 'leave_out']
  if (field === 'filename')
    return code === 'duplicate_filename'
      ? ['number', 'replace', 'leave_out']
      : ['from_address', 'replace', 'leave_out']
  return field === 'id' ? ['set', 'leave_out'] : ['set', 'replace', 'leave_out']
}

/** The part of a group: all its rows, or those whose cells have this text. */
export interface GroupPart {
  group: string
  value?: string | undefined
}

/**
 * The rows of a group, in order, with the field that has the problem, and the texts of it in each row: a
 * cell with several SKUs may have several.
 */
export async function rowsOfGroup(
  scope: ShopScope,
  { id }: Pick<CsvUpload, 'id'>,
  { group, value }: GroupPart,
  page: { after: number; limit: number | null } = { after: 0, limit: null },
): Promise<{ rows: number[]; field: CsvField | null; values: Map<number, readonly string[]> }> {
  const found = await scope.query<{ row: number; place: number; texts: string[] | null }>(
    `select row, place, array_agg(distinct value) filter (where value is not null) as texts from csv_problems
     where ${OF_SHOWN_CHECK} and row > :after
       and ${GROUP} = :group ${value === undefined ? '' : 'and value = :value'}
     group by row, place order by row limit :limit`,
    { id, group, ...(value === undefined ? {} : { value }), ...page },
  )
  const place = found[0]?.place ?? 0
  return {
    rows: found.map(({ row }) => row),
    field: FIELDS[place - 1] ?? null,
    values: new Map(found.map(({ row, texts }) => [row, texts ?? []])),
  }
}

/** The problems of these rows, in order. */
export function problemsOfRows(
  scope: ShopScope,
  { id }: Pick<CsvUpload, 'id'>,
  rows: readonly number[],
): Promise<ProblemRow[]> {
  return scope.query<ProblemRow>(
    `select ${PROBLEM_COLUMNS} from csv_problems
     where ${OF_SHOWN_CHECK} and row = any(:rows::int[])
     order by row, place, number`,
    { id, rows },
  )
}
