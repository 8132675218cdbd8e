// The draft of a feed's form, and what it sends.
import { type CsvColumns, CSV_FIELDS } from '../csv/calls.ts'
import { cronOf, type RunTimes, whenOf } from '../schedules/labels.ts'
import { type Feed, type FeedChange, type FeedTable } from './calls.ts'

export interface FeedDraft {
  name: string
  /** '': the address that is saved. */
  url: string
  /** One in each line, `Name: value`; '': those that are saved. */
  headers: string
  mapping: CsvColumns
  key_column: string | null
  vanished: Feed['vanished']
  vanished_tag: string
  tags: Feed['tags']
  products: Feed['products']
  auto_map: boolean
  notify: boolean
  /** Null: by hand. */
  when: RunTimes | null
}

const NO_COLUMNS = Object.fromEntries(CSV_FIELDS.map((field) => [field, null])) as CsvColumns

export const NEW_FEED: FeedDraft = {
  name: '',
  url: '',
  headers: '',
  mapping: NO_COLUMNS,
  key_column: null,
  vanished: 'keep',
  vanished_tag: '',
  tags: 'replace',
  products: 'add',
  auto_map: true,
  notify: false,
  when: whenOf('0 3 * * *'),
}

export const draftOf = (feed: Feed): FeedDraft => ({
  name: feed.name,
  url: '',
  headers: '',
  mapping: feed.mapping,
  key_column: feed.key_column,
  vanished: feed.vanished,
  vanished_tag: feed.vanished_tag ?? '',
  tags: feed.tags,
  products: feed.products,
  auto_map: feed.auto_map,
  notify: feed.notify,
  when: feed.cron === null ? null : whenOf(feed.cron),
})

/** The headers of a text; a line without a colon is a name without a value. */
export function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim())
  return Object.fromEntries(
    lines
      .filter((line) => line !== '')
      .map((line) => {
        const at = line.indexOf(':')
        return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      }),
  )
}

/** Everything that the form has; the address and the headers only if they were entered. */
export const sentOf = (draft: FeedDraft) => ({
  ...(draft.url === '' ? {} : { url: draft.url.trim() }),
  ...(draft.headers.trim() === '' ? {} : { headers: headersOf(draft.headers) }),
  name: draft.name.trim(),
  mapping: draft.mapping,
  key_column: draft.key_column,
  vanished: draft.vanished,
  vanished_tag: draft.vanished_tag.trim() === '' ? null : draft.vanished_tag.trim(),
  tags: draft.tags,
  products: draft.products,
  auto_map: draft.auto_map,
  notify: draft.notify,
  cron: draft.when === null ? null : cronOf(draft.when),
})

/** The fields that differ. */
export function changeOf(feed: Feed, draft: FeedDraft): FeedChange {
  const before = sentOf(draftOf(feed))
  const entries = Object.entries(sentOf(draft)).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[name]),
  )
  return Object.fromEntries(entries) as FeedChange
}

/** The columns after the table was read: those that were chosen stay, as long as it has them. */
export function mappingAfter(before: CsvColumns, { headers, mapping }: FeedTable): CsvColumns {
  const chosen = CSV_FIELDS.some((field) => before[field] !== null)
  if (!chosen) return mapping
  return Object.fromEntries(
    CSV_FIELDS.map((field) => {
      const header = before[field]
      return [field, header !== null && headers.includes(header) ? header : null]
    }),
  ) as CsvColumns
}

/** The headers to choose from: those of the table, or those that are chosen. */
export const headersFor = (draft: FeedDraft, table: FeedTable | undefined): string[] => [
  ...new Set(
    [...(table?.headers ?? []), ...Object.values(draft.mapping), draft.key_column].filter(
      (header) => header !== null,
    ),
  ),
]
