// The filter of files: conditions, and what only lists can ask. Lists, bulk operations, schedules
// and exports use it.
import { z } from 'zod'
import {
  documentedConditionFields,
  flag,
  hasFewWords,
  MAX_WORDS,
  searchKey,
  searchText,
  searchWords,
  dayAt,
  TOO_MANY_WORDS,
} from '../../plugins/contract/index.ts'
import type { Bindings, ShopScope } from '../core/db/for-shop.ts'
import { likeLiteral } from '../core/db/like-pattern.ts'
import { parsePublicId } from '../core/ids.ts'
import { publicId } from '../core/public-id.ts'
import { alternativesOf, conditionsOf, fewFiles, momentOf, type Compiler } from './condition-sql.ts'
import { readShop } from './shop-settings.ts'
import { TRASH_ENDED } from './trash.ts'
import { findWord, inAll, nameAndTags, ownWord, type Conditions } from './word-search.ts'

const WORDS =
  'Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins'

/** The conditions, all of which must hold. Values come as query parameters or as JSON. */
export const filterFields = {
  ...documentedConditionFields,
  search: documentedConditionFields.search
    .meta({ title: 'Search' })
    .describe(`${WORDS}. More than ${MAX_WORDS} words are a part of the name`),
  name_contains: searchText(255)
    .optional()
    .describe('The name contains this text, without regard to case and accents'),
  find: z
    .string()
    .trim()
    .max(255)
    .refine(hasFewWords, TOO_MANY_WORDS)
    .optional()
    .describe('As `search`: more words that must be found'),
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
  licence_list: publicId('licences', 'a list of licence keys')
    .optional()
    .describe('Buyers of it were given licence keys of this list: its id'),
  quarantined: flag
    .optional()
    .describe('Is in quarantine: a virus scanner found something in it; or is not'),
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
  /** SQL: the pack of the filter, in whose order the list can be; null: it names none. */
  pack: string | null
}

/**
 * Looks up the words, the product and the location of the filter: compile it once for the page and its
 * total.
 */
export async function compileFilter(scope: ShopScope, filter: FileFilter): Promise<CompiledFilter> {
  const shown = filter.deleted
    ? `files.deleted_at is not null and not ${TRASH_ENDED}`
    : 'files.deleted_at is null'
  const bindings: Bindings = {}
  const bind = (value: unknown): string => {
    const name = `f_${Object.keys(bindings).length}`
    Object.assign(bindings, { [name]: value })
    return `:${name}`
  }
  const isDeleted = filter.deleted ?? false
  const { words, part } = searchedWords(filter)
  const conditions = [shown, ...partOfName(part, bind)]
  const found = await Promise.all(words.map((word, at) => findWord(scope, word, { at, isDeleted })))
  for (const { bindings: given } of found) Object.assign(bindings, given)
  let at = words.length
  const compiler: Compiler = {
    scope,
    bind,
    word: (word) => {
      const { sql, bindings: given } = ownWord(word, { at: at++, isDeleted })
      Object.assign(bindings, given)
      return sql
    },
  }
  conditions.push(
    // The words of the search are in `found`.
    ...(await conditionsOf({ ...filter, search: undefined }, compiler)),
    ...(await alternativesOf(filter.any, compiler)),
  )
  conditions.push(...(await ofListOnly(filter, compiler)))
  const all = (form: 'near' | 'some') =>
    [...conditions, ...found.map((one) => one[form])].join(' and ')
  const near = all('near')
  // With a rare word only its files are tested.
  const pack =
    filter.pack === undefined ? null : `${bind(parsePublicId('pack', filter.pack))}::uuid`
  const common = { bindings, shown, pack }
  if (found.some(({ isRare }) => isRare)) return { sql: near, near, some: near, ...common }
  const sql = [...conditions, ...inAll(found.flatMap(({ ids }) => ids ?? []))].join(' and ')
  return { sql, near, some: all('some'), ...common }
}

const partOfName = (part: string | undefined, bind: Compiler['bind']): string[] => {
  if (part === undefined) return []
  const like = bind(`%${likeLiteral(searchKey(part))}%`)
  // The first condition is that of an index.
  return [`${nameAndTags('files')} like ${like} and search_text(files.filename) like ${like}`]
}

/** The conditions that only lists have: about the bytes, the release and licence keys. */
async function ofListOnly(filter: FileFilter, { scope, bind }: Compiler): Promise<string[]> {
  const { backed_up, released, licence_list, quarantined, storage } = filter
  const conditions: string[] = []
  if (storage !== undefined) conditions.push(await inStorage(scope, storage, bind))
  if (backed_up !== undefined)
    conditions.push(`${backed_up ? '' : 'not '}exists (select from backups b
         where b.shop_id = files.shop_id and b.file_id = files.id)`)
  if (quarantined !== undefined)
    conditions.push(
      `${quarantined ? '' : 'not '}(files.id, files.version) in (select v.file_id, v.number from versions v
         where v.shop_id = :shop and v.quarantine is not null and v.quarantined)`,
    )
  if (licence_list !== undefined)
    conditions.push(withLicences(bind(parsePublicId('licences', licence_list))))
  if (released !== undefined) {
    const { settings } = await readShop(scope)
    const today = bind(dayAt(new Date(), settings.time_zone))
    const unreleased = `(files.available_from is not null and files.available_from > ${today})`
    conditions.push(released ? `not ${unreleased}` : unreleased)
  }
  return conditions
}

/** SQL: the file's bytes, or a kept copy of them, are there. */
async function inStorage(
  scope: ShopScope,
  storage: string,
  bind: Compiler['bind'],
): Promise<string> {
  const few = await fewFiles(
    scope,
    `select v.file_id as id from versions v where v.shop_id = :shop and v.location = :storage
     union all select c.file_id from file_copies c where c.shop_id = :shop and c.location = :storage`,
    { storage },
  )
  const [ids, at] = [few && bind(few), bind(storage)]
  return `${ids === null ? '' : `files.id = any(${ids}::uuid[]) and `}exists (
     select from versions v where v.shop_id = files.shop_id and v.file_id = files.id
       and v.number = files.version and (v.location = ${at}
         or exists (select from file_copies c where c.shop_id = v.shop_id
           and c.file_id = v.file_id and c.hash = v.hash and c.location = ${at})))`
}

/** SQL: buyers of the file were given keys of the list. The keys of a unit belong to all files of its line. */
const withLicences = (list: string): string => `files.id in (
   select k.file_id from licence_keys k
   where k.shop_id = :shop and k.list_id = ${list}::uuid and k.delivery_id is not null
   union all
   select df.file_id from licence_keys k join delivery_files df on df.shop_id = :shop
     and df.delivery_id = k.delivery_id and df.line_id = k.line_id and not df.withdrawn
   where k.shop_id = :shop and k.list_id = ${list}::uuid and k.delivery_id is not null)`

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
