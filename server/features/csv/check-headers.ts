// Headers of the requests for the files of a table: sealed with the options of its check, and opened to
// probe its addresses and to start its import, which seals them again with each entry.
import type { FetchHeaders } from '../../core/fetch-headers.ts'
import type { SealedPlace } from '../../core/sealed-place.ts'
import type { Secrets } from '../../core/secrets.ts'

const headersPlace = (shop: number): string => `${shop}/csv_uploads.check_options`

export const checkHeadersPlace: SealedPlace = {
  table: 'csv_uploads',
  column: 'check_options',
  format: 'json',
  about: ({ shop }) => headersPlace(shop),
}

/** The headers as the options keep them. Without headers nothing is kept. */
export const sealHeaders = (secrets: Secrets, shop: number, headers: FetchHeaders): string | null =>
  Object.keys(headers).length === 0
    ? null
    : secrets.seal(JSON.stringify(headers), headersPlace(shop)).toString('base64')

/** Undefined: none were given. Throws if they were sealed with another secret. */
export const openHeaders = (
  secrets: Secrets,
  shop: number,
  { headers_sealed: sealed }: { headers_sealed?: string | null },
): FetchHeaders | undefined =>
  sealed
    ? (JSON.parse(secrets.open(Buffer.from(sealed, 'base64'), headersPlace(shop))) as FetchHeaders)
    : undefined
