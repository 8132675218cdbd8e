// How a PDF is to be cut: after every so many pages, or into ranges of pages.
import { withPassword } from './document-options.ts'
import { type Errors, type Reading, wholeNumber } from './use-form.ts'

export interface SplitForm {
  how: 'page' | 'every' | 'ranges'
  every: string
  /** `1-3, 5, 8-`: the last one to the end. */
  ranges: string
  password: string
}

const MOST_RANGES = 200

export function readSplit({ how, every, ranges, password }: SplitForm): Reading {
  const errors: Errors = {}
  const secret = withPassword(password)
  if (how === 'page') return { options: { every: 1, ...secret } }
  if (how === 'every') {
    const pages = wholeNumber(every, 1, 100_000)
    if (pages !== null) return { options: { every: pages, ...secret } }
    errors.every = 'Write a whole number from 1 up'
    return { errors }
  }
  const parts = ranges
    .split(',')
    .map((part) => part.replaceAll(/\s|–/g, (sign) => (sign === '–' ? '-' : '')))
    .filter((part) => part !== '')
  const wrong = parts.find((part) => !isRange(part))
  if (parts.length === 0) errors.ranges = 'Write pages like 1-3, 5, 8-12'
  else if (wrong !== undefined) errors.ranges = `“${wrong}” is no range of pages: write it like 1-3, 5 or 7-`
  else if (parts.length > MOST_RANGES) errors.ranges = `At most ${MOST_RANGES} parts`
  else return { options: { ranges: parts, ...secret } }
  return { errors }
}

function isRange(part: string): boolean {
  const [, from, to] = /^([1-9]\d{0,5})(?:-([1-9]\d{0,5})?)?$/.exec(part) ?? []
  return from !== undefined && (to === undefined || Number(to) >= Number(from))
}
