// Detects a CSV file's delimiter and line ends from its beginning.
import Papa from 'papaparse'
import { knownHeaders } from './columns.ts'
import { DELIMITERS, type Delimiter, type Format } from './rows.ts'

const HEAD_CHARACTERS = 64 * 1024
const HEAD_ROWS = 10

/** `text` is the file's beginning, without a byte-order mark. */
export function detectFormat(text: string): Format & { skipped: number } {
  const head = text.slice(0, HEAD_CHARACTERS)
  // Excel names the delimiter in such a first line, other programs also in quotes; it is not a row.
  const named = /^"? *sep *= *([,;\t|]) *"?[,;\t|]*\r?\n?/i.exec(head)
  const sample = head.slice(named?.[0].length ?? 0)
  const newline =
    sample.replace(/"(?:[^"]|"")*"/g, '').includes('\n') || !sample.includes('\r') ? '\n' : '\r'
  const delimiter = (named?.[1] as Delimiter | undefined) ?? detectDelimiter(sample, newline)
  return { delimiter, newline, skipped: named?.[0].length ?? 0 }
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
      preview: 1,
      skipEmptyLines: 'greedy',
    })
    return { delimiter, known: data[0] && data[0].length > 1 ? knownHeaders(data[0]) : 0 }
  })
  const max = Math.max(...found.map(({ known }) => known))
  const best = found.filter(({ known }) => known === max)
  if (max > 0 && best.length === 1) return best[0]!.delimiter
  const guessed = Papa.parse<string[]>(sample, {
    newline,
    delimitersToGuess: [...DELIMITERS],
    preview: HEAD_ROWS,
    skipEmptyLines: 'greedy',
  }).meta.delimiter
  return DELIMITERS.find((delimiter) => delimiter === guessed) ?? ','
}
