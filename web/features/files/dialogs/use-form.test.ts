import { expect, test } from 'vitest'
import { ApiError } from '../../../shell/client/error.ts'
import { problemsByField, wholeNumber } from './use-form.ts'

const known = new Set(['sites', 'days'])

test('the server’s problems are next to their fields', () => {
  const details = [{ param: 'options.allowed_referrers[0]', code: 'x', message: 'No site' }]
  const error = new ApiError('validation_failed', 'No', { details })
  expect(problemsByField(error, { allowed_referrers: 'sites' }, known)).toEqual({
    errors: { sites: 'No site' },
    other: null,
  })
})

test('problems without a field are above the form', () => {
  const details = [
    { param: 'options.days', code: 'x', message: 'Too many' },
    { param: 'select.file_ids', code: 'x', message: 'None' },
  ]
  const error = new ApiError('validation_failed', 'No', { details })
  expect(problemsByField(error, {}, known)).toMatchObject({
    errors: { days: 'Too many' },
    other: { message: 'None' },
  })
  const other = new ApiError('x', 'No')
  expect(problemsByField(other, {}, known)).toEqual({ errors: {}, other })
})

test('whole numbers within bounds', () => {
  expect(['1', ' 30 ', '007'].map((text) => wholeNumber(text, 1, 30))).toEqual([1, 30, 7])
  expect(['', '0', '31', '1.5', '-1', '1e1', 'x'].map((text) => wholeNumber(text, 1, 30))).toEqual(
    Array(7).fill(null),
  )
})
