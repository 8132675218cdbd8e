// The age of the list of products, in a sentence, and names of variants.
import { type Mirror } from './calls.ts'
import { momentText } from '../../shell/labels/time.ts'
import { errorText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'

/** The platform names the only variant of a product without options so. */
const NO_OPTION = 'Default Title'
export const variantText = (title: string | null): string | null =>
  title === NO_OPTION ? null : title

/** `1,204 products, as of 29 Sep 2026, 14:05.` */
export function mirrorText(
  { status, products, progress, refreshed_at, error, error_text }: Mirror,
  locale?: string,
): string {
  const list = refreshed_at
    ? t('{products, plural, one {# product} other {# products}}, as of {time}.', {
        products,
        time: momentText(refreshed_at, locale),
      })
    : t('The products have not been read yet.')
  if (status === 'refreshing')
    return progress
      ? t('Reading the products: {progress, plural, one {# row} other {# rows}} so far.', {
          progress,
        })
      : t('Reading the products …')
  if (status !== 'failed') return list
  const failed = error
    ? t('The products could not be read: {error}.', {
        error: errorText({ error, ...(error_text && { error_text }) }),
      })
    : t('The products could not be read.')
  return `${failed} ${list}`
}
