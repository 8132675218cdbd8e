// What a deletion means for products and buyers, in words.
import { t } from '../messages/t.ts'

const TRASH_DAYS = 7

/** What happens to deleted files. `links`: the number of working links to them; null: unknown. */
export function trashText(count: number, links: number | null): string {
  const stay = t(
    '{count, plural, one {It stays} other {They stay}} in the trash for {days, number} days and can be restored until then. After that the deletion cannot be undone.',
    { count, days: TRASH_DAYS },
  )
  const stop =
    links === null || links === 0
      ? t('{count, plural, one {Its} other {Their}} download links stop working immediately.', {
          count,
        })
      : t(
          '{count, plural, one {Its} other {Their}} download links stop working immediately, including {links, plural, one {# active link} other {# active links}}.',
          { count, links },
        )
  return `${stay} ${stop}`
}

/** The warning about paid deliveries; null if none contains the files, or the number is unknown. */
export const paidText = (deliveries: number | null): string | null =>
  deliveries
    ? t(
        '{count, plural, one {# paid delivery contains} other {# paid deliveries contain}} what you delete: the buyers lose it.',
        { count: deliveries },
      )
    : null

/** How many of `count` files are mapped; null: it is not known. */
export function mappedText(mapped: number | null, count: number): string {
  if (mapped === null) return t('These files may be mapped to products')
  if (mapped === count)
    return t(
      '{count, plural, one {This file is mapped to a product} other {All of these files are mapped to products}}',
      { count },
    )
  return t(
    '{mapped, number} of {count, plural, one {# file} other {# files}} {mapped, plural, one {is mapped to a product} other {are mapped to products}}',
    { mapped, count },
  )
}

/** `Customers who bought these 3 products can’t download the files any more.` */
export const impactText = ({ products }: { products: number | null }): string =>
  products === null
    ? t('Customers who bought these products can’t download the files any more.')
    : t(
        '{products, plural, one {Customers who bought this product} other {Customers who bought these # products}} can’t download the files any more.',
        { products },
      )
