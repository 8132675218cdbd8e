// SQL: whether a preview of these bytes was tried without a result.

/** @param shop, hash SQL: which bytes. */
export const hasNoPicture = (shop: string, hash: string): string =>
  `exists (select from preview_images tried
    where tried.shop_id = ${shop} and tried.hash = ${hash} and tried.image is null)`
