// The folders that the app fills itself: clients read them, delete there, and move files out.
import type { ShopScope } from '../../db/for-shop.ts'
import { DropError } from './errors.ts'

export const PROCESSED = 'processed'
export const FAILED = 'failed'
/** Files stay in both for so long. */
export const KEPT_DAYS = 30
/** Where a file is while it is imported, once another one of its name has come. Not listed. */
export const ASIDE = '.importing'

const rootOf = (folder: string, name: string) => (folder === '' ? name : folder.split('/')[0]!)

/** Is this place in one of them, or one of them itself? */
const isOwn = (folder: string, name: string): boolean =>
  [PROCESSED, FAILED, ASIDE].includes(rootOf(folder, name))

/** SQL: the entry is in none of them. */
export const OUTSIDE_OWN = `split_part(folder, '/', 1) not in ('${PROCESSED}', '${FAILED}')`

/** Throws `denied` where a client would write there. */
export function requireForeign(place: { folder: string; name: string }): void {
  if (isOwn(place.folder, place.name))
    throw new DropError(
      'denied',
      `/${PROCESSED} and /${FAILED} are kept by the app: write elsewhere`,
    )
}

const NOTE_END = '.error.txt'
const MOST_NAME_BYTES = 255

/** Cut where it would be longer than a name may be. */
export function noteName(name: string): string {
  let stem = name
  while (Buffer.byteLength(stem + NOTE_END) > MOST_NAME_BYTES)
    stem = [...stem].slice(0, -1).join('')
  return stem + NOTE_END
}

export const removeNote = async (tx: ShopScope, folder: string, name: string): Promise<void> =>
  void (
    folder === FAILED &&
    (await tx.query(
      `delete from drop_entries where shop_id = :shop and folder = :folder and name = :note and state = 'note'`,
      { folder, note: noteName(name) },
    ))
  )
