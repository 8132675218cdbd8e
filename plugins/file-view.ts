// A file as plugins see it.
import type { FileSettings } from './settings.ts'

/**
 * A file attached to a product, or to one of its variants, with the match method and its
 * confidence.
 */
export interface Mapping {
  product_id: string
  product_title: string
  /** null: the file belongs to the whole product. */
  variant_id: string | null
  sku: string | null
  /** `pack`: through the pack that the file is in. */
  method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack'
  /** 0 to 1. An exact SKU is 1. */
  score: number
  reason: string
}

/** A file's current state, or the draft of one that an import will create (then `id` is null). */
export interface FileView extends FileSettings {
  id: string | null
  filename: string
  size_bytes: number | null
  content_type: string | null
  tags: readonly string[]
  mappings: readonly Mapping[]
  /** The pack that it is in, a bare UUID. */
  pack_id: string | null
  /**
   * The SKU that its import named, even if no product has it; null if it named none, and during the
   * import.
   */
  wanted_sku: string | null
  /** The time of its creation, ISO 8601; null during its import. */
  created_at: string | null
}
