// Page ranges: `3`, `1-3`, or `7-` to the end.
import { Refusal, say } from '../sandbox.ts'

export interface Range {
  first: number
  last: number
}

/**
 * Parses page ranges of a document with this many pages.
 * @throws `Refusal` `pdf_page_out_of_range`, which lists all ranges outside it
 */
export function rangesIn(texts: readonly string[], pages: number): Range[] {
  const parsed = texts.map((text) => ({ text, range: parseRange(text, pages) }))
  const wrong = parsed.flatMap(({ text, range }) => (isIn(range, pages) ? [] : [text]))
  if (wrong.length === 0) return parsed.map(({ range }) => range)
  throw new Refusal(
    'pdf_page_out_of_range',
    say(
      'The document has {count, plural, one {# page} other {# pages}}: there is no {ranges} in it',
      { count: pages, ranges: wrong.join(', ').slice(0, 200) },
    ),
  )
}

export const textOf = ({ first, last }: Range): string =>
  first === last ? String(first) : `${first}-${last}`

function parseRange(text: string, pages: number): Range {
  const [first = '', last = first] = text.split('-')
  return { first: Number(first), last: last === '' ? pages : Number(last) }
}

const isIn = ({ first, last }: Range, pages: number) => first >= 1 && first <= last && last <= pages
