// Which files a browser can show, what the setting `view` of a file allows, and which files have a
// preview.
import type { FileSettings } from '../../plugins/contract/index.ts'
import { firstOf } from '../core/lazy.ts'

export type ViewKind = 'image' | 'audio' | 'video' | 'document'

// SVG is missing because it can contain scripts.
const TYPES: Readonly<Record<ViewKind, readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'],
  audio: [
    'audio/mpeg',
    'audio/mp4',
    'audio/x-m4a',
    'audio/aac',
    'audio/ogg',
    'audio/opus',
    'audio/wav',
    'audio/x-wav',
    'audio/vnd.wave',
    'audio/flac',
    'audio/x-flac',
    'audio/webm',
  ],
  video: ['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime', 'video/x-m4v'],
  document: ['application/pdf'],
}

const KINDS: ReadonlyMap<string, ViewKind> = new Map(
  Object.entries(TYPES).flatMap(([kind, types]) =>
    types.map((type) => [type, kind as ViewKind] as const),
  ),
)

/** How a browser shows files of this type; null: not at all. */
export const viewKind = (contentType: string): ViewKind | null =>
  KINDS.get(bareType(contentType)) ?? null

export const bareType = (contentType: string): string =>
  firstOf(contentType.split(';', 1)).trim().toLowerCase()

interface ViewedFile {
  contentType: string
  view: FileSettings['view']
}

/** How this file may be viewed; null: it is downloaded. */
export const offeredView = ({ view, contentType }: ViewedFile): ViewKind | null =>
  view === 'download' ? null : viewKind(contentType)

/** May the file be viewed but not downloaded? Types that no browser shows are always downloads. */
export const isViewOnly = ({ view, contentType }: ViewedFile): boolean =>
  view === 'view_only' && viewKind(contentType) !== null

/** The setting as it applies to the file: types that no browser shows are downloads. */
export const effectiveView = (file: ViewedFile): FileSettings['view'] =>
  offeredView(file) === null ? 'download' : file.view

/** SQL: a browser can show the file `f`. */
const isShown = (f: string): string =>
  `lower(trim(split_part(${f}.content_type, ';', 1))) = any('{${[...KINDS.keys()].join(',')}}')`

/** SQL: may the file `f` be viewed? As `offeredView`. */
export const offersView = (f: string): string => `(${f}.view <> 'download' and ${isShown(f)})`

/** SQL of `isViewOnly`. */
export const viewedOnly = (f: string): string => `(${f}.view = 'view_only' and ${isShown(f)})`

/** SQL of `effectiveView`. */
export const effectiveViewOf = (f: string): string =>
  `case when ${offersView(f)} then ${f}.view else 'download' end`

/** SQL: may the file `f` be downloaded? */
export const DOWNLOADABLE = `(not ${viewedOnly('f')})`

// Which files have a preview, and how it is made.

export type PreviewKind = 'image' | 'document' | 'audio' | 'video'

const MB = 1024 ** 2

interface PreviewRule {
  kind: PreviewKind
  types: RegExp
  /** The largest file of which a preview is made. */
  maxBytes: number
}

const PREVIEW_KINDS: readonly PreviewRule[] = [
  { kind: 'image', types: /^image\/(jpeg|png|gif|webp|avif|tiff|heif|heic)$/, maxBytes: 50 * MB },
  { kind: 'document', types: /^application\/pdf$/, maxBytes: 100 * MB },
  {
    kind: 'audio',
    types:
      /^audio\/(mpeg|mp4|x-m4a|aac|ogg|opus|flac|x-flac|wav|x-wav|vnd\.wave|webm|aiff|x-aiff)$/,
    maxBytes: 500 * MB,
  },
  {
    kind: 'video',
    types: /^video\/(mp4|webm|ogg|quicktime|x-m4v|x-matroska)$/,
    maxBytes: 2048 * MB,
  },
]

/** How the preview of a file is made; null: files of its type or size have none. */
export function previewKind(contentType: string, bytes: number): PreviewKind | null {
  const [bare = ''] = contentType.split(';', 1)
  const type = bare.trim().toLowerCase()
  const found = PREVIEW_KINDS.find(({ types, maxBytes }) => types.test(type) && bytes <= maxBytes)
  return found?.kind ?? null
}
