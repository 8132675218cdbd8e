// The steps of a workflow, in order: added at the end, inserted, dragged, moved by buttons or keys,
// removed.
import { useEffect, useRef, useState } from 'react'
import type { Plugin } from '../../shell/client/plugins.ts'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { SortableList } from '../../shell/components/sortable.tsx'
import {
  BlockStack,
  Card,
  Heading,
  Hint,
  InlineError,
  InlineStack,
  Text,
  ActionList,
  Button,
  Icon,
  PlusIcon,
  Popover,
} from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import type { Workflow } from '../../shell/client/workflows.ts'
import { startOptions } from '../plugins/option-form/alternatives.ts'
import { byKind, unfitText } from '../plugins/step-labels.ts'
import { BranchHead, OtherFiles } from './branch-head.tsx'
import { canBranch, endOfBranch, inserted, reordered, withCondition } from './branches.ts'
import { newStep, placeFor, type StepDraft } from './draft.ts'
import { StepForm } from './step-form.tsx'
import type { WorkflowForm } from './use-workflow-form.ts'
import './workflows.css'

interface Props {
  form: WorkflowForm
  plugins: ReadonlyMap<string, Plugin>
}

export function StepsCard({ form, plugins }: Props) {
  const { draft, problems } = form
  const { steps } = draft
  const actions = useSteps({ form, plugins })
  const { said, insert } = actions
  const none = problems.at('steps')
  return (
    <Card>
      <BlockStack gap="400">
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Heading>{t('Steps')}</Heading>
          <Text as="span" visuallyHidden>
            <span role="status">{said}</span>
          </Text>
        </InlineStack>
        {steps.length === 0 && (
          <Hint>
            {t('Each file goes through the steps from top to bottom. Add the first one.')}
          </Hint>
        )}
        {steps.length > 0 && <StepList form={form} plugins={plugins} actions={actions} />}
        <div>
          <AddStep
            kind={draft.kind}
            plugins={[...plugins.values()]}
            onAdd={(plugin) =>
              insert(plugin, placeFor(plugins.get(plugin)?.kind ?? 'act', steps, plugins))
            }
          />
          {none && <InlineError message={none} fieldID={fieldId('steps')} />}
        </div>
      </BlockStack>
    </Card>
  )
}

interface ListProps extends Props {
  actions: ReturnType<typeof useSteps>
}

function StepList({ form, plugins, actions }: ListProps) {
  const { draft, change, problems } = form
  const { steps } = draft
  const { titleOf, isOpen, toggle, insert, remove } = actions
  return (
    <SortableList
      className="steps"
      items={steps}
      keyOf={({ key }) => key}
      nameOf={(step, at) => t('step {at}, {title}', { at: at + 1, title: titleOf(step) })}
      onOrder={(next, moved) =>
        change({ steps: reordered(next, moved, plugins.get(moved.plugin)) })
      }
      rowProps={(step, at) => rowOf(step, at, titleOf(step), problems)}
    >
      {(step, at, controls) => (
        <>
          <AddStep
            kind={draft.kind}
            plugins={[...plugins.values()]}
            before={t('step {at}, {title}', { at: at + 1, title: titleOf(step) })}
            onAdd={(plugin) => insert(plugin, at)}
          />
          <BranchOf step={step} at={at} form={form} />
          <StepForm
            step={step}
            kind={draft.kind}
            at={at}
            controls={controls}
            plugin={plugins.get(step.plugin)}
            summary={form.summaryOf(step)}
            problems={problems}
            open={isOpen(step)}
            onToggle={() => toggle(step.key)}
            onChange={(part) => {
              change({
                steps: steps.map((other) => (other === step ? { ...step, ...part } : other)),
              })
              form.visit(step.key)
            }}
            onRemove={() => remove(step)}
          />
          <OthersOf step={step} at={at} form={form} plugins={plugins} actions={actions} />
        </>
      )}
    </SortableList>
  )
}

interface StepProps {
  form: WorkflowForm
  step: StepDraft
  at: number
}

/** What is above the first step of a branch, and above the first one of the other files. */
function BranchOf({ form: { draft, change, problems, visit }, step, at }: StepProps) {
  const { branch } = step
  const before = draft.steps[at - 1]?.branch
  if (!branch || (before?.id === branch.id && before.else === branch.else)) return null
  if (branch.else) return <OtherFiles />
  return (
    <BranchHead
      branch={branch}
      path={`steps[${at}]`}
      problems={problems}
      onChange={(when) => {
        change({ steps: withCondition(draft.steps, branch.id, when) })
        visit(step.key)
      }}
    />
  )
}

