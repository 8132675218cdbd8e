// Where one is in the list of packs, as the address says it.
import { toQuery } from '../client/client.ts'
import { type Paged, readPaged } from './paged.ts'

export interface PackPlace extends Paged {
  search: string
}

export const readPackPlace = (address: string): PackPlace => ({
  ...readPaged(address),
  search: new URLSearchParams(address).get('search')?.trim() ?? '',
})

/** The query that `readPackPlace` reads back. */
export const writePackPlace = (place: PackPlace): string =>
  toQuery({
    search: place.search,
    cursor: place.cursor,
    page: place.cursor === '' ? null : place.page,
  })
