// The filter of files, compiled to SQL here only. Lists, bulk operations, schedules and exports use
// it.
import { z } from 'zod'
import {
  conditionFields,
  extensionsOf,
  flag,
  tagForm,
  numeric,
  sayFixed,
  searchKey,
  searchText,
  searchWords,
  dayAt,
} from '../../plugins/contract/index.ts'
import type { Bindings, ShopScope } from '../core/db/for-shop.ts'
import { likeLiteral } from '../core/db/like-pattern.ts'
import { parsePublicId } from '../core/ids.ts'
import { publicId } from '../core/public-id.ts'
import { beginningOf } from './days.ts'
import { readShop } from './shop-settings.ts'
import { TRASH_ENDED } from './trash.ts'
import { findWord, inAll, nameAndTags, type Conditions } from './word-search.ts'

const NO_DATE = 'Send a date, like 2026-01-31'
// PostgreSQL has no year 0.
const FIRST_DAY = '1900'
/** A day or a time: `momentOf` distinguishes them. */
export const day = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], NO_DATE)
  .refine((text) => text >= FIRST_DAY, NO_DATE)
  .describe('A time, or a day, which begins at midnight in the shop’s time zone')

const days = numeric(z.number().int().min(1).max(36_500))

const MAX_WORDS = 8
const WORDS =
  'Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins'

/** The conditions, all of which must hold. Values come as query parameters or as JSON. */
export const filterFields = {
  ...conditionFields,
  search: conditionFields.search
    .meta({ title: 'Search' })
    .describe(`${WORDS}. More than ${MAX_WORDS} words are a part of the name`),
  name_contains: searchText(255)
    .optional()
    .describe('The name contains this text, without regard to case and accents'),
  find: z
    .string()
    .trim()
    .max(255)
    .refine(
      (text) => searchWords(text).length <= MAX_WORDS,
      sayFixed('Send at most {count} words', { count: MAX_WORDS }),
    )
    .optional()
    .describe('As `search`: more words that must be found'),
  uploaded_before: day.optional(),
  uploaded_after: day.optional(),
  older_than_days: days.optional().describe('Uploaded more than this many days ago'),
  not_downloaded_for_days: days
    .optional()
    .describe(
      'No download in this many days, and no view in the browser; views are known for 13 months',
    ),
  pack: publicId('pack', 'a pack').optional().describe('Is in this pack: its id'),
  product: z
    .string()
    .max(255)
    .optional()
    .describe('Belongs to this product: its id on the platform'),
  storage: z
    .enum(['primary', 'backup'])
    .optional()
    .describe('Its bytes, or a kept copy of them, are in this storage location'),
  backed_up: flag.optional().describe('Has a backup, or has none'),
  released: flag
    .optional()
    .describe(
      'Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true)',
    ),
  connection: publicId('connection', 'a cloud connection')
    .optional()
    .describe('Is synced with this cloud connection: its id'),
  drop_account: publicId('account', 'a drop account')
    .optional()
    .describe('Was sent through this account of the drop folder: its id'),
  licence_list: publicId('licences', 'a list of licence keys')
    .optional()
    .describe('Buyers of it were given licence keys of this list: its id'),
  deleted: flag.optional().describe('Is in the trash; absent: is not in the trash'),
}

/** A filter as JSON, which is stored with schedules and operations. */
export const filterSchema = z.strictObject(filterFields)

export type FileFilter = z.output<z.ZodObject<typeof filterFields>>

/** What a filter searches for: words, and a part of the name. */
export function searchedWords({ search = '', find = '', name_contains: part }: FileFilter): {
  words: string[]
  part: string | undefined
} {
  const words = searchWords(`${find} ${search}`)
  if (words.length <= MAX_WORDS) return { words, part }
  return { words: searchWords(find), part: part ?? search }
}

/** A condition on `files`, with its bindings (all named `f_…`). */
export interface CompiledFilter extends Conditions {
  bindings: Bindings
  /** SQL: the part that tells which files the list can show, in the trash or not. */
  shown: string
}

