// The search and page of the list of links, in the address.
import { toQuery } from '../../shell/client/client.ts'
import { type LinkStatus } from '../../shell/client/types.ts'
import { type PagePosition, readPaged } from '../../shell/url-state/paged.ts'

export const LINK_STATUSES: readonly LinkStatus[] = [
  'active',
  'expired',
  'exhausted',
  'revoked',
  'withdrawn',
]

interface LinksUrlState extends PagePosition {
  /** Part of a file's name or of a customer's address. */
  search: string
  status: LinkStatus | ''
}

export function readLinksUrlState(address: string): LinksUrlState {
  const params = new URLSearchParams(address)
  const status = params.get('status') as LinkStatus | null
  return {
    ...readPaged(address),
    search: params.get('search')?.trim() ?? '',
    status: status && LINK_STATUSES.includes(status) ? status : '',
  }
}

/** The query that `readLinksUrlState` reads. */
export const writeLinksUrlState = ({ search, status, cursor, page }: LinksUrlState): string =>
  toQuery({ search, status, cursor, page: cursor === '' ? null : page })
