// What the addresses of links do that a merchant copies and lists: download the file directly, or open
// a page with a button. A setting of the buyer's page.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { linkAddress, pageAddress } from './links.ts'

export type CopiedLinks = 'direct' | 'page'

export async function readCopied(scope: ShopScope): Promise<CopiedLinks> {
  const [row] = await scope.query<{ copied: string | null }>(
    `select settings ->> 'copied_links' as copied from buyer_pages where shop_id = :shop`,
  )
  return row?.copied === 'page' ? 'page' : 'direct'
}

export const copiedAddress = (baseUrl: string, key: string, copied: CopiedLinks): string =>
  copied === 'page' ? pageAddress(baseUrl, key) : linkAddress(baseUrl, key)
