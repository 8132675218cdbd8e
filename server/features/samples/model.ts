// Samples: what everyone may read or hear of a file. A row is kept while the sample is withdrawn, so
// that the same address works again later. Whether it works is decided by the file's settings.
import { randomBytes } from 'node:crypto'
import type { StagedBlob } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { holdBlobs } from '../../files/blobs.ts'

/** SQL: the length of the sample of the file `f` with the version `v`; null: it has none. */
export const WANTED_LENGTH = `case
  -- Everyone may see a sample: there is none of a file that asks before a download.
  when f.deleted_at is not null or f.ask_for is not null then null
  when lower(v.content_type) ~ '^application/pdf(;|$)' then f.sample_pages
  when lower(v.content_type) ~ '^audio/' then f.sample_seconds end`

export const CURRENT = `files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
  and v.number = f.version`

/** Why there is no sample. */
export const SAMPLE_PROBLEMS = {
  encrypted: 'The document is encrypted',
  damaged: 'The file cannot be opened',
  too_short: 'The file is too short: a sample is at most half of it',
  too_large: 'The file is too large',
  not_supported: 'This installation cannot cut audio: ffmpeg is not installed',
} as const
export type SampleProblem = keyof typeof SAMPLE_PROBLEMS

export interface SampleSource {
  filename: string
  content_type: string
  hash: string
  location: string
  size_bytes: number
  /** Pages, or seconds of audio. */
  length: number
}

/** What the sample of a file is made of; null: it has none. */
export async function sampleSource(scope: ShopScope, file: string): Promise<SampleSource | null> {
  const [row] = await scope.query<Omit<SampleSource, 'length'> & { length: number | null }>(
    `select f.filename, v.content_type, encode(v.hash, 'hex') as hash, v.location, v.size_bytes,
       ${WANTED_LENGTH} as length
     from ${CURRENT} where f.shop_id = :shop and f.id = :file`,
    { file },
  )
  return row && row.length !== null ? { ...row, length: row.length } : null
}

/** Drops the bytes of a sample that was withdrawn; its address stays. */
export async function dropSample(scope: ShopScope, file: string): Promise<void> {
  await scope.query(
    `update samples set hash = null, location = null, size_bytes = null, content_type = null,
       reason = null, length = 0
     where shop_id = :shop and file_id = :file and length > 0`,
    { file },
  )
}

/** `made`: its bytes, or why it could not be made. */
export async function writeSample(
  tx: ShopScope,
  file: string,
  source: SampleSource,
  made: StagedBlob | SampleProblem,
): Promise<void> {
  const bytes = typeof made === 'string' ? null : made
  if (bytes) await holdBlobs(tx, [bytes])
  await tx.query(
    `insert into samples (shop_id, file_id, token, source_hash, length, hash, location, size_bytes,
       content_type, reason)
     select :shop, id, :token, decode(:source, 'hex'), :length, decode(:hash, 'hex'), :location,
       :size, :type, :reason
     from files where shop_id = :shop and id = :file
     on conflict (shop_id, file_id) do update set source_hash = excluded.source_hash,
       length = excluded.length, hash = excluded.hash, location = excluded.location,
       size_bytes = excluded.size_bytes, content_type = excluded.content_type,
       reason = excluded.reason, created_at = now()`,
    {
      file,
      token: randomBytes(16).toString('hex'),
      source: source.hash,
      length: source.length,
      hash: bytes?.hash ?? null,
      location: bytes?.location ?? null,
      size: bytes?.size_bytes ?? null,
      type: bytes?.content_type ?? null,
      reason: typeof made === 'string' ? made : null,
    },
  )
}

export interface ShownSample {
  /** Null: it is being made, or cannot be made. */
  path: string | null
  size_bytes: number | null
  /** Why it cannot be made. */
  reason: SampleProblem | null
}

/** The sample of a file (a bare UUID); null: none is wanted. */
export async function readSample(scope: ShopScope, file: string): Promise<ShownSample | null> {
  const [row] = await scope.query<{
    wanted: number | null
    filename: string
    token: string | null
    size_bytes: number | null
    content_type: string | null
    reason: SampleProblem | null
    current: boolean
  }>(
    `select ${WANTED_LENGTH} as wanted, f.filename, m.token, m.size_bytes, m.content_type, m.reason,
       coalesce(m.source_hash = v.hash and m.length = ${WANTED_LENGTH}, false) as current
     from ${CURRENT} left join samples m on m.shop_id = f.shop_id and m.file_id = f.id
     where f.shop_id = :shop and f.id = :file`,
    { file },
  )
  if (!row || row.wanted === null) return null
  const { token, content_type, current, filename } = row
  if (token === null || !current) return { path: null, size_bytes: null, reason: null }
  const path = content_type === null ? null : samplePath(token, sampleName(filename, content_type))
  return { path, size_bytes: row.size_bytes, reason: row.reason }
}

export const samplePath = (token: string, name: string): string =>
  `/samples/${token}/${encodeURIComponent(name)}`

/** `Guide.pdf` → `Guide (sample).pdf` */
export function sampleName(filename: string, contentType: string): string {
  const stem = filename.replace(/\.[^.]*$/, '')
  return `${stem} (sample).${contentType === 'application/pdf' ? 'pdf' : 'mp3'}`
}
