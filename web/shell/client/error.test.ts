import { expect, test } from 'vitest'
import { ApiError, errorFrom, offline } from './error.ts'

test('keeps all fields of an API error', () => {
  const details = [{ param: 'email', code: 'invalid_value', message: 'No' }]
  const error = errorFrom(422, {
    error: { code: 'validation_failed', message: 'No', details, request_id: 'req_1' },
  })
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    code: 'validation_failed',
    message: 'No',
    status: 422,
    details,
    requestId: 'req_1',
  })
})

test.each([null, 'text', {}, { error: 'text' }, { error: { code: 1 } }])(
  '%o is not an API error',
  (body) => {
    expect(errorFrom(502, body)).toMatchObject({
      code: 'unexpected',
      status: 502,
      details: [],
      requestId: null,
    })
  },
)

test('an answer of a proxy says what it means', () => {
  const text = (status: number) => errorFrom(status, null).message
  expect(text(413)).toContain('more than the server accepts')
  expect(text(429)).toContain('Wait a moment')
  expect(errorFrom(429, null, '12').message).toContain('12 s')
  const own = { error: { code: 'rate_limited', message: 'It was sent 5 times within an hour' } }
  expect(errorFrom(429, own, '2914').message).toBe('It was sent 5 times within an hour')
  expect(text(503)).toContain('not available at the moment')
  expect(text(200)).toBe(
    'The server sent an unexpected response (status 200). Try again in a minute.',
  )
})

test('what was deleted or changed meanwhile is said as a person would', () => {
  const said = (status: number, code: string, message: string) =>
    errorFrom(status, { error: { code, message } }).message
  expect(said(404, 'not_found', 'There is nothing at this address')).toContain('not exist any more')
  expect(said(404, 'not_found', 'There is no drop account: create one')).toContain('create one')
  const late = 'The operation is in a state that does not allow this'
  expect(said(409, 'operation_state', late)).toContain('changed meanwhile')
  expect(said(409, 'conflict', 'The request is not possible in the current state')).toContain(
    'changed meanwhile',
  )
})

test('a refused session says how to sign in again', () => {
  const message = 'Send a valid API key or session token'
  const error = errorFrom(401, { error: { code: 'unauthenticated', message, request_id: 'req_1' } })
  expect(error).toMatchObject({ code: 'not_signed_in', status: 401, requestId: 'req_1' })
  expect(error.message).toContain('Open Stevedore again')
})

test('a temporary error can be retried', () => {
  const passing = (status: number) => errorFrom(status, null).passing
  expect([502, 503, 504, 429].map(passing)).toEqual([true, true, true, true])
  expect([400, 401, 403, 404, 409, 422, 500].map(passing)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
    false,
  ])
  expect(offline(null).passing).toBe(true)
})
