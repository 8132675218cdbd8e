// Reads licence keys from a text or CSV file: one key in each line, in the first column.
import Papa from 'papaparse'
import { say, type Text, UNSAFE_CHARACTERS } from '../../../plugins/contract/index.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { firstOf } from '../../core/lazy.ts'

const MAX_LENGTH = 500
const MAX_LINE = 4000
const MAX_KEYS = 200_000
const HEADER = /^(licen[cs]e[ _-]?|serial[ _-]?|product[ _-]?)?(key|code|number)s?$/i

/**
 * All keys of the file, each once. Throws `validation_failed`, which names the lines that cannot be
 * keys, and `payload_too_large` above `maxBytes`.
 */
export async function readLicenceKeys(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<string[]> {
  const keys = new Set<string>()
  const details: ErrorDetail[] = []
  let wrong = 0
  let line = 0
  for await (const text of linesOf(bytes, maxBytes)) {
    line += 1
    const key = firstCell(text)
    if (key === '' || (line === 1 && HEADER.test(key))) continue
    const message = problemOf(key)
    if (message === null) keys.add(key)
    else if ((wrong += 1) <= 100)
      details.push({ index: line - 1, param: 'keys', code: 'invalid_value', message })
    if (keys.size > MAX_KEYS)
      throw new AppError('validation_failed', {
        param: 'keys',
        message: say('One file has at most {most} keys: split it', { most: MAX_KEYS }),
      })
  }
  if (wrong > 0)
    throw new AppError('validation_failed', { param: 'keys', details, detailsTotal: wrong })
  if (keys.size === 0)
    throw new AppError('validation_failed', {
      param: 'keys',
      message: say('The file contains no keys: write one per line, or in the first column'),
    })
  return [...keys]
}

function problemOf(key: string): Text | null {
  if (key.length > MAX_LENGTH)
    return say('A key has at most {most} characters', { most: MAX_LENGTH })
  if (!key.isWellFormed() || key.includes('\ufffd') || UNSAFE_CHARACTERS.test(key))
    return say('A key cannot contain control characters, and the file must be UTF-8')
  return null
}

const firstCell = (line: string): string =>
  line.startsWith('"')
    ? (Papa.parse<string[]>(line).data[0]?.[0] ?? '').trim()
    : firstOf(line.split(/[,;\t]/, 1)).trim()

async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let size = 0
  let rest = ''
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxBytes) throw new AppError('payload_too_large')
    const text = rest + decoder.decode(chunk, { stream: true })
    // A CR at the end may be the first half of a CR LF, and would otherwise count as a line.
    const end = text.endsWith('\r') ? text.length - 1 : text.length
    const lines = text.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + text.slice(end)
    if (rest.length > MAX_LINE)
      throw new AppError('validation_failed', {
        param: 'keys',
        message: say('A line is too long: write one key per line, or in the first column'),
      })
    yield* lines
  }
  yield (rest + decoder.decode()).replace(/\r$/, '')
}
