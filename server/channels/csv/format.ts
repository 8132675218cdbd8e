// Detects a CSV file's delimiter and line ends from its beginning.
import Papa from 'papaparse'
import { knownHeaders } from './columns.ts'
import { DELIMITERS, type Delimiter, type Format } from './rows.ts'

const LOOKED_AT = 64 * 1024
const ROWS_LOOKED_AT = 10

/** `text` is the file's beginning, without a byte-order mark. */
export function detectFormat(text: string): Format & { skipped: number } {
  const head = text.slice(0, LOOKED_AT)
  // A line that Excel writes and reads to name the delimiter; it is not a row.
  const named = /^sep=([,;\t|])\r?\n?/i.exec(head)
  const sample = head.slice(named?.[0].length ?? 0)
  const newline =
    sample.replace(/"(?:[^"]|"")*"/g, '').includes('\n') || !sample.includes('\r') ? '\n' : '\r'
  const delimiter = (named?.[1] as Delimiter | undefined) ?? detectDelimiter(sample, newline)
  return { delimiter, newline, skipped: named?.[0].length ?? 0 }
}

/**
 * The delimiter with which most headers are known words; if there are none, the one with which the
 * rows are most alike.
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
  const most = Math.max(...found.map(({ known }) => known))
  const best = found.filter(({ known }) => known === most)
  if (most > 0 && best.length === 1) return best[0]!.delimiter
  const guessed = Papa.parse<string[]>(sample, {
    newline,
    delimitersToGuess: [...DELIMITERS],
    preview: ROWS_LOOKED_AT,
    skipEmptyLines: 'greedy',
  }).meta.delimiter
  return DELIMITERS.find((delimiter) => delimiter === guessed) ?? ','
}
