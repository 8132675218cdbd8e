// The page's texts. Code states them in English; a catalog (de.json, fr.json, …) maps each English
// message to its translation.
import { formatMessage, type MessageValues } from './format.ts'

export type Catalog = Readonly<Record<string, string>>

const catalog = new Map<string, string>()

/** Replaces all. Exported for tests, which need one translation. */
export function setCatalog(messages: Catalog): void {
  catalog.clear()
  addTexts(messages)
}

export function addTexts(messages: Catalog): void {
  for (const [key, text] of Object.entries(messages)) catalog.set(key, text)
}

/**
 * Translates an ICU message: `t('Delete {count, plural, one {# file} other {# files}}', { count
 * })`. A message without a translation is shown in English. `message` must be a literal, so that
 * the extraction finds it.
 * @param context tells apart equal English texts with different meanings, `t('Order', {},
 *   'purchase')`; a literal too.
 */
export const t = (message: string, values: MessageValues = {}, context?: string): string =>
  formatMessage(translationOf(message, context), values)

/** The key of a message with a context in the catalogs. */
const keyOf = (message: string, context: string) => `${message} || ${context}`

/**
 * Translates a text of the server, by the text itself. A text that the catalog lacks, such as that
 * of an installation's own plugin, is shown unchanged.
 */
export const translated = (text: string, values?: MessageValues): string =>
  values ? formatMessage(translationOf(text), values) : translationOf(text)

/** The message in the page's language, not formatted. */
export const translationOf = (message: string, context?: string): string =>
  (context === undefined ? undefined : catalog.get(keyOf(message, context))) ??
  catalog.get(message) ??
  message
