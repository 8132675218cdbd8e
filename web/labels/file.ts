// What kind of file a name stands for, and how its settings and mappings read.
import { type File, type LinkStatus, type Mapping } from '../client/types.ts'
import { countText } from './size.ts'

export type FileFamily = 'document' | 'image' | 'video' | 'audio' | 'archive' | 'other'

const FAMILIES: Record<Exclude<FileFamily, 'other'>, readonly string[]> = {
  document: 'pdf doc docx xls xlsx ppt pptx odt ods odp rtf txt md csv epub mobi'.split(' '),
  image: 'jpg jpeg png gif svg webp avif tif tiff heic psd ai'.split(' '),
  video: 'mp4 mov avi webm mkv m4v'.split(' '),
  audio: 'mp3 wav aac m4a flac ogg'.split(' '),
  archive: 'zip rar 7z gz tar tgz xz bz2'.split(' '),
}

/** `Guide.PDF` → `pdf`; the empty string where there is none. */
export function extensionOf(filename: string): string {
  const match = /[^./\\]\.([a-z0-9]{1,8})$/i.exec(filename)
  return match ? match[1]!.toLowerCase() : ''
}

export function familyOf(filename: string, contentType: string): FileFamily {
  const extension = extensionOf(filename)
  for (const [family, extensions] of Object.entries(FAMILIES))
    if (extensions.includes(extension)) return family as FileFamily
  const major = contentType.split('/')[0]
  return major === 'image' || major === 'video' || major === 'audio' ? major : 'other'
}

/** The kind in a word or two: `PDF`, `JPG image`, `ZIP archive`, `File`. */
export function kindText(filename: string, contentType: string): string {
  const extension = extensionOf(filename).toUpperCase()
  const family = familyOf(filename, contentType)
  if (family === 'other' || family === 'document') return extension || 'File'
  return extension ? `${extension} ${family}` : family[0]!.toUpperCase() + family.slice(1)
}

const GROUPS: Record<string, string> = {
  document: 'Documents',
  image: 'Images',
  video: 'Videos',
  audio: 'Audio',
  archive: 'Archives',
}
export const TYPE_GROUPS = Object.keys(GROUPS)

/** A type that a list may be narrowed to, a group or an extension: `Images`, `PDF`. */
export const typeText = (type: string): string => GROUPS[type] ?? type.toUpperCase()

export const expiryText = (days: number | null): string =>
  days === null ? 'Never' : countText(days, 'day', 'days')

export const limitText = (limit: number | null): string =>
  limit === null ? 'Unlimited' : countText(limit, 'download', 'downloads')

export const visibilityText = (visibility: File['visibility']): string =>
  visibility === 'public' ? 'Public' : 'Private (a download link is required)'

const METHODS: Record<Mapping['method'], string> = {
  sku: 'Product SKU',
  filename: 'SKU in the filename',
  title: 'Product title',
  tags: 'Tags',
  manual: 'By hand',
  pack: 'Its pack',
}
export const methodText = (method: Mapping['method']): string => METHODS[method] ?? method

const LINK_STATUSES: Record<
  LinkStatus,
  { text: string; tone?: 'success' | 'warning' | 'critical' }
> = {
  active: { text: 'Active', tone: 'success' },
  expired: { text: 'Expired' },
  exhausted: { text: 'Used up', tone: 'warning' },
  revoked: { text: 'Revoked', tone: 'critical' },
  withdrawn: { text: 'Withdrawn', tone: 'critical' },
}
export const linkStatus = (status: LinkStatus) => LINK_STATUSES[status] ?? { text: status }

/** One title for each product, in order, however many of its variants are mapped. */
export const productTitles = (mappings: readonly Mapping[]): string[] => [
  ...new Map(mappings.map(({ product_id, product_title }) => [product_id, product_title])).values(),
]

type Named = Pick<File, 'filename' | 'content_type'>

export const isPdf = ({ filename, content_type }: Named): boolean =>
  extensionOf(filename) === 'pdf' || content_type === 'application/pdf'

/** A picture made of pixels, which can be made smaller. */
export const isImage = ({ filename, content_type }: Named): boolean =>
  familyOf(filename, content_type) === 'image' &&
  !['svg', 'psd', 'ai', 'heic'].includes(extensionOf(filename))
