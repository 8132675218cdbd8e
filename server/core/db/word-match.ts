// How a word of a search is found in a text: a number where it begins, since `chart 1` finds
// `chart 12` but not `chart 21`, and other words anywhere. The list needs the rule in SQL, and the
// marks of what was found need it for texts that were read already.
import { nameKey, tagForm } from '../../plugins/contract.ts'
import { likeLiteral } from '../core/db/like-pattern.ts'

interface WordMatch {
  /** SQL: a column with texts in the form of `nameKey` has the word. `parameter` is bound to `value`. */
  sql: (column: string, parameter: string) => string
  value: string
  isIn: (text: string) => boolean
}

export function matchWord(word: string): WordMatch {
  if (!/^\d+$/.test(word)) {
    const key = nameKey(word)
    return {
      sql: (column, parameter) => `${column} like :${parameter}`,
      value: `%${likeLiteral(key)}%`,
      isIn: (text) => nameKey(text).includes(key),
    }
  }
  const pattern = `(^|[^0-9])${word}`
  const begins = new RegExp(pattern)
  return {
    sql: (column, parameter) => `${column} ~ :${parameter}`,
    value: pattern,
    isIn: (text) => begins.test(nameKey(text)),
  }
}

/** The tags that a word finds: a tag is found as a whole, as it is written or in lower case. */
export const tagsOfWord = (word: string): [written: string, lower: string] => [
  tagForm(word),
  nameKey(word),
]
