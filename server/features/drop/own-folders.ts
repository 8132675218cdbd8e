// The folders that the app manages: clients can only read and delete files there, and move them
// out.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { firstOf } from '../../core/lazy.ts'
import { DropError } from './errors.ts'

export const PROCESSED = 'processed'
export const FAILED = 'failed'
/** How long files stay in /processed/ and /failed/. */
export const KEPT_DAYS = 30
/**
 * The folder for a file that is being imported when another one of its name arrives. It is not
 * listed.
 */
export const ASIDE = '.importing'

const rootOf = (folder: string, name: string) => (folder === '' ? name : firstOf(folder.split('/')))

/** Is this place a managed folder, or in one? */
const isManaged = (folder: string, name: string): boolean =>
  [PROCESSED, FAILED, ASIDE].includes(rootOf(folder, name))

/** SQL: the entry is in neither /processed/ nor /failed/. */
export const OUTSIDE_MANAGED = `split_part(folder, '/', 1) not in ('${PROCESSED}', '${FAILED}')`

/**
 * Checks that clients may create files at a place. Throws `denied` for a place in a managed folder.
 */
export function requireUnmanaged(place: { folder: string; name: string }): void {
  if (isManaged(place.folder, place.name))
    throw new DropError(
      'denied',
      `/${PROCESSED} and /${FAILED} are managed by the app: use another folder`,
    )
}

const NOTE_END = '.error.txt'
const MAX_NAME = 255

/** The name of a file's note, cut to the longest allowed name. */
export function noteName(name: string): string {
  let stem = name
  while ((stem + NOTE_END).length > MAX_NAME) stem = [...stem].slice(0, -1).join('')
  return stem + NOTE_END
}

export const removeNote = async (tx: ShopScope, folder: string, name: string): Promise<void> =>
  void (
    rootOf(folder, '') === FAILED &&
    (await tx.query(
      `delete from drop_entries where shop_id = :shop and folder = :folder and name = :note
         and state = 'note'`,
      { folder, note: noteName(name) },
    ))
  )
