// The draft of a file that an import will create: the entry's wishes over the shop's import defaults.
import type { FileSettings, FileView, Mapping } from '../../plugins/contract.ts'
import type { ShopDefaults } from './shop-settings.ts'
import { normalizeTags } from './rules.ts'

/** What the engine keeps of a file while it is made. */
export interface Draft extends FileSettings {
  filename: string
  tags: string[]
  mappings: Mapping[]
}

export interface DraftWishes {
  filename: string
  tags?: readonly string[]
  expiry_days?: number | null
  download_limit?: number | null
}

export function draftOf(wishes: DraftWishes, defaults: ShopDefaults): Draft {
  return {
    filename: wishes.filename.normalize('NFC'),
    tags: normalizeTags(wishes.tags ?? []),
    mappings: [],
    expiry_days: wishes.expiry_days === undefined ? defaults.expiry_days : wishes.expiry_days,
    download_limit: wishes.download_limit === undefined ? defaults.download_limit : wishes.download_limit,
    visibility: defaults.visibility,
    cdn: defaults.cdn,
    download_notification: false,
    download_tracking: true,
    allowed_referrers: [],
  }
}

/** A draft as plugins see it. */
export const viewOfDraft = (draft: Draft, sizeBytes: number | null): FileView => ({
  ...draft,
  id: null,
  size_bytes: sizeBytes,
  content_type: null,
})
