// The kind of a file by its name, and texts about its settings and mappings.
import { type File, type LinkStatus, type Mapping, type Schemas } from '../client/types.ts'
import { dayText } from '../labels/time.ts'
import { t } from '../messages/t.ts'

type FileFamily = 'document' | 'image' | 'video' | 'audio' | 'archive' | 'link' | 'other'

const FAMILIES: Record<Exclude<FileFamily, 'other'>, readonly string[]> = {
  document: 'pdf doc docx xls xlsx ppt pptx odt ods odp rtf txt md csv epub mobi'.split(' '),
  image: 'jpg jpeg png gif svg webp avif tif tiff heic psd ai'.split(' '),
  video: 'mp4 mov avi webm mkv m4v'.split(' '),
  audio: 'mp3 wav aac m4a flac ogg'.split(' '),
  archive: 'zip rar 7z gz tar tgz xz bz2'.split(' '),
  link: ['url'],
}

/** `Guide.PDF` → `pdf`; the empty string if there is none. */
export function extensionOf(filename: string): string {
  const match = /[^./\\]\.([a-z0-9]{1,8})$/i.exec(filename)
  return match ? match[1]!.toLowerCase() : ''
}

/** The family that decides a file’s icon: by its extension, otherwise by its media type. */
export function familyOf(filename: string, contentType: string): FileFamily {
  const extension = extensionOf(filename)
  for (const [family, extensions] of Object.entries(FAMILIES))
    if (extensions.includes(extension)) return family as FileFamily
  const major = contentType.split('/')[0]
  return major === 'image' || major === 'video' || major === 'audio' ? major : 'other'
}

/** The kind of a file: `PDF`, `JPG image`, `ZIP archive`, `File`. */
export function kindText(filename: string, contentType: string): string {
  const extension = extensionOf(filename).toUpperCase()
  const family = familyOf(filename, contentType)
  if (family === 'link') return t('Web link')
  if (family === 'other' || family === 'document') return extension || t('File')
  return KINDS[family](extension)
}

/** `extension`: empty if there is none. */
const KINDS: Record<'image' | 'video' | 'audio' | 'archive', (extension: string) => string> = {
  image: (extension) => (extension ? t('{extension} image', { extension }) : t('Image')),
  video: (extension) => (extension ? t('{extension} video', { extension }) : t('Video')),
  audio: (extension) => (extension ? t('{extension} audio', { extension }) : t('Audio')),
  archive: (extension) => (extension ? t('{extension} archive', { extension }) : t('Archive')),
}

const GROUPS: ReadonlyMap<string, string> = new Map([
  ['document', t('Documents')],
  ['image', t('Images')],
  ['video', t('Videos')],
  ['audio', t('Audio')],
  ['archive', t('Archives')],
])
export const TYPE_GROUPS: readonly string[] = [...GROUPS.keys()]

/** A type in a filter, a group or an extension: `Images`, `PDF`. */
export const typeText = (type: string): string => GROUPS.get(type) ?? type.toUpperCase()

export const expiryText = (days: number | null): string =>
  days === null ? t('Never') : t('After {days, plural, one {# day} other {# days}}', { days })

/** When buyers can download a file: a day, a time after the purchase, or both. */
export const releaseText = ({
  available_from: day,
  available_after_days: days,
}: Pick<File, 'available_from' | 'available_after_days'>): string => {
  const after = days === null ? null : waitText(days)
  const from = day === null ? null : releaseDayText(day)
  if (after !== null && from !== null)
    return t('{day}, and {wait}', { day: from, wait: lowerFirst(after) })
  return from ?? after ?? t('Immediately')
}
const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

export const releaseDayText = (day: string | null): string =>
  day === null ? t('Immediately') : t('From {day}', { day: dayText(day) })

export const waitText = (days: number | null): string =>
  days === null
    ? t('Immediately')
    : t('{days, plural, one {# day} other {# days}} after the purchase', { days })

export const firstUseText = (hours: number | null): string => {
  if (hours === null) return t('Not limited')
  return hours % 24 === 0
    ? t('After {days, plural, one {# day} other {# days}}', { days: hours / 24 })
    : t('After {hours, plural, one {# hour} other {# hours}}', { hours })
}

export const customerTagText = (tag: string | null): string =>
  tag === null ? t('All buyers') : t('Customers with the tag {tag}', { tag })

export const limitText = (limit: number | null): string =>
  limit === null
    ? t('Unlimited')
    : t('{limit, plural, one {# download} other {# downloads}}', { limit })

export const visibilityText = (visibility: File['visibility']): string =>
  visibility === 'public' ? t('Public') : t('Private (a download link is required)')

const METHODS: Record<Mapping['method'], string> = {
  sku: t('Product SKU'),
  filename: t('SKU in the filename'),
  title: t('Product title'),
  tags: t('Tags'),
  manual: t('Manual'),
  pack: t('Pack'),
  rule: t('Rule of the shop'),
}
export const methodText = (method: Mapping['method']): string => METHODS[method] ?? method

type RefusedReason = Extract<Schemas['FileHistoryEntry'], { kind: 'refused' }>['reason']

const REFUSALS: Record<RefusedReason, string> = {
  used_up: t('Used up'),
  views_used_up: t('Views used up'),
  views_expired: t('Views ended'),
  expired: t('Expired'),
  revoked: t('Revoked'),
  withdrawn: t('Withdrawn'),
  not_prepared: t('Not prepared yet'),
  held: t('On hold'),
  site_not_allowed: t('Site not allowed'),
  not_released: t('Not available yet'),
  customer_tag: t('Customer tag missing'),
  wrong_answer: t('Wrong answer'),
}

/** What links of a file ask for before a download. */
export const askedText = (asked: File['ask_for']): string =>
  asked === null
    ? t('Nothing')
    : asked === 'email'
      ? t('The buyer’s email address')
      : t('A password')
/** Why a download was refused, and how often within a minute: `Used up`, `Used up, 3 times`. */
export const refusedText = ({ reason, times }: { reason: RefusedReason; times: number }): string =>
  times === 1 ? REFUSALS[reason] : t('{reason}, {times} times', { reason: REFUSALS[reason], times })

const LINK_STATUSES: Record<
  LinkStatus,
  { text: string; tone?: 'success' | 'warning' | 'critical' }
> = {
  active: { text: t('Active'), tone: 'success' },
  not_released: { text: t('Not available yet'), tone: 'warning' },
  expired: { text: t('Expired') },
  exhausted: { text: t('Used up'), tone: 'warning' },
  revoked: { text: t('Revoked'), tone: 'critical' },
  withdrawn: { text: t('Withdrawn'), tone: 'critical' },
}
export const linkStatus = (status: LinkStatus) => LINK_STATUSES[status] ?? { text: status }

/** The titles of the products, in order; a product with several mapped variants is named once. */
export const productTitles = (mappings: readonly Mapping[]): string[] => [
  ...new Map(mappings.map(({ product_id, product_title }) => [product_id, product_title])).values(),
]

/** The sample of a file for the shop front, by the setting that its type has. */
export function sampleText(
  setting: 'sample_pages' | 'sample_seconds',
  length: number | null,
): string {
  if (length === null) return t('No sample')
  return setting === 'sample_pages'
    ? t('Sample of {pages, plural, one {# page} other {# pages}}', { pages: length })
    : t('Sample of {seconds, plural, one {# second} other {# seconds}}', { seconds: length })
}
