import { expect, test } from 'vitest'
import { checkedValues } from './connection-values.ts'
import { demo } from './providers/providers.ts'

test('choosing the whole account is kept, and differs from no choice', () => {
  expect(checkedValues(demo, {}, {}).settings).toEqual({})
  expect(checkedValues(demo, { folder: '' }, {}).settings).toEqual({ folder: '' })
  expect(checkedValues(demo, {}, { folder: '' }).settings).toEqual({ folder: '' })
  expect(checkedValues(demo, { folder: '' }, { folder: 'Manuals' }).settings).toEqual({
    folder: '',
  })
})
