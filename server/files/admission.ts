// An admission of bytes: the request, its result, and what both the admission and its preview
// check.
import {
  type OnConflict,
  type StagedBlob,
  say,
  type AnyText,
} from '../../plugins/contract/index.ts'
import { AppError, type ErrorCode } from '../core/errors.ts'
import type { Ledger } from './change-ledger.ts'
import type { Draft } from './drafts.ts'
import { packNamesProblem } from './packs.ts'
import type { ShopQuotas, QuotaRequest } from './quotas.ts'
import {
  filenameProblem,
  MAX_TAGS,
  nameKey,
  normalizeTags,
  tagProblem,
  type Problem,
} from './rules.ts'

/** Choices by which an existing file of the name gets the bytes. */
export const OVERWRITING: readonly OnConflict[] = ['overwrite', 'new_version']

export interface Admission {
  draft: Draft
  staged: StagedBlob
  onConflict: OnConflict
  /** The file whose next version it becomes; its name is ignored. */
  replaces?: string | undefined
  /** What its source states (`Entry.states`): an existing file gets it with the bytes. */
  states?: readonly string[] | undefined
  /** The tags that an existing file loses; absent: it gets the tags of the draft. */
  tagsRemoved?: readonly string[] | undefined
  /** The names of the packs that an existing file leaves; absent: all but those of the draft. */
  packsRemoved?: readonly string[] | undefined
  channel: string
  /** The import's options for products, stored for SKUs that the catalog does not have yet. */
  productOptions?: ProductOptions
}

export interface ProductOptions {
  sku: string | null
  /** Whether products are guessed; null: the shop's setting decides. */
  auto_map: boolean | null
}

/** Absent quotas limit nothing. */
export type AdmissionLimits = { file_bytes: number } & Partial<ShopQuotas>

export const NO_PRODUCT_OPTIONS: ProductOptions = { sku: null, auto_map: null }

export type AdmissionResult =
  | { status: 'created'; fileId: string; filename: string }
  /** An existing file, which keeps its products. `mapped`: it has some now. */
  | { status: 'replaced'; fileId: string; filename: string; mapped: boolean }
  | (NewVersion & { status: 'versioned' })
  /** An existing file that has these bytes. `ledger`: what else was changed; null: nothing. */
  | { status: 'same'; fileId: string; filename: string; mapped: boolean; ledger: Ledger | null }
  /** `skip`: a file of the shop has its name. Null: an earlier entry of the preview will have it. */
  | { status: 'left_out'; existing: string | null }
  | { status: 'refused'; code: ErrorCode; message: AnyText }

export interface NewVersion {
  fileId: string
  filename: string
  before: number
  version: number
  /** The file has products. */
  mapped: boolean
  /** What else was changed; null: nothing. */
  ledger: Ledger | null
}

/** Whether the admission gives an existing file other bytes. */
export const replacesBytes = ({
  onConflict,
  replaces,
}: Pick<Admission, 'onConflict' | 'replaces'>): boolean =>
  replaces !== undefined || OVERWRITING.includes(onConflict)

export const refusedAdmission = (code: ErrorCode): AdmissionResult => ({
  status: 'refused',
  code,
  message: new AppError(code).message,
})

/** The tags of an existing file with this admission's bytes. */
export function admittedTags(
  had: readonly string[],
  { draft, tagsRemoved }: Pick<Admission, 'draft' | 'tagsRemoved'>,
): string[] {
  if (tagsRemoved === undefined) return draft.tags
  const removed = new Set(normalizeTags(tagsRemoved))
  return normalizeTags([...had.filter((tag) => !removed.has(tag)), ...draft.tags])
}

const TOO_MANY_TAGS = {
  code: 'invalid_tag',
  message: say('At most {count} tags', { count: MAX_TAGS }),
} as const

/** Why an existing file cannot have the tags of this admission; null: it can. */
export const admittedTagsProblem = (tags: readonly string[]): Problem | null =>
  tags.length > MAX_TAGS ? TOO_MANY_TAGS : null

/** The rules that a draft breaks by itself; null: none. */
export function draftProblem(draft: Draft): Problem | null {
  return (
    filenameProblem(draft.filename) ??
    packNamesProblem(draft) ??
    draft.tags.map(tagProblem).find((wrong) => wrong !== null) ??
    admittedTagsProblem(draft.tags)
  )
}

/** What the admission takes from the quotas. */
export const wantedOf = (
  { draft, onConflict, replaces }: Pick<Admission, 'draft' | 'onConflict' | 'replaces'>,
  bytes: number | StagedBlob,
): QuotaRequest => ({
  newName: replaces === undefined ? nameKey(draft.filename) : null,
  ...(typeof bytes === 'number' ? { bytes } : copyOf(bytes)),
  overwrites: OVERWRITING.includes(onConflict),
})

/** What staged bytes take from the quotas. */
export const copyOf = (
  staged: StagedBlob,
): Required<Pick<QuotaRequest, 'bytes' | 'copy' | 'reserved'>> => ({
  bytes: staged.size_bytes,
  copy: staged,
  reserved: staged.reserved ?? false,
})
