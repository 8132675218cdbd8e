// The fields of conditions in SQL, on a row of `files`. What each one means:
// plugins/contract/condition-fields.ts.
import {
  CONDITION_NAMES,
  extensionsOf,
  folderForm,
  momentIn,
  nameKey,
  searchWords,
  tagForm,
  type Condition,
  type ConditionName,
} from '../../plugins/contract/index.ts'
import type { Bindings, ShopScope } from '../core/db/for-shop.ts'
import { likeLiteral } from '../core/db/like-pattern.ts'
import { parsePublicId } from '../core/ids.ts'
import { readShop } from './shop-settings.ts'

export interface Compiler {
  scope: ShopScope
  /** Returns the binding of the value: `:f_3`. */
  bind: (value: unknown) => string
  /** A condition on a row: the word is in the name or in a tag. Its bindings are added. */
  word: (word: string) => string
}

type Compile<Value> = (value: Value, compiler: Compiler) => string | Promise<string>

const ofFile = (table: string): string =>
  `${table}.shop_id = files.shop_id and ${table}.file_id = files.id`

const SQL: {
  readonly [Name in ConditionName]: Compile<NonNullable<Condition[Name]>>
} = {
  // The search of a list looks in products and packs too, and has its own way: filter.ts.
  search: (search, { word }) => ['true', ...searchWords(search).map(word)].join(' and '),
  type: (type, { bind }) => `files.extension = any(${bind(extensionsOf(type))})`,
  name_begins: (start, { bind }) =>
    `files.name_key like ${bind(`${likeLiteral(nameKey(start))}%`)}`,
  name_ends: (end, { bind }) => `files.name_key like ${bind(`%${likeLiteral(nameKey(end))}`)}`,
  name_like: (pattern, { bind }) =>
    `files.name_key like ${bind(nameKey(pattern).split('*').map(likeLiteral).join('%'))}`,
  // An empty list is no condition: GIN would read the whole index.
  tags: (tags, { bind }) =>
    tags.length === 0 ? 'true' : `files.tags @> ${bind(tags.map(tagForm))}::text[]`,
  tags_any: (tags, { bind }) => `files.tags && ${bind(tags.map(tagForm))}::text[]`,
  tags_none: (tags, { bind }) => `not files.tags && ${bind(tags.map(tagForm))}::text[]`,
  mapped: (mapped) => `files.mapping_state ${mapped ? '=' : '<>'} 'mapped'`,
  product: inProduct,
  product_tag: (tag, { bind }) =>
    `exists (select from mappings m join products p on p.shop_id = m.shop_id
       and p.id = m.product_id
     where ${ofFile('m')} and p.tag_keys @> array[${bind(nameKey(tag))}])`,
  pack: (pack, { bind }) =>
    `exists (select from pack_files k where ${ofFile('k')}
       and k.pack_id = ${bind(parsePublicId('pack', pack))}::uuid)`,
  pack_none: (none) =>
    `${none ? 'not ' : ''}exists (select from pack_files k where ${ofFile('k')})`,
  larger_than: (size, { bind }) => `files.size_bytes > ${bind(size)}`,
  smaller_than: (size, { bind }) => `files.size_bytes < ${bind(size)}`,
  version_above: (version, { bind }) => `files.version > ${bind(version)}`,
  channel: (channels, { bind }) => `files.channel = any(${bind(channels)})`,
  drop_account: (account, { bind }) =>
    `exists (select from dropped_files d where ${ofFile('d')}
       and d.account_id = ${bind(parsePublicId('account', account))}::uuid)`,
  connection: (connection, { bind }) =>
    `exists (select from cloud_files c where ${ofFile('c')}
       and c.connection_id = ${bind(parsePublicId('connection', connection))}::uuid)`,
  folder: (folder, { bind }) =>
    `exists (select from cloud_files c where ${ofFile('c')}
       and c.path like ${bind(`${likeLiteral(folderForm(folder))}/%`)})`,
  linked: (linked) =>
    `${linked ? '' : 'not '}(exists (select from links l where ${ofFile('l')})
       or exists (select from public_addresses a where ${ofFile('a')}))`,
  delivered: (delivered) =>
    `${delivered ? '' : 'not '}exists (select from delivery_files df where ${ofFile('df')})`,
  uploaded_before: dated((at) => `files.created_at < ${at}`),
  uploaded_after: dated((at) => `files.created_at >= ${at}`),
  changed_before: dated((at) => `files.updated_at < ${at}`),
  changed_after: dated((at) => `files.updated_at >= ${at}`),
  downloaded_before: dated((at) => `${usedSince(null)} and ${notUsedSince(`>= ${at}`)}`),
  downloaded_after: dated((at) => usedSince(`>= ${at}`)),
  older_than_days: (days, { bind }) =>
    `files.created_at < now() - ${bind(days)} * interval '1 day'`,
  not_downloaded_for_days: (days, { bind }) =>
    notUsedSince(`> now() - ${bind(days)} * interval '1 day'`),
}

