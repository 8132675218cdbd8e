// The names of what the list is filtered by: the address has only their ids.
import { useRead } from '../../shell/client/reads.ts'
import { type File } from '../../shell/client/types.ts'
import { connectionName } from '../../shell/messages/connection-name.ts'
import { type FilesUrlState } from './url-state.ts'

/** The titles of products that were chosen on this page, by id: a list may be empty. */
export const productNames = new Map<string, string>()

export interface FilterNames {
  product: string
  pack: string
  connection: string
  drop_account: string
  licence_list: string
}

/** What is shown until a name arrives, and for what was deleted. */
const UNKNOWN = '…'

/** Nothing is read without an id. */
const pathOf = (id: string) => ({ path: { id: id === '' ? null : id } })

/** Read here and not by the calls of their features, which the list needs for nothing else. */
export function useFilterNames(urlState: FilesUrlState, files: readonly File[]): FilterNames {
  const pack = useRead('GET /api/packs/{id}', pathOf(urlState.pack)).data
  const connection = useRead('GET /api/connections/{id}', pathOf(urlState.connection)).data
  const account = useRead('GET /api/drop/accounts/{id}', pathOf(urlState.drop_account)).data
  const list = useRead('GET /api/licence-lists/{id}', pathOf(urlState.licence_list)).data
  return {
    product: productName(urlState.product, files),
    pack: pack?.name ?? UNKNOWN,
    connection: connection ? connectionName(connection.name) : UNKNOWN,
    drop_account: account?.name ?? UNKNOWN,
    licence_list: list?.name ?? UNKNOWN,
  }
}

function productName(id: string, files: readonly File[]): string {
  const mapping = files.flatMap(({ mappings }) => mappings).find((one) => one.product_id === id)
  if (mapping) productNames.set(id, mapping.product_title)
  return productNames.get(id) ?? UNKNOWN
}
