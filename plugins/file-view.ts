// A file as plugins see it.
import type { FileSettings } from './settings.ts'
import type { AnyText } from './texts.ts'

/** Whether a file that a product gets after it was sold goes to its past buyers. */
export const NEW_FILES_CHOICES = ['never', 'ask', 'always'] as const
export type NewFilesChoice = (typeof NEW_FILES_CHOICES)[number]

/**
 * A file attached to a product, or to one of its variants, with the match method and its
 * confidence.
 */
export interface Mapping {
  product_id: string
  product_title: string
  /** The variant that the file belongs to; null: the whole product. */
  variant_id: string | null
  sku: string | null
  /**
   * How the product was found. `pack`: the file is in a pack that has the product. `rule`: a rule of
   * the shop about names.
   */
  method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack' | 'rule'
  /** The confidence, from 0 to 1. An exact SKU is 1. */
  score: number
  /** Why: it is stored as a message with its values, and shown in the reader's language. */
  reason: AnyText
  /** Whether it goes to past buyers of the product, as its rule says; absent: as the product says. */
  new_files?: NewFilesChoice | null
}

/** A file's current state, or the draft of one that an import will create (then `id` is null). */
export interface FileView extends FileSettings {
  id: string | null
  filename: string
  /** The number of its current version. Null during its import. */
  version: number | null
  size_bytes: number | null
  content_type: string | null
  tags: readonly string[]
  mappings: readonly Mapping[]
  /** The pack that the file is in, a bare UUID. */
  pack_id: string | null
  /**
   * The SKU that its import named, even if no product has it. Null: it named none, or the import is
   * still running.
   */
  wanted_sku: string | null
  /** The time when the file was created, ISO 8601. Null during its import. */
  created_at: string | null
}
