import { expect, it } from 'vitest'
import type { Context } from 'koa'
import { say } from '../../plugins/contract/index.ts'
import { silent } from '../../test/database.ts'
import { AppError } from '../core/errors.ts'
import { createLogger } from '../core/log.ts'
import { errorResponses, type ErrorBody } from './errors.ts'

async function answerTo(thrown: Error): Promise<[number, string]> {
  const ctx = { state: {}, set: () => {} } as unknown as Context
  await errorResponses(silent)(ctx, () => Promise.reject(thrown))
  return [ctx.status, (ctx.body as ErrorBody).error.code]
}

it.each([
  ['ENOSPC', 507, 'storage_full'],
  ['EDQUOT', 507, 'storage_full'],
  ['53100', 507, 'storage_full'],
  ['53300', 503, 'unavailable'],
  ['40P01', 503, 'unavailable'],
  ['EIO', 500, 'internal'],
])('the system error %s is answered with %i %s', async (code, status, name) => {
  expect(await answerTo(Object.assign(new Error('no'), { code }))).toEqual([status, name])
})

it('a database that is away, or full, is logged as such, also where the answer hides it', async () => {
  const lines: string[] = []
  const log = createLogger('info', (line) => lines.push(line))
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const context = (path = '/readyz') =>
    ({ state: {}, set: () => {}, method: 'GET', path }) as unknown as Context
  const starting = new AppError('unavailable')
  const answer = errorResponses(log)
  for (const thrown of [
    cause,
    new AppError('unavailable', { cause }),
    new Error('a bug'),
    starting,
    starting,
    new AppError('unavailable', { message: say('Migrations of the database are pending') }),
    Object.assign(new Error('could not extend file'), { code: '53100' }),
  ])
    await answer(context(), () => Promise.reject(thrown))
  // Each reason for which a process that starts refuses probes is one line.
  await answer(context('/api/files'), () => Promise.reject(starting))
  const away = {
    level: 'error',
    message: 'a request failed: the database cannot be reached',
    path: '/readyz',
    error: 'connect ECONNREFUSED',
  }
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining(away),
    expect.objectContaining(away),
    expect.objectContaining({ message: 'a request failed', error: 'a bug' }),
    expect.objectContaining({ level: 'info', path: '/readyz', error: starting.message }),
    expect.objectContaining({
      level: 'info',
      path: '/readyz',
      error: 'Migrations of the database are pending',
    }),
    expect.objectContaining({ message: 'a request failed: the disk of the database is full' }),
    expect.objectContaining({ level: 'info', message: 'a request was answered: not available' }),
  ])
  expect(lines[0]).not.toContain('stack')
})
