// The language of conditions on files: one description of each field, with its schema and with its
// meaning for a file or draft in memory. server/files/condition-sql.ts has its meaning in SQL, and a
// property test compares the two.
import { z } from 'zod'
import { nameKey } from '../_page/name-key.ts'
import { ownValue } from '../_page/own-value.ts'
import { hasWords, searchWords } from '../_page/search-key.ts'
import {
  extensionOf,
  extensionsOf,
  flag,
  numeric,
  searchText,
  tagForm,
  textList,
} from './condition.ts'
import { beginningOf } from './days.ts'
import { NO_FACTS, type FileFacts } from './file-facts.ts'
import type { FileView } from './item.ts'
import { sayFixed, sayPlain } from './text.ts'

const NO_DATE = 'Send a date, like 2026-01-31'
// PostgreSQL has no year 0.
const FIRST_DAY = '1900'
const dayOrTime = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], NO_DATE)
  .refine((text) => text >= FIRST_DAY, NO_DATE)
const DAY_OR_TIME = 'this time, or this day, which begins at midnight in the shop’s time zone'
/** A day or a time: `momentIn` distinguishes them. */
export const day = dayOrTime.describe(
  'A time, or a day, which begins at midnight in the shop’s time zone',
)

/** The moment of a time, or at which a day begins in the time zone, in milliseconds. */
export const momentIn = (text: string, timeZone: string): number =>
  text.includes('T') ? Date.parse(text) : beginningOf(text, timeZone).getTime()

const DAY_MS = 86_400_000
const days = numeric(z.number().int().min(1).max(36_500))
const bytes = numeric(z.number().int().min(0))
const text = searchText(255).refine((value) => value !== '', sayPlain('Enter a text'))

/** An id, kept as it was given. Only programs send a wrong one: the message is not translated. */
const idOf = (prefix: string, what: string) =>
  z.string().refine((id) => isId(id, prefix), `This is not the id of ${what}`)
const isId = (id: string, prefix: string) => new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(id)

interface Clock {
  /** Milliseconds. */
  now: number
  /** The shop's, a name of the IANA list. */
  timeZone: string
}

/** A file or draft as conditions see it. */
interface Subject extends Clock {
  file: FileView
  facts: FileFacts
}

const field = <Schema extends z.ZodType>(
  schema: Schema,
  { title, says }: { title: string; says: string },
  holds: (value: z.output<Schema>, subject: Subject) => boolean,
) => ({
  schema: schema.optional(),
  /** As the API documents it. */
  meta: { title, description: says },
  value: schema,
  holds,
  /** Whether it asks for `FileView.facts`. */
  asks: false,
})

/** A field about `FileView.facts`. */
const factField = <Schema extends z.ZodType>(...given: Parameters<typeof field<Schema>>) => ({
  ...field(...given),
  asks: true,
})

const moment = (text: string | null): number | null => (text === null ? null : timeOf(text))

/** PostgreSQL writes a space for the T, and offsets without minutes. */
const timeOf = (text: string): number =>
  Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'))

const isBefore = (time: string | null, value: string, { timeZone }: Clock, absent: number | null) =>
  compared(moment(time) ?? absent, (at) => at < momentIn(value, timeZone))
const isAfter = (time: string | null, value: string, { timeZone }: Clock, absent: number | null) =>
  compared(moment(time) ?? absent, (at) => at >= momentIn(value, timeZone))
const compared = (at: number | null, holds: (at: number) => boolean): boolean =>
  at !== null && holds(at)

const hasTag = (file: FileView, tag: string): boolean => file.tags.includes(tagForm(tag))
const idIs = (id: string, uuid: string | null): boolean =>
  uuid !== null && id.slice(id.indexOf('_') + 1) === uuid.replaceAll('-', '')
const packsOf = ({ file, facts }: Subject): readonly string[] => [
  ...file.packs,
  ...facts.named_packs,
]

/**
 * Each field with its meaning. An import's file without bytes is neither large nor small, has no
 * version, and is uploaded now.
 */
