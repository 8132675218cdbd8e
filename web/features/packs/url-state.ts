// The page of the list of packs, in the address.
import { toQuery } from '../../shell/client/client.ts'
import { type PagePosition, readPaged } from '../../shell/url-state/paged.ts'

interface PackUrlState extends PagePosition {
  search: string
}

export const readPackUrlState = (address: string): PackUrlState => ({
  ...readPaged(address),
  search: new URLSearchParams(address).get('search')?.trim() ?? '',
})

/** The query that `readPackUrlState` reads. */
export const writePackUrlState = (urlState: PackUrlState): string =>
  toQuery({
    search: urlState.search,
    cursor: urlState.cursor,
    page: urlState.cursor === '' ? null : urlState.page,
  })
