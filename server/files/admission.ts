// The types of an admission of bytes: the request and its result.
import type { StagedBlob } from '../../plugins/contract.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { Draft } from './drafts.ts'
import type { ShopQuotas } from './quotas.ts'

export type OnConflict = 'error' | 'rename' | 'overwrite' | 'new_version'

export interface Admission {
  draft: Draft
  staged: StagedBlob
  onConflict: OnConflict
  /** The file whose next version it becomes; its name is ignored. */
  replaces?: string | undefined
  channel: string
  /** The import's options for products, stored for SKUs that the catalog does not have yet. */
  productOptions?: ProductOptions
}

export interface ProductOptions {
  sku: string | null
  /** Whether to guess; null: the shop's setting decides. */
  auto_map: boolean | null
}

/** Absent quotas limit nothing. */
export type AdmissionLimits = { file_bytes: number } & Partial<ShopQuotas>

export const NO_PRODUCT_OPTIONS: ProductOptions = { sku: null, auto_map: null }

export type Admitted =
  | { status: 'created'; fileId: string; filename: string }
  /** An existing file, which keeps its products. `mapped`: it has some now. */
  | { status: 'replaced'; fileId: string; filename: string; mapped: boolean }
  | (NewVersion & { status: 'versioned' })
  | { status: 'refused'; code: ErrorCode; message: string }

export interface NewVersion {
  fileId: string
  filename: string
  before: number
  version: number
  /** The file has products. */
  mapped: boolean
}

export const refusedAdmission = (code: ErrorCode): Admitted => ({
  status: 'refused',
  code,
  message: new AppError(code).message,
})
