import { expect, it } from 'vitest'
import type { Context } from 'koa'
import { silent } from '../../test/database.ts'
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
  ['EIO', 500, 'internal'],
])('the system error %s is answered with %i %s', async (code, status, name) => {
  expect(await answerTo(Object.assign(new Error('no'), { code }))).toEqual([status, name])
})
