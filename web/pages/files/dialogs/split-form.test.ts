import { expect, test } from 'vitest'
import { readSplit, type SplitForm } from './split-form.ts'

const read = (part: Partial<SplitForm>) => readSplit({ how: 'page', every: '', ranges: '', password: '', ...part })

test('every page, every so many, or ranges', () => {
  expect(read({})).toEqual({ options: { every: 1 } })
  expect(read({ how: 'every', every: ' 10 ', password: 'open' })).toEqual({ options: { every: 10, password: 'open' } })
  expect(read({ how: 'ranges', ranges: '1 - 3, 5,8–12,14-' })).toEqual({
    options: { ranges: ['1-3', '5', '8-12', '14-'] },
  })
})

test('what is no range is named', () => {
  expect(read({ how: 'ranges' })).toEqual({ errors: { ranges: 'Write pages like 1-3, 5, 8-12' } })
  for (const wrong of ['0', '3-1', '-1', 'a', '1-2-3'])
    expect(read({ how: 'ranges', ranges: `1,${wrong}` })).toEqual({
      errors: { ranges: `“${wrong}” is no range of pages: write it like 1-3, 5 or 7-` },
    })
  expect(read({ how: 'every', every: '0' })).toEqual({ errors: { every: expect.any(String) } })
})
