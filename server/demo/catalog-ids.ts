// Ids of the demo's products and variants: hashes of their names. So ids stay the same after a
// restart, and another catalog's products get other ids.
import { hash } from 'node:crypto'

/** Gives each name a unique id below 2^52. The same names in the same order get the same ids. */
export function createIds(kind: 'Product' | 'ProductVariant'): (name: string) => number {
  const taken = new Set<number>()
  return (name) => {
    // Hash collisions of two names are very unlikely, but several rows of one name are not.
    for (let again = 0; ; again++) {
      const id = Number.parseInt(hash('sha256', `${kind}/${name}/${again}`, 'hex').slice(0, 13), 16)
      if (taken.has(id)) continue
      taken.add(id)
      return id
    }
  }
}

export const toGid = (kind: string, id: number): string => `gid://shopify/${kind}/${id}`

/** The number in an id of that kind, or null. */
export function readGid(kind: string, gid: string): number | null {
  const match = /^gid:\/\/shopify\/(\w+)\/(\d{1,16})$/.exec(gid)
  return match && match[1] === kind ? Number(match[2]) : null
}
