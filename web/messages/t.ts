// The page's texts. Code states them in English; a catalog (de.json, ja.json) maps each English
// message to its translation.
import { formatMessage, type MessageValues } from '../labels/message-format.ts'

export type Catalog = Readonly<Record<string, string>>

let catalog: Catalog = {}

/**
 * Call before any module that states texts is imported: constants are translated as modules load.
 */
export function useCatalog(messages: Catalog): void {
  catalog = messages
}

/**
 * Translates an ICU message: `t('Delete {count, plural, one {# file} other {# files}}', { count })`.
 * A message without a translation is shown in English. `message` must be a literal, so that the
 * extraction finds it.
 */
export const t = (message: string, values: MessageValues = {}): string =>
  formatMessage(catalog[message] ?? message, values)
