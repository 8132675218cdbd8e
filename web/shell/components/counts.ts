// Whether a typed number is a count: a whole number above 0.
import type { NumberValue } from './number-field.tsx'

export const isCount = (value: NumberValue, most = Infinity): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most

/** A count, or the choice of no limit. */
export const isCountOrNone = (value: NumberValue, most = Infinity): value is number | null =>
  value === null || isCount(value, most)
