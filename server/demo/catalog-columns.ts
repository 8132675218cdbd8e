// The columns of the platform's product export, under the names of its older and of its newer form.
export interface Columns {
  handle: number
  title: number
  vendor: number | null
  type: number | null
  tags: number | null
  status: number | null
  sku: number | null
  barcode: number | null
  price: number | null
  image: number | null
  options: readonly { name: number | null; value: number | null }[]
}

const option = (number: number, part: string) => [`option${number} ${part}`]
const NAMES = {
  handle: ['handle', 'url handle'],
  title: ['title'],
  vendor: ['vendor'],
  type: ['type'],
  tags: ['tags'],
  status: ['status'],
  sku: ['variant sku', 'sku'],
  barcode: ['variant barcode', 'barcode'],
  price: ['variant price', 'price'],
  image: ['image src', 'product image url'],
} as const

/** The index of each column. Throws a sentence that names the missing ones. */
export function findColumns(header: readonly string[]): Columns {
  const names = header.map((name) =>
    name
      .replace(/^\uFEFF/, '')
      .trim()
      .toLowerCase(),
  )
  const find = (known: readonly string[]): number | null => {
    const at = names.findIndex((name) => known.includes(name))
    return at === -1 ? null : at
  }
  const required = (known: readonly string[], shown: string): number => {
    const at = find(known)
    if (at === null)
      throw new Error(`there is no column ${shown}: write a product export of the platform`)
    return at
  }
  const at = Object.fromEntries(Object.entries(NAMES).map(([name, known]) => [name, find(known)]))
  return {
    ...(at as unknown as Columns),
    handle: required(NAMES.handle, '"Handle" (or "URL handle")'),
    title: required(NAMES.title, '"Title"'),
    options: [1, 2, 3].map((number) => ({
      name: find(option(number, 'name')),
      value: find(option(number, 'value')),
    })),
  }
}
