// How many rows a page of the list has in this browser, if the address does not say it.
import { keepChoice, keptChoice } from './kept-choice.ts'
import { type FilesUrlState, FILES_STATE, inTrash, PAGE_SIZES } from './url-state.ts'

export const keepRows = (rows: number): void => keepChoice('rows', String(rows))

function keptRows(): FilesUrlState['rows'] {
  const kept = keptChoice('rows')
  return PAGE_SIZES.find((size) => String(size) === kept) ?? PAGE_SIZES[0]
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
