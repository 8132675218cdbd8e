// What things are called in a bucket: `<prefix><shop>/<hash>`, and beside them what is on its way
// in or out.
import { randomBytes } from 'node:crypto'
import { checkedName, checkedShop } from './names.ts'

export type Keys = ReturnType<typeof createKeys>

export interface BlobKey {
  shop: number
  hash: string
}

const BLOB = /^(\d+)\/([0-9a-f]{64})$/
const TEMPORARY = /^tmp\/[0-9a-f]{24}$/
const ASIDE = /^aside\/(\d+)\/([0-9a-f]{64})\/[0-9a-f]{24}$/

/**
 * `prefix` is empty or ends with a slash. Keys that are not ours are none of these: a bucket may
 * hold other things.
 */
export function createKeys(prefix: string) {
  const random = () => randomBytes(12).toString('hex')
  const own = (key: string) => (key.startsWith(prefix) ? key.slice(prefix.length) : '')
  const named = (match: RegExpExecArray | null): BlobKey | null =>
    match && { shop: Number(match[1]), hash: match[2]! }
  const asideOf = (shop: number, hash: string) => {
    const name = checkedName(shop, hash)
    return `${prefix}aside/${name.shop}/${name.hash}/`
  }
  return {
    prefix,
    /** Throws on what is no shop or no hash. */
    blob: (shop: number, hash: string) => {
      const name = checkedName(shop, hash)
      return `${prefix}${name.shop}/${name.hash}`
    },
    /** What the keys of all its blobs begin with, in place and put aside. Throws on what is no shop. */
    ofShop: (shop: number) => {
      const name = checkedShop(shop)
      return [`${prefix}${name}/`, `${prefix}aside/${name}/`]
    },
    /** Where bytes are put together whose hash is not known yet. */
    temporary: () => `${prefix}tmp/${random()}`,
    /** Where the sweep keeps what it takes away, each time under another name. */
    aside: (shop: number, hash: string) => asideOf(shop, hash) + random(),
    /** What the names of all that was put aside of a blob begin with. */
    asideOf,
    toBlob: (key: string) => named(BLOB.exec(own(key))),
    toAside: (key: string) => named(ASIDE.exec(own(key))),
    isTemporary: (key: string) => TEMPORARY.test(own(key)),
  }
}
