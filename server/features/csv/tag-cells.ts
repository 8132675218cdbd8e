// Cells with tags. Tags with signs change those of a file: `+new;-old`. `\` before the first character
// makes a sign a part of the tag.
import { sayPlain } from '../../../plugins/contract/index.ts'
import { normalizeTags, splitTexts, type Problem } from '../../files/rules.ts'

export interface TagCell {
  tags: string[]
  /** Undefined: the cell has no signs. */
  tags_removed?: string[] | undefined
}

export const SIGN = /^[+-]/
/** What `\` at the beginning of a tag escapes. */
const ESCAPED = /^\\(?=[+\-\\])/

const MIXED: Problem = {
  code: 'invalid_tag',
  message: sayPlain(
    'Either all tags have a + or a -, or none: write \\+ or \\- for a tag that begins with one',
  ),
}
const NAMELESS: Problem = {
  code: 'invalid_tag',
  message: sayPlain('There is no tag after + or -'),
}

/** The tags of a cell, each once, and those that it removes. */
export function readTagCell(text: string): TagCell | Problem {
  const parts = splitTexts(text)
  const signed = parts.filter((part) => SIGN.test(part))
  if (signed.length === 0) return { tags: tagsOf(parts) }
  if (signed.length < parts.length) return MIXED
  const of = (sign: string) =>
    tagsOf(parts.filter((part) => part.startsWith(sign)).map((part) => part.slice(1).trim()))
  const [tags, tags_removed] = [of('+'), of('-')]
  return [...tags, ...tags_removed].includes('') ? NAMELESS : { tags, tags_removed }
}

const tagsOf = (parts: readonly string[]): string[] =>
  normalizeTags(parts.map((part) => part.replace(ESCAPED, '')))

/** A text with tags of another program, in which signs mean nothing. */
export const escapedTags = (text: string): string =>
  text.normalize('NFC').replaceAll(/(?<=^|[,;\r\n])([^\S\r\n]*)(?=\\?[+\-\\])/g, '$1\\')