/** Looks up the words and the locations of the filter: compile it once for the page and its total. */
export async function compileFilter(scope: ShopScope, filter: FileFilter): Promise<CompiledFilter> {
  const shown = filter.deleted
    ? `files.deleted_at is not null and not ${TRASH_ENDED}`
    : 'files.deleted_at is null'
  const conditions = [shown]
  const bindings: Bindings = {}
  const add: AddCondition = (name, value, sql) => {
    if (value === undefined) return
    bindings[name] = value
    conditions.push(sql)
  }
  const { type, tags, mapped } = filter
  const { words, part } = searchedWords(filter)
  // The first condition is that of an index.
  add(
    'f_part',
    part === undefined ? undefined : `%${likeLiteral(searchKey(part))}%`,
    `${nameAndTags('files')} like :f_part and search_text(files.filename) like :f_part`,
  )
  const isDeleted = filter.deleted ?? false
  const found = await Promise.all(words.map((word, at) => findWord(scope, word, { at, isDeleted })))
  for (const { bindings: given } of found) Object.assign(bindings, given)
  add('f_types', type && extensionsOf(type), 'files.extension = any(:f_types)')
  const wanted = tags && tags.length > 0 ? tags.map(tagForm) : undefined
  add('f_tags', wanted, 'files.tags @> :f_tags::text[]')
  if (mapped !== undefined) conditions.push(`files.mapping_state ${mapped ? '=' : '<>'} 'mapped'`)
  await addProduct(scope, filter, add)
  add('f_larger', filter.larger_than, 'files.size_bytes > :f_larger')
  add('f_smaller', filter.smaller_than, 'files.size_bytes < :f_smaller')
  const { uploaded_before: before, uploaded_after: after } = filter
  add('f_before', await momentOf(scope, before), 'files.created_at < :f_before::timestamptz')
  add('f_after', await momentOf(scope, after), 'files.created_at >= :f_after::timestamptz')
  add('f_older', filter.older_than_days, `files.created_at < now() - :f_older * interval '1 day'`)
  add('f_idle', filter.not_downloaded_for_days, IDLE)
  await addStorage(scope, filter, add)
  addSources(filter, add)
  if (filter.released !== undefined) {
    const { settings } = await readShop(scope)
    const unreleased = '(files.available_from is not null and files.available_from > :f_today)'
    add(
      'f_today',
      dayAt(new Date(), settings.time_zone),
      filter.released ? `not ${unreleased}` : unreleased,
    )
  }
  add('f_pack', filter.pack && parsePublicId('pack', filter.pack), 'files.pack_id = :f_pack::uuid')
  const all = (form: 'near' | 'some') =>
    [...conditions, ...found.map((one) => one[form])].join(' and ')
  const near = all('near')
  // With a rare word only its files are tested.
  if (found.some(({ isRare }) => isRare)) return { sql: near, near, some: near, bindings, shown }
  const sql = [...conditions, ...inAll(found.flatMap(({ ids }) => ids ?? []))].join(' and ')
  return { sql, near, some: all('some'), bindings, shown }
}

type AddCondition = (name: `f_${string}`, value: unknown, sql: string) => void

/** SQL: nobody has downloaded or viewed the file in the last `f_idle` days. */
const IDLE = `not exists (select from links where links.shop_id = files.shop_id and links.file_id = files.id
     and links.last_download_at > now() - :f_idle * interval '1 day')
   and not exists (select from public_addresses a where a.shop_id = files.shop_id
     and a.file_id = files.id
     and a.last_download_at > now() - :f_idle * interval '1 day')
   and not exists (select from file_views v where v.shop_id = files.shop_id
     and v.file_id = files.id and v.at > now() - :f_idle * interval '1 day')`

/** A condition that up to this many files meet is replaced by their ids. */
const FEW = 2000

/**
 * The ids of the files that a query finds, or null if they are many. Few are found by their ids, and
 * many while the list is read in its order: the planner cannot tell which applies.
 */