function dated(sql: (at: string) => string): Compile<string> {
  return async (value, { scope, bind }) => sql(`${bind(await momentOf(scope, value))}::timestamptz`)
}

/** SQL: the file was downloaded or viewed, at such a time. Null: at any. */
const usedSince = (at: string | null): string => `(${usesSince(at).join(' or ')})`

/** SQL: the opposite, in a form that the planner turns into joins. */
const notUsedSince = (at: string): string =>
  usesSince(at)
    .map((use) => `not ${use}`)
    .join(' and ')

function usesSince(at: string | null): string[] {
  const when = (column: string) => (at === null ? `${column} is not null` : `${column} ${at}`)
  return [
    `exists (select from links l where ${ofFile('l')} and ${when('l.last_download_at')})`,
    `exists (select from public_addresses a where ${ofFile('a')}
       and ${when('a.last_download_at')})`,
    `exists (select from file_views v where ${ofFile('v')} and ${when('v.at')})`,
  ]
}

async function inProduct(product: string, { scope, bind }: Compiler): Promise<string> {
  const few = await fewFiles(
    scope,
    `select m.file_id as id from mappings m where m.shop_id = :shop and m.product_id = :product`,
    { product },
  )
  const ids = few === null ? '' : `files.id = any(${bind(few)}::uuid[]) and `
  return `${ids}exists (select from mappings m where ${ofFile('m')}
     and m.product_id = ${bind(product)})`
}

/** A condition that up to this many files meet is replaced by their ids. */
const FEW = 2000

/**
 * The ids of the files that a query finds, or null if they are many. Few are found by their ids, and
 * many while the list is read in its order: the planner cannot tell which applies.
 */
export async function fewFiles(
  scope: ShopScope,
  select: string,
  bindings: Bindings,
): Promise<string[] | null> {
  const rows = await scope.query<{ id: string }>(`select id from (${select}) s limit :few`, {
    ...bindings,
    few: FEW + 1,
  })
  return rows.length > FEW ? null : [...new Set(rows.map(({ id }) => id))]
}

/** The SQL of each given field, all of which must hold. */
export const conditionsOf = (condition: Condition, compiler: Compiler): Promise<string[]> =>
  Promise.all(
    CONDITION_NAMES.filter((name) => condition[name] !== undefined).map((name) =>
      (SQL[name] as Compile<unknown>)(condition[name], compiler),
    ),
  )

/** The SQL of `any`: nothing if it is absent. */
export async function alternativesOf(any: Condition['any'], compiler: Compiler): Promise<string[]> {
  if (any === undefined) return []
  const parts = await Promise.all(any.map((part) => conditionsOf(part, compiler)))
  return [`(${parts.map((part) => `(${part.join(' and ')})`).join(' or ')})`]
}

/**
 * The moment at which a day begins in the shop. Computed here, not in SQL: with a constant the
 * planner can estimate how many files match.
 */
export async function momentOf(
  scope: ShopScope,
  dayOrTime: string | undefined,
): Promise<string | undefined> {
  if (dayOrTime === undefined) return undefined
  if (dayOrTime.includes('T')) return new Date(momentIn(dayOrTime, 'UTC')).toISOString()
  const { settings } = await readShop(scope)
  return new Date(momentIn(dayOrTime, settings.time_zone)).toISOString()
}