const CONDITIONS = {
  search: field(
    searchText(255),
    {
      title: 'Name or tags contain',
      says: 'Words in any order, each in the name or in a tag. Case and accents are ignored',
    },
    (search, { file }) => hasWords([file.filename, ...file.tags], search),
  ),
  type: field(
    textList,
    { title: 'Type', says: 'Extensions, or document, image, video, audio, archive' },
    (type, { file }) => extensionsOf(type).includes(extensionOf(file.filename)),
  ),
  name_begins: field(
    text,
    { title: 'Name begins with', says: 'The name begins with this text, without regard to case' },
    (start, { file }) => nameKey(file.filename).startsWith(nameKey(start)),
  ),
  name_ends: field(
    text,
    {
      title: 'Name ends with',
      says: 'The name with its extension ends with this text, without regard to case',
    },
    (end, { file }) => nameKey(file.filename).endsWith(nameKey(end)),
  ),
  name_like: field(
    text,
    {
      title: 'Name is like',
      says: 'The whole name is like this, without regard to case: * is any text, as in A-*',
    },
    (pattern, { file }) => isLike(nameKey(file.filename), nameKey(pattern)),
  ),
  tags: field(textList, { title: 'Tags', says: 'Has all of these tags' }, (tags, { file }) =>
    tags.every((tag) => hasTag(file, tag)),
  ),
  tags_any: field(
    textList,
    { title: 'Has one of these tags', says: 'Has at least one of these tags' },
    (tags, { file }) => tags.some((tag) => hasTag(file, tag)),
  ),
  tags_none: field(
    textList,
    { title: 'Has none of these tags', says: 'Has none of these tags' },
    (tags, { file }) => !tags.some((tag) => hasTag(file, tag)),
  ),
  mapped: field(
    flag,
    { title: 'Mapped', says: 'Is mapped to a product, or is not' },
    (mapped, { file }) => file.mappings.length > 0 === mapped,
  ),
  product: field(
    z.string().max(255),
    { title: 'Product', says: 'Belongs to this product: its id on the platform' },
    (product, { file }) => file.mappings.some(({ product_id }) => product_id === product),
  ),
  product_tag: factField(
    text,
    {
      title: 'Tag of its product',
      says: 'Belongs to a product with this tag, without regard to case',
    },
    (tag, { facts }) => facts.product_tags.includes(nameKey(tag)),
  ),
  pack: factField(
    idOf('pack', 'a pack'),
    { title: 'Pack', says: 'Is in this pack: its id' },
    (pack, subject) => packsOf(subject).some((one) => idIs(pack, one)),
  ),
  pack_none: factField(
    flag,
    { title: 'In no pack', says: 'Is in no pack (true), or is in a pack (false)' },
    (none, subject) =>
      (packsOf(subject).length === 0 && (subject.file.new_packs ?? []).length === 0) === none,
  ),
  larger_than: field(
    bytes,
    { title: 'Larger than', says: 'Bytes' },
    (size, { file }) => file.size_bytes !== null && file.size_bytes > size,
  ),
  smaller_than: field(
    bytes,
    { title: 'Smaller than', says: 'Bytes' },
    (size, { file }) => file.size_bytes !== null && file.size_bytes < size,
  ),
  version_above: field(
    numeric(z.number().int().min(0).max(1_000_000)),
    { title: 'Version above', says: 'The number of its version is greater: 1 means replaced' },
    (version, { file }) => file.version !== null && file.version > version,
  ),
  channel: factField(
    textList,
    {
      title: 'Channel',
      says: 'Was imported through one of these channels: csv, api, upload, drop, cloud',
    },
    (channels, { facts }) => facts.channel !== null && channels.includes(facts.channel),
  ),
  drop_account: factField(
    idOf('account', 'a drop account'),
    {
      title: 'Drop account',
      says: 'Was sent through this account of the drop folder: its id',
    },
    (account, { facts }) => facts.drop_accounts.includes(account),
  ),
  connection: factField(
    idOf('connection', 'a cloud connection'),
    { title: 'Cloud connection', says: 'Is synced with this cloud connection: its id' },
    (connection, { facts }) => facts.connections.includes(connection),
  ),
  folder: factField(
    text.refine((folder) => folderForm(folder) !== '', sayPlain('Enter a text')),
    {
      title: 'Folder',
      says: 'Is synced with this folder of a cloud connection or with one below it, like Guides/2026',
    },
    (folder, { facts }) =>
      facts.folders.some((one) => `${one}/`.startsWith(`${folderForm(folder)}/`)),
  ),
  linked: factField(
    flag,
    {
      title: 'Linked',
      says: 'A link to it or its public address was ever made (true), or never (false)',
    },
    (linked, { facts }) => facts.linked === linked,
  ),
  delivered: factField(
    flag,
    { title: 'Delivered', says: 'Was ever in a delivery (true), or never (false)' },
    (delivered, { facts }) => facts.delivered === delivered,
  ),
  uploaded_before: field(
    dayOrTime,
    {
      title: 'Uploaded before',
      says: `Uploaded before ${DAY_OR_TIME}`,
    },
    (value, subject) => isBefore(subject.file.created_at, value, subject, subject.now),
  ),
  uploaded_after: field(
    dayOrTime,
    {
      title: 'Uploaded after',
      says: `Uploaded on or after ${DAY_OR_TIME}`,
    },
    (value, subject) => isAfter(subject.file.created_at, value, subject, subject.now),
  ),
  changed_before: factField(
    dayOrTime,
    {
      title: 'Changed before',
      says: `Last changed before ${DAY_OR_TIME}`,
    },
    (value, subject) => isBefore(subject.facts.changed_at, value, subject, subject.now),
  ),
  changed_after: factField(
    dayOrTime,
    {
      title: 'Changed after',
      says: `Last changed on or after ${DAY_OR_TIME}`,
    },
    (value, subject) => isAfter(subject.facts.changed_at, value, subject, subject.now),
  ),
  downloaded_before: factField(
    dayOrTime,
    {
      title: 'Downloaded before',
      says: `Its last download, or view in the browser, was before ${DAY_OR_TIME}`,
    },
    (value, subject) => isBefore(subject.facts.used_at, value, subject, null),
  ),
  downloaded_after: factField(
    dayOrTime,
    {
      title: 'Downloaded after',
      says: `A download, or a view in the browser, was on or after ${DAY_OR_TIME}`,
    },
    (value, subject) => isAfter(subject.facts.used_at, value, subject, null),
  ),
  older_than_days: field(
    days,
    { title: 'Uploaded more than', says: 'Uploaded more than this many days ago' },
    (count, { file, now }) => compared(moment(file.created_at), (at) => at < now - count * DAY_MS),
  ),
  not_downloaded_for_days: factField(
    days,
    {
      title: 'Not downloaded for',
      says: 'No download in this many days, and no view in the browser; views are known for 13 months',
    },
    (count, { facts, now }) => !compared(moment(facts.used_at), (at) => at > now - count * DAY_MS),
  ),
}

