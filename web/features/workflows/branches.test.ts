import { expect, test } from 'vitest'
import type { Plugin } from '../../shell/client/plugins.ts'
import { endOfBranch, inserted, newBranch, reordered, withCondition } from './branches.ts'
import { newStep, type StepDraft } from './draft.ts'

const plugin = { kind: 'act', scope: 'items', waits: false } as unknown as Plugin
const branch = newBranch({ type: ['pdf'] })
const step = (name: string, of: StepDraft['branch'] = null): StepDraft => ({
  ...newStep(name),
  branch: of,
})
const STEPS = [
  step('a'),
  step('b', branch),
  step('c', branch),
  step('d', { ...branch, else: true }),
  step('e'),
]
const sides = (steps: readonly StepDraft[]) =>
  steps.map(({ plugin, branch: of }) => (of ? `${plugin}:${of.else ? 'else' : 'do'}` : plugin))
const moved = (from: number, to: number) => {
  const one = STEPS[from]!
  return sides(reordered(STEPS.toSpliced(from, 1).toSpliced(to, 0, one), one, plugin))
}

test('a step that is added or moved between steps of a branch belongs to it', () => {
  expect(sides(inserted(STEPS, 2, step('x'), plugin))[2]).toBe('x:do')
  expect(sides(inserted(STEPS, 3, step('x'), plugin))[3]).toBe('x:do')
  expect(sides(inserted(STEPS, 1, step('x'), plugin))[1]).toBe('x')
  expect(moved(0, 1)).toEqual(['b:do', 'a:do', 'c:do', 'd:else', 'e'])
  expect(moved(4, 3)).toEqual(['a', 'b:do', 'c:do', 'e:do', 'd:else'])
})

test('a step that is moved away leaves its branch, unless it is the only one', () => {
  expect(moved(1, 0)).toEqual(['b', 'a', 'c:do', 'd:else', 'e'])
  expect(moved(3, 4)).toEqual(['a', 'b:do', 'c:do', 'e', 'd'])
  const alone = [step('a'), step('b', branch)]
  expect(sides(reordered(alone.toReversed(), alone[1]!, plugin))).toEqual(['b:do', 'a'])
})

test('a wait is in no branch', () => {
  const wait = { ...plugin, waits: true }
  expect(sides(inserted(STEPS, 2, step('wait'), wait))[2]).toBe('wait')
})

test('the condition of all its steps is changed, and a dissolved branch leaves its steps', () => {
  const when = { type: ['zip'] }
  expect(withCondition(STEPS, branch.id, when).map((one) => one.branch?.when)).toEqual([
    undefined,
    when,
    when,
    when,
    undefined,
  ])
  expect(sides(withCondition(STEPS, branch.id, null))).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(endOfBranch(STEPS, branch.id)).toEqual({ last: 3, hasOthers: true })
})
