// The conditions that the list of files has in one filter, beside those that have one of their own.
import { type FileFilter } from '../client/types.ts'

export const FURTHER: ReadonlySet<string> = new Set<keyof FileFilter>([
  'tags_any',
  'tags_none',
  'name_begins',
  'name_ends',
  'name_like',
  'product_tag',
  'pack_none',
  'channel',
  'folder',
  'version_above',
  'linked',
  'changed_after',
  'changed_before',
  'downloaded_after',
  'downloaded_before',
  'any',
])

/** The filter's further conditions. */
export const furtherOf = (filter: FileFilter): FileFilter =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => FURTHER.has(name)))

const LISTS: ReadonlySet<string> = new Set(['type', 'tags', 'tags_any', 'tags_none', 'channel'])

/** Has what an address says the form of a filter? Its values are the server's to judge. */
export const isFilter = (value: unknown): value is FileFilter =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(([name, part]: [string, unknown]) => {
    if (name === 'any') return Array.isArray(part) && part.every(isFilter)
    return LISTS.has(name)
      ? Array.isArray(part) && part.every((one) => typeof one === 'string')
      : ['string', 'number', 'boolean'].includes(typeof part)
  })
