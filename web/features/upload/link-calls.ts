// Adds a link as a file.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { type Answer } from '../../shell/client/endpoints.ts'

export type AddedLink = Answer<'POST /api/files/import'>

export interface NewLink {
  filename: string
  link_url: string
  /** The product that buyers buy; null: guessed from the name, as for other files. */
  product: { product_id: string; sku: string | null } | null
}

export const useAddLink = () =>
  useChangeOf([['files']], ({ product, ...link }: NewLink) =>
    call('POST /api/files/import', {
      body: { files: [{ ...link, ...namedBy(product) }], notify: false },
    }),
  )

/** A SKU names a variant, the id a whole product. */
function namedBy(product: NewLink['product']) {
  if (product === null) return {}
  return product.sku === null ? { product_id: product.product_id } : { product_sku: product.sku }
}
