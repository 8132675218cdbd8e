// The shops that `pull` and `apply` work on: that of the key, or those of a list.
import { readSecret } from './access.ts'
import { listOption, textOption, type Values } from './context.ts'
import { UsageError } from './exit.ts'
import type { System } from './places.ts'

export interface ShopAccess {
  /** As the list names it; null: the shop of the key. */
  name: string | null
  url: string
  key: string
  /** The domain of the shop, for the key of an agency. */
  shop?: string
}

export const SHOP_OPTIONS = {
  shops: { type: 'string' },
  shop: { type: 'string', multiple: true },
} as const

/** The shops of `--shops FILE`; null: there is no list. Throws `UsageError`. */
export async function listedShops(
  system: System,
  values: Values,
): Promise<readonly ShopAccess[] | null> {
  const file = textOption(values, 'shops')
  const wanted = listOption(values, 'shop')
  // Without a list, they are shops of an agency's key.
  if (file === undefined) return null
  const all = shopsIn(await readSecret(system, file), file)
  const unknown = wanted.find((name) => !all.some((shop) => shop.name === name))
  if (unknown !== undefined) throw new UsageError(`${file} has no shop ${unknown}`)
  return wanted.length === 0 ? all : all.filter(({ name }) => wanted.includes(name ?? ''))
}

/** A shop in each line: its name, its installation and a key. Throws `UsageError`. */
export function shopsIn(text: string, file: string): readonly ShopAccess[] {
  const shops = text.split(/\r?\n/).flatMap((line, at): ShopAccess[] => {
    const parts = line.trim().split(/\s+/)
    const [name = '', url = '', key = ''] = parts
    if (name === '' || name.startsWith('#')) return []
    const isAddress = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    if (parts.length !== 3 || !isAddress)
      throw new UsageError(`${file}, line ${at + 1}: write NAME https://… KEY`)
    return [{ name, url: url.replace(/\/+$/, ''), key }]
  })
  const twice = shops.find(({ name }, at) => shops.findIndex((one) => one.name === name) < at)
  if (twice) throw new UsageError(`${file} has two shops ${twice.name}`)
  if (shops.length === 0) throw new UsageError(`${file} has no shop: write NAME https://… KEY`)
  return shops
}