/** Below the last step of a branch: adds the first one of the other files. */
function OthersOf({ form, step, at, plugins, actions }: StepProps & ListProps) {
  const { branch } = step
  const { steps, kind } = form.draft
  if (!branch) return null
  const { last, hasOthers } = endOfBranch(steps, branch.id)
  if (at !== last || hasOthers) return null
  return (
    <div className="branch-others" data-no-drag>
      <AddStep
        kind={kind}
        plugins={[...plugins.values()].filter(canBranch)}
        label={t('Add a step for the other files')}
        onAdd={(plugin) => actions.insert(plugin, at + 1, { ...branch, else: true })}
      />
    </div>
  )
}

/** The steps that are open, and what adds and removes a step: it is announced, and gets the focus. */
function useSteps({ form, plugins }: Props) {
  const { draft, change } = form
  const { steps } = draft
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [said, setSaid] = useState('')
  const focus = useFocusAfter()
  const titleOf = ({ plugin }: StepDraft) => plugins.get(plugin)?.title ?? plugin
  const toggle = (key: string, show = !open.has(key)) =>
    setOpen(
      (before) => new Set(show ? [...before, key] : [...before].filter((other) => other !== key)),
    )

  const insert = (plugin: string, at: number, branch?: StepDraft['branch']) => {
    const known = plugins.get(plugin)
    const step = { ...newStep(plugin), options: known ? startOptions(known) : {} }
    const next = inserted(steps, at, step, known)
    change({ steps: branch ? next.with(at, { ...step, branch }) : next })
    toggle(step.key, true)
    setSaid(t('{title} is step {count}', { title: titleOf(step), count: at + 1 }))
    focus(`${step.key}-toggle`)
  }
  const remove = (step: StepDraft) => {
    const at = steps.indexOf(step)
    const next = steps.filter((other) => other !== step)
    const neighbour = next[Math.min(at, next.length - 1)]
    change({ steps: next })
    setSaid(t('{title} is removed', { title: titleOf(step) }))
    focus(neighbour ? `${neighbour.key}-toggle` : fieldId('steps'))
  }
  const isOpen = ({ key }: StepDraft) => open.has(key)
  return { said, titleOf, isOpen, toggle, insert, remove }
}

const rowOf = ({ branch }: StepDraft, at: number, title: string, problems: Problems) => {
  const path = `steps[${at}]`
  return {
    id: fieldId(path),
    className: `step${problems.within(path) ? ' broken' : ''}${branch ? ' branched' : ''}`,
    label: t('Step {at}, {title}', { at: at + 1, title }),
  }
}

/** Focuses the element with this id after the next render. */
function useFocusAfter(): (id: string) => void {
  const wanted = useRef<string | null>(null)
  useEffect(() => {
    if (wanted.current === null) return
    document.getElementById(wanted.current)?.focus()
    wanted.current = null
  })
  return (id) => {
    wanted.current = id
  }
}

// The list of plugins, by kind, from which a step is added at the end or inserted before another.

interface AddStepProps {
  kind: Workflow['kind']
  plugins: readonly Plugin[]
  /** The step before which it is inserted, in words; absent: it is added at the end. */
  before?: string
  /** The text of the button; absent: the usual one. */
  label?: string
  onAdd: (plugin: string) => void
}

function AddStep({ kind, plugins, before, label, onAdd }: AddStepProps) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      autofocusTarget="first-node"
      preferredAlignment="left"
      activator={
        before === undefined ? (
          <Button
            {...(label === undefined ? { id: fieldId('steps') } : {})}
            icon={PlusIcon}
            disclosure
            onClick={() => setOpen(!open)}
          >
            {label ?? t('Add step')}
          </Button>
        ) : (
          <button
            type="button"
            className="insert-step"
            aria-expanded={open}
            aria-label={t('Insert a step before {before}', { before })}
            title={t('Insert a step here')}
            onClick={() => setOpen(!open)}
          >
            <Icon source={PlusIcon} />
          </button>
        )
      }
    >
      <div className="add-step">
        <ActionList
          actionRole="menuitem"
          sections={byKind(plugins).map((group) => ({
            title: group.title,
            items: group.plugins.map((plugin) => {
              const unfit = unfitText(plugin, kind)
              return {
                content: plugin.title,
                helpText: unfit ?? undefined,
                disabled: unfit !== null,
                onAction: () => {
                  setOpen(false)
                  onAdd(plugin.id)
                },
              }
            }),
          }))}
        />
      </div>
    </Popover>
  )
}
