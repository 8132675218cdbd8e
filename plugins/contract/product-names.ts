// Texts that name several products.

/** What is between the SKUs, handles or ids of one text. */
export const SKU_SEPARATOR = ';'

/** The most products that the source of one file may name. */
export const MAX_NAMED_PRODUCTS = 100

/** The SKUs, handles or ids of a text, each once. */
export const partsOfNames = (text: string): string[] => [
  ...new Set(
    text
      .split(SKU_SEPARATOR)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]

/** `gid://shopify/Product/123` of `123`, as other programs export it. */
export const wholeProductId = (id: string): string =>
  /^\d{1,20}$/.test(id) ? `gid://shopify/Product/${id}` : id
