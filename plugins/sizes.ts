// The sizes that a file of an import may have, before and after its bytes are fetched, and sizes as
// texts.
import type { Failure } from './outcomes.ts'

const EMPTY: Failure = {
  status: 'failed',
  code: 'empty_file',
  message: 'The file is empty',
  retryable: false,
}
const TOO_LARGE: Failure = {
  status: 'failed',
  code: 'file_too_large',
  message: 'The file is larger than 5 GB: contact support to have larger files imported',
  retryable: false,
}

/** Why an import may not have a file of this size. Null: the size is allowed or unknown. */
export function sizeProblem(size: number | null, limits: { file_bytes: number }): Failure | null {
  if (size === 0) return EMPTY
  return size !== null && size > limits.file_bytes ? TOO_LARGE : null
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']
const STEP = 1024

/** A size as text, 12,345,678 as `12 MB`, exactly as in the page (test/sizes.test.ts checks it). */
export function sizeText(size: number): string {
  let [value, unit] = [size, 0]
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  const digits = unit > 0 && value < 10 ? 1 : 0
  const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(value)
  return `${figure} ${size === 1 ? 'byte' : UNITS[unit]}`
}
