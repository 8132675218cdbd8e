// How a word of a search is found in a text of the database: the rule of `hasWord` in SQL.
import { isNumber, searchKey } from '../../../plugins/contract/index.ts'
import type { Bindings } from './for-shop.ts'
import { likeLiteral } from './like-pattern.ts'

interface WordMatch {
  /** SQL: a text in the form of `search_text` has the word. `parameter` is bound to `value`. */
  sql: (text: string, parameter: string) => string
  value: string
}

export function matchWord(word: string): WordMatch {
  const key = searchKey(word)
  return isNumber(key)
    ? { sql: (text, parameter) => `${text} ~ :${parameter}`, value: `(^|[^0-9])${key}` }
    : { sql: (text, parameter) => `${text} like :${parameter}`, value: `%${likeLiteral(key)}%` }
}

/**
 * SQL: the text, in the form of `search_text`, has all words of a search; `true` without a word.
 * @param prefix begins the names of the bindings
 */
export function hasAllWords(
  text: string,
  words: readonly string[],
  prefix = 'word',
): { sql: string; bindings: Bindings } {
  const all = words.map((word, at) => ({ ...matchWord(word), name: `${prefix}${at}` }))
  return {
    sql:
      all.length === 0 ? 'true' : `(${all.map(({ sql, name }) => sql(text, name)).join(' and ')})`,
    bindings: Object.fromEntries(all.map(({ name, value }) => [name, value])),
  }
}
