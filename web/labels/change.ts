// How a change to a file reads: what it was, and what it is or would be.
import { type FileSettings, type ItemMapping, type ItemState } from '../client/types.ts'
import { expiryText, limitText } from './file.ts'
import { numberText, savedText, sizeText } from './size.ts'

export interface Change {
  what: string
  /** null where there is nothing to compare with. */
  before: string | null
  after: string | null
}

type Field = keyof FileSettings | 'filename' | 'version' | 'size_bytes' | 'pack'
type Fields = {
  [K in Field]: { what: string; text: (value: NonNullable<ItemState[K]> | null) => string }
}

const onOff = (on: boolean | null) => (on ? 'On' : 'Off')

const FIELDS: Fields = {
  filename: { what: 'Name', text: (name) => name ?? '' },
  expiry_days: {
    what: 'Links expire',
    text: (days) => (days === null ? 'Never' : `After ${expiryText(days)}`),
  },
  download_limit: { what: 'Links allow', text: limitText },
  visibility: {
    what: 'Visibility',
    text: (visibility) => (visibility === 'public' ? 'Public' : 'Private'),
  },
  cdn: { what: 'CDN', text: onOff },
  download_notification: { what: 'Notification', text: onOff },
  download_tracking: { what: 'Tracking', text: onOff },
  allowed_referrers: {
    what: 'Referrers',
    text: (sites) => (sites?.length ? sites.join(', ') : 'Any'),
  },
  pack: { what: 'Pack', text: (pack) => pack ?? 'None' },
  version: {
    what: 'Version',
    text: (version) => (version === null ? 'None' : numberText(version)),
  },
  size_bytes: { what: 'Size', text: (bytes) => (bytes === null ? '' : sizeText(bytes)) },
}

/** Every difference between the two, in a fixed order; what stayed as it was is left out. */
export function changesOf(before: ItemState | null, after: ItemState | null): Change[] {
  if (!after) return []
  const changes: Change[] = []
  const add = (what: string, from: string | null, to: string | null) =>
    changes.push({ what, before: from, after: to })
  if (after.created) add('New file', null, null)
  if (after.replaced) add('Replaced the file of this name', null, null)
  if (after.purged) add('Deleted permanently', null, null)
  if (after.deleted !== undefined && after.deleted !== before?.deleted)
    add(after.deleted ? 'Moved to the trash' : 'Restored from the trash', null, null)
  for (const field of Object.keys(FIELDS) as Field[]) {
    const text = FIELDS[field].text as (value: unknown) => string
    const to = after[field]
    // A new file's name stands beside it.
    if (to === undefined || (after.created && field === 'filename')) continue
    const from = before?.[field] === undefined ? null : text(before[field])
    if (from !== text(to))
      add(FIELDS[field].what, from, text(to) + (field === 'size_bytes' ? saved(before, after) : ''))
  }
  const { tags, mappings, created_files: made } = after
  if (tags?.added.length) add('Tags added', null, tags.added.join(', '))
  if (tags?.removed.length) add('Tags removed', null, tags.removed.join(', '))
  if (mappings?.added.length) add('Mapped to', null, titles(mappings.added))
  if (mappings?.removed.length) add('No longer mapped to', null, titles(mappings.removed))
  if (made?.length)
    add(
      made.length === 1 ? 'New file' : `${numberText(made.length)} new files`,
      null,
      made.join(', '),
    )
  if (after.link !== undefined) add('Download link', null, null)
  return changes
}

/** ` (74% less)` */
const saved = (before: ItemState | null, { size_bytes: to }: ItemState): string => {
  const text = savedText(before?.size_bytes, to)
  return text === null ? '' : ` (${text})`
}

const titles = (mappings: readonly ItemMapping[]): string =>
  [...new Set(mappings.map(({ product_title }) => product_title))].join(', ')
