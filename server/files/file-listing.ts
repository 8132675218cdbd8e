// SQL that renders a page of files as one text, rows of CSV or objects of JSON. The columns are
// defined here only.
import {
  ENTRY_SETTINGS,
  EXPORT_COLUMNS,
  FILE_SETTINGS,
  forEntrySettings,
  LINK_TYPE,
  type ExportColumn,
} from '../../plugins/contract/index.ts'
import { cellSql } from './cells.ts'
import { shopDay } from './days.ts'
import { ENTRY_ORDER } from './pack-places.ts'

export type ListingFormat = 'csv' | 'json'

interface Column {
  /**
   * SQL: the value as a cell; texts that a merchant chose are marked and quoted where necessary.
   */
  csv: string
  /** SQL: the value in JSON. */
  json: string
}

const number = (sql: string, absent: string): Column => ({
  csv: `coalesce((${sql})::text, '${absent}')`,
  json: `coalesce((${sql})::text, 'null')`,
})

const textOrNone = (sql: string, none: string): Column => ({
  csv: `coalesce(${cellSql(sql)}, '${none}')`,
  json: `coalesce(to_json(${sql}), 'null')`,
})

const flag = (sql: string): Column => ({
  csv: `case when ${sql} then 'yes' else 'no' end`,
  json: `(${sql})::text`,
})

/** `sql`: a list of sites of `f`, joined for its cell by `VALUES`. */
const list = (sql: string, none: string): Column => ({
  csv: `case cardinality(${sql}) when 0 then '${none}' else ${cellSql(`f.joined_${sql.slice(2)}`)} end`,
  json: `to_json(${sql})`,
})

const text = (sql: string): Column => ({ csv: cellSql(sql), json: `to_json(${sql})` })

const COLUMNS: Readonly<Record<ExportColumn, Column>> = {
  id: { csv: 'f.public_id', json: `'"' || f.public_id || '"'` },
  filename: text('f.filename'),
  size_bytes: number('f.size_bytes', ''),
  upload_date: { csv: 'f.upload_date', json: `'"' || f.upload_date || '"'` },
  products: {
    csv: `coalesce(${cellSql('f.products')}, '')`,
    json: `coalesce(to_json(string_to_array(f.products, ';')), '[]')`,
  },
  tags: { csv: cellSql('f.joined_tags'), json: 'to_json(f.tags)' },
  downloads: number('f.downloads', '0'),
  paid_by: {
    csv: `coalesce(${cellSql('f.paid_by')}, '')`,
    json: `coalesce(to_json(string_to_array(f.paid_by, ';')), '[]')`,
  },
  ...forEntrySettings((name) => {
    const { entry } = FILE_SETTINGS[name]
    if ('max' in entry) return number(`f.${name}`, entry.none)
    if ('switch' in entry) return flag(`f.${name}`)
    if ('list' in entry) return list(`f.${name}`, entry.none)
    return 'none' in entry ? textOrNone(`f.${name}`, entry.none) : text(`f.${name}`)
  }),
  pack: {
    csv: `coalesce(${cellSql('f.pack_cell')}, 'none')`,
    json: `coalesce(to_json(f.packs), '[]')`,
  },
  sha256: { csv: `coalesce(f.sha256, '')`, json: `coalesce('"' || f.sha256 || '"', 'null')` },
  link_url: {
    csv: `coalesce(${cellSql('f.link_url')}, '')`,
    json: `coalesce(to_json(f.link_url), 'null')`,
  },
  url: text('f.url'),
}

/** The text before the first page, between two pages, and after the last page. */
export const FRAME: Readonly<
  Record<
    ListingFormat,
    { between: string; end: string; begin(columns: readonly ExportColumn[]): string }
  >
> = {
  // The byte-order mark makes spreadsheets read the file as UTF-8.
  csv: { begin: (columns) => `\ufeff${columns.join(',')}\r\n`, between: '\r\n', end: '\r\n' },
  json: { begin: () => '[\n', between: ',\n', end: '\n]\n' },
}

/** The columns, each once, in their fixed order. */
export const columnsInOrder = (columns: readonly ExportColumn[]): ExportColumn[] =>
  EXPORT_COLUMNS.filter((column) => columns.includes(column))

/**
 * A query that gives `text` (null if none of the files exists) for the files `:ids` (an array of
 * UUIDs), in that order, joined by `:between`; and their number, as `written`. Also binds `:base`.
 * Files in the trash are left out. `ascending`: the ids ascend, which makes the query twice as
 * fast.
 */
export function listingSql(
  format: ListingFormat,
  columns: readonly ExportColumn[],
  ascending: boolean,
): string {
  // Ascending ids are found by one walk along the index, others by one probe each.
  const [from, place] = ascending
    ? [`files where id = any(${IDS}) and`, 'id']
    : [
        `unnest(${IDS}) with ordinality as given (given_id, place) join files on id = given_id
           where`,
        'place',
      ]
  const counted = columns.flatMap((name) => COUNTED[name] ?? [])
  // `offset 0` prevents the planner from computing a value again for each cell that names it.
  return `
    with asked as materialized (select :ids::uuid[] as ids)
    select string_agg(${format === 'csv' ? csvRow(columns) : jsonRow(columns)}, :between
      order by f.${place}) as text,
      count(*) as written
    from (
      select ${place === 'id' ? '' : 'place,'} ${[VALUES, ...counted.map(({ value }) => value)].join(', ')}
      from (select * from ${from} shop_id = :shop and deleted_at is null) files
        ${counted.map(({ joins }) => joins).join(' ')}
      where ${IS_FILE} offset 0) f`
}

/** Not a constant: the planner would examine each id of it, which takes longer than the query. */
const IDS = '(select ids from asked)::uuid[]'

