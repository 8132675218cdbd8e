/** Makes a value for each shop when it is first used, and keeps it. */
export function keptPerShop<T>(make: (shop: number) => T): (shop: number) => T {
  const made = new Map<number, { value: T }>()
  return (shop) => {
    const kept = made.get(shop) ?? { value: make(shop) }
    made.set(shop, kept)
    return kept.value
  }
}
