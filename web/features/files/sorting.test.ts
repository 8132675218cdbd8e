import { expect, test } from 'vitest'
import { FILE_SORTS, type FileSort } from './url-state.ts'
import { columnOf, sortFor } from './sorting.ts'

test('every order has a column heading that shows it and restores it', () => {
  for (const sort of Object.keys(FILE_SORTS) as FileSort[])
    expect(sortFor(...columnOf(sort))).toBe(sort)
})
