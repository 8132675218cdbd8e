// The page's texts. Code states them in English; a catalog (de.json, ja.json) maps each English
// message to its translation.
import { formatMessage, type MessageValues } from './format.ts'

export type Catalog = Readonly<Record<string, string>>

let catalog: Catalog = {}

/** Call before any module with texts is imported: constants are translated while modules load. */
export function setCatalog(messages: Catalog): void {
  catalog = messages
}

/**
 * Translates an ICU message: `t('Delete {count, plural, one {# file} other {# files}}', { count
 * })`. A message without a translation is shown in English. `message` must be a literal, so that
 * the extraction finds it.
 */
export const t = (message: string, values: MessageValues = {}): string =>
  formatMessage(translationOf(message), values)

/**
 * Translates a text of the server, by the text itself. A text that the catalog lacks, such as that
 * of an installation's own plugin, is shown unchanged.
 */
export const translated = (text: string, values?: MessageValues): string =>
  values ? formatMessage(translationOf(text), values) : translationOf(text)

/** The message in the page's language, not formatted. */
export const translationOf = (message: string): string => catalog[message] ?? message
