// Detects a CSV file's delimiter and line ends from its beginning.
import Papa from 'papaparse'
import { knownHeaders } from './columns.ts'
import { cellsOfWrapped, DELIMITERS, type Delimiter, type Format } from './rows.ts'
import { firstOf } from '../../core/lazy.ts'

const HEAD_CHARACTERS = 64 * 1024
const HEAD_ROWS = 10
/** A header is looked for in this many rows. */
export const HEADER_WITHIN = 20

/** Detects the format. `text` is the file's beginning, without a byte-order mark. */
export function detectFormat(text: string): Format & { skipped: number } {
  const head = text.slice(0, HEAD_CHARACTERS)
  // Excel names the delimiter in such a first line, other programs also in quotes; it is not a row.
  const named = /^"? *sep *= *([,;\t|]) *"?[,;\t|]*\r?\n?/i.exec(head)
  const sample = head.slice(named?.[0].length ?? 0)
  const newline =
    sample.replace(/"(?:[^"]|"")*"/g, '').includes('\n') || !sample.includes('\r') ? '\n' : '\r'
  const wrapping = wrappedRows(sample, newline)
  if (wrapping) return { ...wrapping, newline, skipped: named?.[0].length ?? 0 }
  const delimiter = (named?.[1] as Delimiter | undefined) ?? detectDelimiter(sample, newline)
  return {
    delimiter,
    newline,
    skipped: named?.[0].length ?? 0,
    ...quotesIn(sample, delimiter, newline),
  }
}

/** The delimiters of a file whose rows are each the text of its first cell; null: they are not. */
function wrappedRows(
  sample: string,
  newline: Format['newline'],
): { delimiter: Delimiter; wrapped: Delimiter } | null {
  if (!sample.startsWith('"')) return null
  for (const wrapped of DELIMITERS) {
    const { data, errors } = Papa.parse<string[]>(sample, {
      delimiter: wrapped,
      newline,
      preview: HEAD_ROWS,
      skipEmptyLines: 'greedy',
    })
    if (errors.some(({ type }) => type === 'Quotes')) continue
    if (data.some((cells) => cells.slice(1).some((cell) => cell.trim() !== ''))) continue
    const known = (delimiter: Delimiter) => knownHeaders(cellsOfWrapped(data[0] ?? [], delimiter))
    const delimiter = DELIMITERS.find((inner) => known(inner) > 1)
    if (delimiter !== undefined) return { delimiter, wrapped }
  }
  return null
}

/** How quoted cells are written, where it is not the usual way. */
function quotesIn(
  sample: string,
  delimiter: Delimiter,
  newline: Format['newline'],
): Pick<Format, 'escape' | 'spaced'> {
  const end = delimiter === '|' ? '\\|' : delimiter
  const spaced = new RegExp(`(^|[${end}\\n\\r]) +"[^"]*"`).test(sample)
  const errorsWith = (escapeChar: string) =>
    Papa.parse(sample, { delimiter, newline, quoteChar: '"', escapeChar }).errors.filter(
      // The last row of the sample may be cut.
      ({ type, row }) => type === 'Quotes' && row !== undefined,
    ).length
  const escapes = sample.includes('\\"') && errorsWith('\\') < errorsWith('"')
  return { ...(spaced ? { spaced } : {}), ...(escapes ? { escape: '\\' } : {}) }
}

/**
 * The delimiter with which most headers are known words; if no header is known, the one with which
 * the rows have the most similar lengths.
 */
function detectDelimiter(sample: string, newline: Format['newline']): Delimiter {
  const found = DELIMITERS.map((delimiter) => {
    const { data } = Papa.parse<string[]>(sample, {
      delimiter,
      newline,
      preview: HEADER_WITHIN,
      skipEmptyLines: 'greedy',
    })
    // A title may precede the header.
    const known = data.map((cells) => (cells.length > 1 ? knownHeaders(cells) : 0))
    return { delimiter, known: Math.max(0, ...known) }
  })
  const max = Math.max(...found.map(({ known }) => known))
  const best = found.filter(({ known }) => known === max)
  if (max > 0 && best.length === 1) return firstOf(best).delimiter
  const guessed = Papa.parse<string[]>(sample, {
    newline,
    delimitersToGuess: [...DELIMITERS],
    preview: HEAD_ROWS,
    skipEmptyLines: 'greedy',
  }).meta.delimiter
  return DELIMITERS.find((delimiter) => delimiter === guessed) ?? ','
}
