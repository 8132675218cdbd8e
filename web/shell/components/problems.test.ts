import { expect, test } from 'vitest'
import { ApiError } from '../client/error.ts'
import { isWithin, objectionsIn, problemsOf } from './problems.ts'

const one = (param: string, message = param) => ({ param, message })

test('a field has all problems of itself and of its parts', () => {
  const problems = problemsOf([
    one('steps', 'Too few'),
    one('steps', 'No check'),
    one('steps[1].options.tags[0]'),
  ])
  expect(problems.at('steps')).toBe('Too few. No check')
  expect(problems.at('steps[1].options.tags')).toBeUndefined()
  expect(problems.within('steps[1].options.tags')).toBe('steps[1].options.tags[0]')
  expect(problems.within('steps[10]')).toBeUndefined()
})

test('the page’s text replaces the server’s, and nothing is shown twice', () => {
  const problems = problemsOf(
    [one('name', 'Ours')],
    [one('name', 'Theirs'), one('cap', 'Both'), one('cap', 'Both')],
  )
  expect(problems.all).toEqual([one('name', 'Ours'), one('cap', 'Both')])
})

test('a field whose name begins the same is another field', () => {
  expect(isWithin('names', 'name')).toBe(false)
  expect(isWithin('name.first', 'name')).toBe(true)
})

test('only a refused request has problems', () => {
  const details = [{ param: 'cron', code: 'x', message: 'No' }]
  expect(objectionsIn(new ApiError('validation_failed', 'm', { status: 422, details }))).toEqual([
    one('cron', 'No'),
  ])
  expect(objectionsIn(new ApiError('conflict', 'm', { status: 409, details }))).toEqual([])
  expect(objectionsIn(null)).toEqual([])
})
