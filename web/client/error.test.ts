import { expect, test } from 'vitest'
import { ApiError, errorFrom, offline } from './error.ts'

test('the API’s own error keeps all that it says', () => {
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
  '%o is no error of the API',
  (body) => {
    expect(errorFrom(502, body)).toMatchObject({
      code: 'unexpected',
      status: 502,
      details: [],
      requestId: null,
    })
  },
)

test('a session that is not accepted says how to sign in again', () => {
  const message = 'Send a valid API key or session token'
  const error = errorFrom(401, { error: { code: 'unauthenticated', message, request_id: 'req_1' } })
  expect(error).toMatchObject({ code: 'not_signed_in', status: 401, requestId: 'req_1' })
  expect(error.message).toContain('Open Stevedore again')
})

test('what may pass by itself is worth another try', () => {
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
