// How a blob is named in every location.

/** Throws on what is no shop. */
export function checkedShop(shop: number): string {
  if (!Number.isSafeInteger(shop) || shop < 0) throw new TypeError('A shop is named by its number')
  return String(shop)
}

/** Throws on what is no shop or no hash: neither may ever name another place. */
export function checkedName(shop: number, hash: string): { shop: string; hash: string } {
  const name = checkedShop(shop)
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw new TypeError('A blob is named by 64 lower-case hex digits')
  return { shop: name, hash }
}
