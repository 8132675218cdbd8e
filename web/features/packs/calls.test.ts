import { expect, test } from 'vitest'
import { ApiError } from '../../shell/client/error.ts'
import { orderOfThoseLeft } from './calls.ts'

const refusal = (...gone: { index: number; code: string }[]) =>
  new ApiError('validation_failed', 'Correct the request', {
    details: gone.map((one) => ({ ...one, param: 'file_ids', message: 'It is wrong' })) as never,
  })

test('an order is sent again without the files that left the pack meanwhile', async () => {
  const inPack = new Set(['a', 'c'])
  const sent: (readonly string[])[] = []
  const send = async (ids: readonly string[]) => {
    sent.push(ids)
    const gone = [...ids.entries()].filter(([, id]) => !inPack.has(id))
    if (gone.length > 0) throw refusal(...gone.map(([index]) => ({ index, code: 'not_found' })))
    return 'saved'
  }
  expect(await orderOfThoseLeft(['c', 'b', 'a', 'd'], send)).toBe('saved')
  expect(sent).toEqual([
    ['c', 'b', 'a', 'd'],
    ['c', 'a'],
  ])
})

test.each([
  ['all files have left', refusal({ index: 0, code: 'not_found' })],
  ['a file is named twice', refusal({ index: 0, code: 'invalid_value' })],
  ['there is no answer', new ApiError('offline', 'Not now')],
])('it is refused if %s', async (_, error) => {
  await expect(orderOfThoseLeft(['a'], () => Promise.reject(error))).rejects.toBe(error)
})
