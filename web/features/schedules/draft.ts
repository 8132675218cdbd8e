// A scheduled task while it is edited, and the request body made from it.
import { type Schedule, type ScheduleBody } from './calls.ts'
import { type FileFilter } from '../../shell/client/types.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import type { NumberValue } from '../../shell/components/number-field.tsx'
import { cronOf, whenOf, type RunTimes } from './labels.ts'

export interface ScheduleDraft {
  name: string
  enabled: boolean
  when: RunTimes
  /** A plugin’s id, or a workflow’s, or nothing yet. */
  runs: { action: string } | { workflow: string } | null
  options: Record<string, unknown>
  filter: FileFilter
  notify: Schedule['notify']
  cap: NumberValue
}

/** The server's default. */
const CAP = 100

export const emptyDraft = (): ScheduleDraft => ({
  name: '',
  enabled: true,
  when: whenOf('0 3 * * *'),
  runs: null,
  options: {},
  filter: {},
  notify: 'always',
  cap: CAP,
})

/** A template contains only some fields. */
export const draftOf = (body: Partial<ScheduleBody>): ScheduleDraft => ({
  ...emptyDraft(),
  name: body.name ?? '',
  enabled: body.enabled ?? true,
  when: whenOf(body.cron ?? '0 3 * * *'),
  runs: body.action ? { action: body.action } : body.workflow ? { workflow: body.workflow } : null,
  options: body.options ?? {},
  filter: body.filter ?? {},
  notify: body.notify ?? 'always',
  cap: body.cap ?? CAP,
})

export const bodyOf = ({
  name,
  enabled,
  when,
  runs,
  options,
  filter,
  notify,
  cap,
}: ScheduleDraft): ScheduleBody => ({
  name: name.trim(),
  enabled,
  cron: cronOf(when),
  action: runs && 'action' in runs ? runs.action : null,
  workflow: runs && 'workflow' in runs ? runs.workflow : null,
  options: runs && 'action' in runs ? options : {},
  filter,
  notify,
  // An invalid number is sent as it is: the refusal is shown beside the field.
  cap: (cap ?? CAP) as number,
})

export const isChanged = (draft: ScheduleDraft, saved: ScheduleDraft): boolean =>
  JSON.stringify(bodyOf(draft)) !== JSON.stringify(bodyOf(saved))

/** May a run delete files? Then the cap applies. */
export function mayDelete(
  { runs }: Pick<ScheduleDraft, 'runs'>,
  plugins: readonly Plugin[],
  workflows: readonly Workflow[],
): boolean {
  if (!runs) return false
  const used =
    'action' in runs
      ? [runs.action]
      : (workflows.find(({ id }) => id === runs.workflow)?.steps ?? []).map(({ plugin }) => plugin)
  return plugins.some(
    ({ id, permission, works_on }) =>
      used.includes(id) &&
      (permission === 'files:purge' || (permission === 'files:delete' && works_on !== 'trash')),
  )
}

/** Actions that a task can run: every action with a built-in workflow. */
export const actionsOf = (plugins: readonly Plugin[], workflows: readonly Workflow[]): Plugin[] =>
  plugins.filter(({ id }) =>
    workflows.some((workflow) => isBuiltIn(workflow) && workflow.id === id),
  )

/**
 * Workflows that a task can run: the merchant's own first, then built-in ones that are no single
 * action.
 */
export function workflowsOf(
  plugins: readonly Plugin[],
  workflows: readonly Workflow[],
): Workflow[] {
  const own = workflows.filter(({ kind, built_in }) => kind === 'bulk' && !built_in)
  const others = workflows.filter(
    (one) => isBuiltIn(one) && !plugins.some(({ id }) => id === one.id),
  )
  return [...own, ...others]
}

const isBuiltIn = ({ kind, built_in }: Workflow): boolean => kind === 'bulk' && built_in
