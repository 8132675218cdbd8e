// The options of a deletion: what happens to mapped files, and whether files are backed up first.
import type { Work } from './bulk-dialog.tsx'

export interface Deletion {
  /** What happens to files that are mapped to products. */
  way: 'delete' | 'delete-mappings' | 'unmap'
  /** Copies each file first; a file that cannot be copied is not deleted. */
  backup: boolean
}

export const PLAIN_DELETION: Deletion = { way: 'delete', backup: false }

/** Does it only remove products from files? `mapped`: how many have one; null: unknown. */
export const onlyUnmaps = ({ way }: Deletion, mapped: number | null): boolean =>
  mapped !== 0 && way === 'unmap'

/**
 * The plugins that carry it out; `unmap` null: this installation has none, and this way is not
 * offered.
 */
export interface DeletionPlugins {
  remove: string
  unmap: string | null
}

/** What to start. If no file has a product, the files are deleted. */
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
