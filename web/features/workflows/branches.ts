// Branches of a workflow while it is edited: steps in a row, those of the other files last.
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Condition } from '../../shell/client/workflows.ts'
import { type StepDraft } from './draft.ts'

/** A branch in which a step begins, with the condition that the step had alone. */
export const newBranch = (when: Condition | null): NonNullable<StepDraft['branch']> => ({
  id: `branch-${crypto.randomUUID().slice(0, 8)}`,
  when: when ?? {},
  else: false,
})

/** Can the plugin's steps be in a branch? */
export const canBranch = (plugin: Pick<Plugin, 'scope' | 'waits' | 'kind'> | undefined): boolean =>
  plugin !== undefined && plugin.scope !== 'operation' && !plugin.waits && plugin.kind !== 'fetch'

/** The branch that a step between these belongs to; `own`: the one that it had. */
function branchBetween(
  before: StepDraft | undefined,
  after: StepDraft | undefined,
  own: StepDraft['branch'],
): StepDraft['branch'] {
  const [left, right] = [before?.branch ?? null, after?.branch ?? null]
  if (left && left.id === right?.id)
    return left.else === right.else || own?.id !== left.id ? left : own
  if (own && (left?.id === own.id || right?.id === own.id)) return own
  return null
}

/** The steps with this one at `at`, in the branch of its neighbours. */
export function inserted(
  steps: readonly StepDraft[],
  at: number,
  step: StepDraft,
  plugin: Plugin | undefined,
): StepDraft[] {
  const branch = canBranch(plugin) ? branchBetween(steps[at - 1], steps[at], null) : null
  return steps.toSpliced(at, 0, { ...step, branch })
}

/** The steps in another order: the moved one takes the branch of its new neighbours. */
export function reordered(
  steps: readonly StepDraft[],
  moved: StepDraft,
  plugin: Plugin | undefined,
): StepDraft[] {
  const at = steps.indexOf(moved)
  // The only step of a branch takes it along.
  const isAlone = !steps.some((one) => one !== moved && one.branch?.id === moved.branch?.id)
  const between = branchBetween(steps[at - 1], steps[at + 1], moved.branch)
  const branch = canBranch(plugin) ? (between ?? (isAlone ? moved.branch : null)) : null
  return steps.with(at, { ...moved, branch })
}

/** The steps with another condition of a branch; null: the branch is dissolved. */
export const withCondition = (
  steps: readonly StepDraft[],
  id: string,
  when: Condition | null,
): StepDraft[] =>
  steps.map((step) => {
    if (step.branch?.id !== id) return step
    return { ...step, branch: when === null ? null : { ...step.branch, when } }
  })

/** Where the steps of a step's branch end, and whether some of them are for the other files. */
export function endOfBranch(
  steps: readonly StepDraft[],
  id: string,
): { last: number; hasOthers: boolean } {
  const isOf = ({ branch }: StepDraft) => branch?.id === id
  return {
    last: steps.findLastIndex(isOf),
    hasOthers: steps.some((step) => isOf(step) && step.branch?.else === true),
  }
}
