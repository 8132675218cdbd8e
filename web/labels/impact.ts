// What it means for products and buyers when files go.
import { t } from '../messages/t.ts'
import { countText, numberText } from './size.ts'

const TRASH_DAYS = 7

/**
 * What becomes of so many deleted files. `links`: those to them that work today; null: not known.
 */
export function trashText(count: number, links: number | null): string {
  const one = count === 1
  const live =
    links === null || links === 0 ? '' : `, ${countText(links, 'live one', 'live ones')} among them`
  return [
    `${one ? 'It stays' : 'They stay'} in the trash for ${numberText(TRASH_DAYS)} days and can be restored until then.`,
    `${one ? 'Its' : 'Their'} download links stop working at once${live}.`,
  ].join(' ')
}

/** Null: no paid delivery contains them, or it is not known. */
export const paidText = (deliveries: number | null): string | null =>
  deliveries
    ? t(
        '{count, plural, one {# paid delivery contains} other {# paid deliveries contain}} what you delete: the buyers lose it.',
        { count: deliveries },
      )
    : null

export function mappedText(mapped: number | null, count: number): string {
  if (mapped === null) return 'These files may be mapped to products'
  if (mapped === count)
    return count === 1
      ? 'This file is mapped to a product'
      : 'All of these files are mapped to products'
  return `${numberText(mapped)} of ${countText(count, 'file', 'files')} ${mapped === 1 ? 'is mapped to a product' : 'are mapped to products'}`
}

/** `Customers who bought these 3 products can’t download the files any more.` */
export function impactText({ products }: { products: number | null }): string {
  const which =
    products === null
      ? 'these products'
      : products === 1
        ? 'this product'
        : `these ${numberText(products)} products`
  return `Customers who bought ${which} can’t download the files any more.`
}
