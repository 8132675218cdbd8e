// The page of the list of packs, in the address.
import { toQuery } from '../client/client.ts'
import { type Paged, readPaged } from './paged.ts'

export interface PackPlace extends Paged {
  search: string
}

export const readPackPlace = (address: string): PackPlace => ({
  ...readPaged(address),
  search: new URLSearchParams(address).get('search')?.trim() ?? '',
})

/** The query that `readPackPlace` reads. */
export const writePackPlace = (place: PackPlace): string =>
  toQuery({
    search: place.search,
    cursor: place.cursor,
    page: place.cursor === '' ? null : place.page,
  })
