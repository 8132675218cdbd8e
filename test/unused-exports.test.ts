// Code that only its tests run is not part of the product. A test beside a file may import what the
// file uses itself; for all other tests an export says in its comment what it is exported for.
import path from 'node:path'
import { expect, test } from 'vitest'
import { unusedExports } from './unused-exports.ts'

const unused = unusedExports()
const nameOf = ({ file, name }: { file: string; name: string }) => `${file}: ${name}`
const isBeside = (file: string) => (one: string) => path.dirname(one) === path.dirname(file)

test('every exported value is imported', () => {
  expect(unused.filter(({ tests }) => tests.length === 0).map(nameOf)).toEqual([])
})

test('an export that the product does not import says what it is for', () => {
  const wrong = unused.filter(
    ({ file, tests, usedInside, comment }) =>
      !/Exported for/.test(comment) && !(usedInside && tests.every(isBeside(file))),
  )
  expect(wrong.map(nameOf)).toEqual([])
})
