// A blob's name in every location.

export interface BlobKey {
  shop: number
  hash: string
}

/** The shop as a part of a path. Throws for an invalid shop. */
export function checkedShop(shop: number): string {
  if (!Number.isSafeInteger(shop) || shop < 0) throw new TypeError('A shop is named by its number')
  return String(shop)
}

/**
 * The parts of a blob's path. Throws for an invalid shop or hash, which could lead to another path.
 */
export function checkedName(shop: number, hash: string): { shop: string; hash: string } {
  const name = checkedShop(shop)
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw new TypeError('A blob is named by 64 lower-case hex digits')
  return { shop: name, hash }
}
