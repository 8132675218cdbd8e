// Which files have a preview, and how it is made.

export type PreviewKind = 'image' | 'document' | 'audio' | 'video'

const MB = 1024 ** 2

interface PreviewRule {
  kind: PreviewKind
  types: RegExp
  /** The largest file of which a preview is made. */
  maxBytes: number
}

const KINDS: readonly PreviewRule[] = [
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
  const found = KINDS.find(({ types, maxBytes }) => types.test(type) && bytes <= maxBytes)
  return found?.kind ?? null
}
