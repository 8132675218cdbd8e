// Keys in a bucket: `<prefix><shop>/<hash>` for blobs, and keys of temporary objects and of blobs
// that a sweep has put aside.
import { randomBytes } from 'node:crypto'
import { checkedName, checkedShop, type BlobKey } from './store.ts'

export type Keys = ReturnType<typeof createKeys>

const BLOB = /^(\d+)\/([0-9a-f]{64})$/
const TEMPORARY = /^tmp\/[0-9a-f]{24}$/
const ASIDE = /^aside\/(\d+)\/([0-9a-f]{64})\/[0-9a-f]{24}$/

/**
 * `prefix` is empty or ends with a slash. Other keys in the bucket are ignored: it may contain
 * other things.
 */
export function createKeys(prefix: string) {
  const random = () => randomBytes(12).toString('hex')
  const own = (key: string) => (key.startsWith(prefix) ? key.slice(prefix.length) : '')
  const named = ([, shop, hash]: readonly string[]): BlobKey | null =>
    shop === undefined || hash === undefined ? null : { shop: Number(shop), hash }
  const asideOf = (shop: number, hash: string) => {
    const name = checkedName(shop, hash)
    return `${prefix}aside/${name.shop}/${name.hash}/`
  }
  return {
    prefix,
    /** The key of a blob. Throws for an invalid shop or hash. */
    blob: (shop: number, hash: string) => {
      const name = checkedName(shop, hash)
      return `${prefix}${name.shop}/${name.hash}`
    },
    /**
     * The beginning of the keys of all its blobs, in place and put aside. Throws for an invalid
     * shop.
     */
    ofShop: (shop: number) => {
      const name = checkedShop(shop)
      return [`${prefix}${name}/`, `${prefix}aside/${name}/`]
    },
    /** The beginning of the keys of all objects that are built from parts. */
    temporaryPrefix: `${prefix}tmp/`,
    /** The key of an object that is built from parts before its hash is known. */
    temporary: () => `${prefix}tmp/${random()}`,
    /** The key of a blob that the sweep puts aside; different each time. */
    aside: (shop: number, hash: string) => asideOf(shop, hash) + random(),
    /** The beginning of the keys of everything that was put aside of a blob. */
    asideOf,
    toBlob: (key: string) => named(BLOB.exec(own(key)) ?? []),
    toAside: (key: string) => named(ASIDE.exec(own(key)) ?? []),
    isTemporary: (key: string) => TEMPORARY.test(own(key)),
  }
}
