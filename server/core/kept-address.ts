// Addresses that callers gave, for imports, callbacks and webhooks. Rows keep them without user
// info, query and fragment, which may contain access tokens. The whole address is sealed in another
// column for as long as a request may still need it.
import type { Secrets } from './secrets.ts'

export interface SealPlace {
  /** The shop's internal number: a value sealed for another shop does not open. */
  shop: number
  secrets: Pick<Secrets, 'seal' | 'open'>
}

/** An address in a row. Without `sealed`, nothing was left out, or the sealed part has expired. */
export interface KeptAddress {
  url: string
  sealed?: string
}

/** What an address is sealed for. */
export const addressPlace = (shop: number): string => `${shop}/addresses`

/** The address without user info, query and fragment. */
export const withoutSecrets = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')

/** What is stored of an address: its open part, and the whole address sealed if it has more than that. */
export function keepAddress(url: string, { shop, secrets }: SealPlace): KeptAddress {
  const kept = withoutSecrets(url)
  return kept === url
    ? { url }
    : { url: kept, sealed: secrets.seal(url, addressPlace(shop)).toString('base64') }
}

/**
 * The whole address, if it is still known. An address sealed under another secret stays without its
 * query.
 */
export function wholeAddress({ url, sealed }: KeptAddress, { shop, secrets }: SealPlace): string {
  if (sealed === undefined) return url
  try {
    return secrets.open(Buffer.from(sealed, 'base64'), addressPlace(shop))
  } catch {
    return url
  }
}
