// The names of what the list is filtered by: the address has only their ids.
import { useConnection } from '../cloud/calls.ts'
import { useDropAccount } from '../drop/calls.ts'
import { usePack } from '../packs/calls.ts'
import { useLicenceList } from '../preparation/calls.ts'
import { type File } from '../../shell/client/types.ts'
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

const idOf = (id: string) => (id === '' ? null : id)

export function useFilterNames(urlState: FilesUrlState, files: readonly File[]): FilterNames {
  const pack = usePack(idOf(urlState.pack)).data
  const connection = useConnection(idOf(urlState.connection)).data
  const account = useDropAccount(idOf(urlState.drop_account)).data
  const list = useLicenceList(idOf(urlState.licence_list)).data
  return {
    product: productName(urlState.product, files),
    pack: pack?.name ?? UNKNOWN,
    connection: connection?.name ?? UNKNOWN,
    drop_account: account?.name ?? UNKNOWN,
    licence_list: list?.name ?? UNKNOWN,
  }
}

function productName(id: string, files: readonly File[]): string {
  const mapping = files.flatMap(({ mappings }) => mappings).find((one) => one.product_id === id)
  if (mapping) productNames.set(id, mapping.product_title)
  return productNames.get(id) ?? UNKNOWN
}