/** A path without slashes at its ends. */
export const folderForm = (folder: string): string => folder.replace(/^\/+|\/+$/g, '')

/** Is the text like the pattern, in which * is any text? In linear time for any number of *. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*')
  const first = parts.shift() ?? ''
  const last = parts.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length >= at + last.length && text.endsWith(last)
}

export type ConditionName = keyof typeof CONDITIONS
export const CONDITION_NAMES = Object.keys(CONDITIONS) as ConditionName[]

type Schemas = { [Name in ConditionName]: (typeof CONDITIONS)[Name]['schema'] }
/** The fields that a member of `any` has too. */
const simpleConditionFields = Object.fromEntries(
  CONDITION_NAMES.map((name) => [name, CONDITIONS[name].schema]),
) as Schemas

/** The most words of a search that are looked up one by one. */
export const MAX_WORDS = 8
export const TOO_MANY_WORDS = sayFixed('Send at most {count} words', { count: MAX_WORDS })
export const hasFewWords = (text: string): boolean => searchWords(text).length <= MAX_WORDS

/** How many alternatives `any` may have. */
const MAX_ALTERNATIVES = 10
const alternatives = z
  .array(
    z
      .strictObject({
        ...simpleConditionFields,
        search: CONDITIONS.search.value.refine(hasFewWords, TOO_MANY_WORDS).optional(),
      })
      .refine((part) => Object.keys(part).length > 0, {
        error: sayPlain('Choose at least one condition'),
        // An unknown field is a problem already.
        when: ({ issues }) => issues.length === 0,
      }),
  )
  .min(1, sayPlain('Enter at least one alternative'))
  .max(MAX_ALTERNATIVES)

function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** All fields. Values come as query parameters or as JSON; `any` is JSON in both. */
export const conditionFields = {
  ...simpleConditionFields,
  any: z.preprocess(parsedJson, alternatives).optional(),
}

/** The fields as the API documents them. The options of plugins are shown by forms of the page. */
export const documentedConditionFields = {
  ...(Object.fromEntries(
    CONDITION_NAMES.map((name) => [name, CONDITIONS[name].schema.meta(CONDITIONS[name].meta)]),
  ) as Schemas),
  any: conditionFields.any.meta({
    title: 'Any of these',
    description:
      'At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]',
  }),
}

export const conditionSchema = z.strictObject(conditionFields)

type SimpleCondition = {
  [Name in ConditionName]?: Readonly<z.output<(typeof CONDITIONS)[Name]['value']>> | undefined
}
/**
 * The condition on an item's file for a step to apply: every given part must hold. Drafts have
 * these fields too.
 */
export interface Condition extends SimpleCondition {
  /** At least one of these must hold. */
  any?: readonly SimpleCondition[] | undefined
}

/** Does the condition ask for `FileView.facts`? */
export const asksForFacts = ({ any = [], ...simple }: Condition): boolean =>
  Object.entries(simple).some(
    ([name, value]) => value !== undefined && ownValue(CONDITIONS, name)?.asks === true,
  ) || any.some(asksForFacts)

/**
 * Whether the file or draft meets the condition.
 * @param clock where days begin; `now` is the time of the call unless a test sets it
 */
export function matchesCondition(
  file: FileView,
  { any, ...simple }: Condition,
  { timeZone = 'UTC', now = Date.now() }: Partial<Clock> = {},
): boolean {
  const subject: Subject = { file, facts: file.facts ?? NO_FACTS, timeZone, now }
  return (
    CONDITION_NAMES.every((name) => {
      const value: unknown = simple[name]
      const holds = CONDITIONS[name].holds as (value: unknown, subject: Subject) => boolean
      return value === undefined || holds(value, subject)
    }) &&
    (any === undefined || any.some((part) => matchesCondition(file, part, { timeZone, now })))
  )
}
