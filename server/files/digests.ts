// SQL: the SHA-256 digest of a blob, as hex digits. Null: not computed yet.

/** @param shop, hash SQL: which blob. */
export const sha256Of = (shop: string, hash: string): string =>
  `(select encode(digested.sha256, 'hex') from blobs digested
    where digested.shop_id = ${shop} and digested.hash = ${hash})`

/** SQL: the digest of the version `v`. */
export const VERSION_SHA256: string = sha256Of('v.shop_id', 'v.hash')
