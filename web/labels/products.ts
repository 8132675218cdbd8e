// How fresh the list of products is, in a sentence.
import { type Mirror } from '../client/mapping.ts'
import { countText } from './size.ts'
import { momentText } from './time.ts'

/** `1,204 products, as of 29 Sep 2026, 14:05.` */
export function mirrorText(
  { status, products, progress, refreshed_at, error }: Mirror,
  locale?: string,
): string {
  const list = refreshed_at
    ? `${countText(products, 'product', 'products', locale)}, as of ${momentText(refreshed_at, locale)}.`
    : 'The products have not been read yet.'
  if (status === 'refreshing')
    return progress
      ? `Reading the products: ${countText(progress, 'row', 'rows', locale)} so far.`
      : 'Reading the products …'
  return status === 'failed'
    ? `The products could not be read${error ? `: ${error}` : ''}. ${list}`
    : list
}