/**
 * Counts rows of another table for all of the page's files in one walk instead of one query per
 * file.
 */
const counts = (what: string, table: string, as: string) => `
  full join (select file_id, ${what} from ${table} where shop_id = :shop
    and file_id = any(${IDS}) group by file_id) ${as}
    on ${as}.file_id = files.id`

/**
 * Without statistics of the number of files, the planner would scan all counts for each of them. A
 * full join rules that plan out. Its result also has rows of files in the trash; a simpler
 * condition would let the planner turn it into a left join.
 */
const IS_FILE = '(files.id is not null) is distinct from false'

/** The buyers of each file's orders. An address that the merchant corrected replaces the order's. */
const BUYERS = `(select df.shop_id, df.file_id, coalesce(d.email, o.email) as email
    from delivery_files df
    join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
    join orders o on o.shop_id = d.shop_id and o.id = d.order_id) buyers`

const PACKS = `(select k.shop_id, k.file_id, p.name, k.added_at, k.pack_id
    from pack_files k join packs p on p.shop_id = k.shop_id and p.id = k.pack_id) packed`
/** SQL: a pack's name in a cell. No name has a backslash, so an import reads what follows one as it is. */
const PACK_IN_CELL = String.raw`regexp_replace(name, '(^[-+]|^none$|;)', '\\\1', 'gi')`

const COUNTED: Partial<Record<ExportColumn, { value: string; joins: string }>> = {
  products: {
    value: `case when mapping_state = 'mapped' then m.products end as products`,
    joins: counts(`string_agg(distinct product_id, ';') as products`, 'mappings', 'm'),
  },
  pack: {
    value: 'k.packs, k.pack_cell',
    joins: counts(
      `array_agg(name order by ${ENTRY_ORDER}) as packs,
       string_agg(${PACK_IN_CELL}, ';' order by ${ENTRY_ORDER}) as pack_cell`,
      PACKS,
      'k',
    ),
  },
  sha256: {
    value: `encode((select b.sha256 from versions v
      join blobs b on b.shop_id = v.shop_id and b.hash = v.hash
      where v.shop_id = files.shop_id and v.file_id = files.id
        and v.number = files.version), 'hex') as sha256`,
    joins: '',
  },
  link_url: {
    value: `case when content_type = '${LINK_TYPE}' then (select b.link_url from versions v
      join blobs b on b.shop_id = v.shop_id and b.hash = v.hash
      where v.shop_id = files.shop_id and v.file_id = files.id
        and v.number = files.version) end as link_url`,
    joins: '',
  },
  downloads: {
    value: 'coalesce(l.downloads, 0) + coalesce(a.downloads, 0) as downloads',
    joins:
      counts('sum(served) as downloads', 'links', 'l') +
      counts('sum(downloads) as downloads', 'public_addresses', 'a'),
  },
  paid_by: {
    value: 'o.paid_by',
    joins: counts(`string_agg(distinct email, ';') as paid_by`, BUYERS, 'o'),
  },
}

const csvRow = (columns: readonly ExportColumn[]) =>
  `concat_ws(',', ${columns.map((name) => COLUMNS[name].csv).join(', ')})`

function jsonRow(columns: readonly ExportColumn[]): string {
  const fields = columns.map(
    (name, at) => `'${at === 0 ? '{' : ','}"${name}":', ${COLUMNS[name].json}`,
  )
  return `concat(${fields.join(', ')}, '}')`
}

const PUBLIC_ID = `'file_' || replace(id::text, '-', '')`

/** SQL: the address of the file's bytes in the API, for the merchant's own tools. */
const OWN_ADDRESS = `:base || '/api/files/' || ${PUBLIC_ID} || '/content'`

// SQL: what encodeURIComponent gives for a name, as in server/files/public-addresses.ts.
const ENCODED_NAME = `(
  select string_agg(case when sign ~ '^[A-Za-z0-9_.!~*''()-]$' collate "C" then sign
    else regexp_replace(upper(encode(convert_to(sign, 'UTF8'), 'hex')), '(..)', '%\\1', 'g') end, ''
      order by at)
  from regexp_split_to_table(filename, '') with ordinality as signs (sign, at))`

/** The hash of a password is not exported. */
const shownColumn = (name: string) =>
  name === 'ask_for'
    ? `case when ask_for = 'email' then ask_for when ask_for is not null then 'password' end as ask_for`
    : name

/** SQL: the tags of a cell. A tag that begins with a sign would be read as a change of tags. */
const ESCAPED_TAGS = String.raw`regexp_replace(array_to_string(tags, ';'), '(^|;)([-+\\])', '\1\\\2', 'g')`

/** SQL: the sites of a cell. One without a dot may be a word for none: the separator makes it a list. */
const JOINED_SITES = `array_to_string(allowed_referrers, ';')
  || case when cardinality(allowed_referrers) = 1 and allowed_referrers[1] not like '%.%' then ';' else '' end`

/** The values of a row of `files`. PostgreSQL does not compute values that no column uses. */
const VALUES = `id, filename, size_bytes, tags, ${ENTRY_SETTINGS.map(shownColumn).join(', ')},
  ${PUBLIC_ID} as public_id,
  ${shopDay('created_at')} as upload_date,
  ${ESCAPED_TAGS} as joined_tags,
  ${JOINED_SITES} as joined_allowed_referrers,
  case when visibility = 'public' then coalesce(
    (select :base || '/files/' || token || '/' || ${ENCODED_NAME}
      from public_addresses a where a.shop_id = files.shop_id and a.file_id = files.id),
        ${OWN_ADDRESS})
    else ${OWN_ADDRESS} end as url`
