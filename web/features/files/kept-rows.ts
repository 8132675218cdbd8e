// How many rows a page of the list has in this browser, if the address does not say it.
import { type FilesUrlState, FILES_STATE, inTrash, PAGE_SIZES } from './url-state.ts'

const KEY = 'files.rows'

export function keepRows(rows: number): void {
  try {
    localStorage.setItem(KEY, String(rows))
  } catch {
    // Storage is full or forbidden in this frame: the address has it.
  }
}

function keptRows(): FilesUrlState['rows'] {
  try {
    const kept = localStorage.getItem(KEY)
    return PAGE_SIZES.find((size) => String(size) === kept) ?? PAGE_SIZES[0]
  } catch {
    return PAGE_SIZES[0]
  }
}

/** The state of the address. The later pages of a list have the size that they were made with. */
export const FILES_IN_BROWSER: typeof FILES_STATE = {
  read: (address) => {
    const state = FILES_STATE.read(address)
    const isSaid = state.cursor !== '' || new URLSearchParams(address).has('rows')
    return isSaid ? state : { ...state, rows: keptRows() }
  },
  write: FILES_STATE.write,
}

export const TRASH_IN_BROWSER = inTrash(FILES_IN_BROWSER)
