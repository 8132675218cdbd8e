// Joins several names into one phrase.
import { messageLocale } from '../messages/locale.ts'

const joined = (names: readonly string[], type: 'conjunction' | 'disjunction'): string =>
  new Intl.ListFormat(messageLocale(), { type }).format(names)

/** `a, b and c` */
export const andText = (names: readonly string[]): string => joined(names, 'conjunction')

/** `a, b or c` */
export const orText = (names: readonly string[]): string => joined(names, 'disjunction')
