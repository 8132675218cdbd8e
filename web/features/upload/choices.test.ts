import { expect, test } from 'vitest'
import type { ChosenFile } from '../../shell/components/chosen-files.ts'
import { conflictsOf } from './use-admission.ts'
import type { Choice } from './conflicts-dialog.tsx'

const file = (path: string): ChosenFile => ({
  data: { name: path.split('/').at(-1)! } as File,
  path,
})
const [a, b, c, other] = [
  file('1/same.pdf'),
  file('2/SAME.pdf'),
  file('3/same.pdf'),
  file('other.pdf'),
]
const answered = (...choices: readonly (readonly [ChosenFile, Choice])[]) =>
  conflictsOf([a, b, c, other], new Map(choices)).map(({ path, on_conflict }) => [
    path,
    on_conflict,
  ])

test('the first of three files of one name is renamed like the others, because any may arrive first', () => {
  expect(answered([b, 'rename'], [c, 'rename'])).toEqual([
    ['1/same.pdf', 'rename'],
    ['2/SAME.pdf', 'rename'],
    ['3/same.pdf', 'rename'],
    ['other.pdf', 'error'],
  ])
})

test('a choice does not apply to unchanged files of another name', () => {
  expect(answered([b, 'skip'], [c, 'new_version'])).toEqual([
    ['1/same.pdf', 'new_version'],
    ['3/same.pdf', 'new_version'],
    ['other.pdf', 'error'],
  ])
  expect(answered([b, 'skip'], [c, 'skip'])).toEqual([
    ['1/same.pdf', 'error'],
    ['other.pdf', 'error'],
  ])
})