async function fewFiles(
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

/** Adds the condition about a product. */
async function addProduct(
  scope: ShopScope,
  { product }: FileFilter,
  add: AddCondition,
): Promise<void> {
  if (product === undefined) return
  const few = await fewFiles(
    scope,
    `select m.file_id as id from mappings m where m.shop_id = :shop and m.product_id = :product`,
    { product },
  )
  add('f_its', few ?? undefined, 'files.id = any(:f_its::uuid[])')
  add(
    'f_product',
    product,
    `exists (select from mappings m where m.shop_id = files.shop_id and m.file_id = files.id
       and m.product_id = :f_product)`,
  )
}

/** Adds the condition about the location of a file's bytes. */
async function addStorage(
  scope: ShopScope,
  { storage }: FileFilter,
  add: AddCondition,
): Promise<void> {
  if (storage === undefined) return
  const few = await fewFiles(
    scope,
    `select v.file_id as id from versions v where v.shop_id = :shop and v.location = :storage
     union all select c.file_id from file_copies c where c.shop_id = :shop and c.location = :storage`,
    { storage },
  )
  add('f_kept', few ?? undefined, 'files.id = any(:f_kept::uuid[])')
  add(
    'f_storage',
    storage,
    `exists (select from versions v where v.shop_id = files.shop_id and v.file_id = files.id
       and v.number = files.version and (v.location = :f_storage
         or exists (select from file_copies c where c.shop_id = v.shop_id
           and c.file_id = v.file_id and c.hash = v.hash and c.location = :f_storage)))`,
  )
}

/** Adds the conditions about backups, and about where a file comes from. */
function addSources(filter: FileFilter, add: AddCondition): void {
  if (filter.backed_up !== undefined)
    add(
      'f_backed_up',
      filter.backed_up,
      `${filter.backed_up ? '' : 'not '}exists (select from backups b
         where b.shop_id = files.shop_id and b.file_id = files.id)`,
    )
  add(
    'f_connection',
    filter.connection && parsePublicId('connection', filter.connection),
    `exists (select from cloud_files c where c.shop_id = files.shop_id and c.file_id = files.id
       and c.connection_id = :f_connection::uuid)`,
  )
  add(
    'f_account',
    filter.drop_account && parsePublicId('account', filter.drop_account),
    `exists (select from dropped_files d where d.shop_id = files.shop_id and d.file_id = files.id
       and d.account_id = :f_account::uuid)`,
  )
  // The keys of a unit belong to all files of its line.
  add(
    'f_licences',
    filter.licence_list && parsePublicId('licences', filter.licence_list),
    `files.id in (
       select k.file_id from licence_keys k
       where k.shop_id = :shop and k.list_id = :f_licences::uuid and k.delivery_id is not null
       union all
       select df.file_id from licence_keys k join delivery_files df on df.shop_id = :shop
         and df.delivery_id = k.delivery_id and df.line_id = k.line_id and not df.withdrawn
       where k.shop_id = :shop and k.list_id = :f_licences::uuid and k.delivery_id is not null)`,
  )
}

/** The last day that a date may have: no day follows it. */
const LAST_DAY = '9999-12-31'

/** The end of a range: a time, or the end of a day in the shop. Absent: it has none. */
export async function endOfRange(
  scope: ShopScope,
  dayOrTime: string | undefined,
): Promise<string | undefined> {
  if (dayOrTime === undefined || dayOrTime.includes('T')) return dayOrTime
  if (dayOrTime >= LAST_DAY) return undefined
  const next = new Date(`${dayOrTime}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return momentOf(scope, next.toISOString().slice(0, 10))
}

/**
 * The moment at which a day begins in the shop. Computed here, not in SQL: with a constant the
 * planner can estimate how many files match.
 */
export async function momentOf(
  scope: ShopScope,
  dayOrTime: string | undefined,
): Promise<string | undefined> {
  if (dayOrTime === undefined || dayOrTime.includes('T')) return dayOrTime
  const { settings } = await readShop(scope)
  return beginningOf(dayOrTime, settings.time_zone).toISOString()
}
