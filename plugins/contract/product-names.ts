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

/** How many leading parts of a name are tried as a SKU. */
const MAX_PREFIXES = 10

/**
 * The beginnings of a name that may be SKUs, the longest first: `AB_12_guide.pdf` may begin with
 * `AB_12`, or `AB`.
 */
export function skuPrefixes(name: string): string[] {
  const stem = name.replace(/\.[^.]+$/, '')
  const parts = stem.split('_').slice(0, MAX_PREFIXES + 1)
  const prefixes = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('_'))
  return prefixes.filter((prefix) => prefix.trim() !== '').reverse()
}

/** `gid://shopify/Product/123` of `123`, as other programs export it. */
export const wholeProductId = (id: string): string =>
  /^\d{1,20}$/.test(id) ? `gid://shopify/Product/${id}` : id
