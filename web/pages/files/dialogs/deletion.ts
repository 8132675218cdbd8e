// What is to become of files that are to go: of those mapped to products, and before they are gone.
import { type Work } from './bulk-dialog.tsx'

export interface Deletion {
  /** What becomes of files that are mapped to products. */
  way: 'delete' | 'delete-mappings' | 'unmap'
  /** Each is copied first; one that can't be copied stays. */
  backup: boolean
}

export const PLAIN_DELETION: Deletion = { way: 'delete', backup: false }

/**
 * Does it only take files off their products? `mapped`: how many have one; null: that is not known.
 */
export const onlyUnmaps = ({ way }: Deletion, mapped: number | null): boolean =>
  mapped !== 0 && way === 'unmap'

/** The plugins that do it; `unmap` null: this installation has none, and the way is not offered. */
export interface DeletionPlugins {
  remove: string
  unmap: string | null
}

/** What to start. Where none has a product there is no way to choose. */
export function workOf(
  deletion: Deletion,
  mapped: number | null,
  { remove, unmap }: DeletionPlugins,
): Work {
  if (unmap !== null && onlyUnmaps(deletion, mapped)) return { action: unmap, options: {} }
  const remove_mappings = mapped !== 0 && deletion.way === 'delete-mappings'
  const backup = deletion.backup ? { backup_first: true } : {}
  return { action: remove, options: { remove_mappings, ...backup } }
}
