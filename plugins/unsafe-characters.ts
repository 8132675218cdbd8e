// Characters that no name, tag or host may contain.
import { say } from './texts.ts'

/** The warning about a name whose marks of direction were removed. */
export const NAME_CLEANED = say('Invisible characters were removed from its name')

// Control characters, line separators, and the marks that can make a name read backwards (`exe.fdp`).

export const UNSAFE_CHARACTERS =
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

const EACH_UNSAFE = new RegExp(UNSAFE_CHARACTERS, 'g')

/** They take no room, and may be within a word. */
const MARKS_OF_DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * A text as it is drawn on one line: line breaks and control characters become spaces, and marks of
 * direction are removed.
 */
export const onOneLine = (text: string): string =>
  text
    .replace(MARKS_OF_DIRECTION, '')
    .replace(EACH_UNSAFE, ' ')
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .trim()
