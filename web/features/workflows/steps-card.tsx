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
      onOrder={(next) => change({ steps: [...next] })}
      rowProps={(step, at) => rowOf(at, titleOf(step), problems)}
    >
      {(step, at, controls) => (
        <>
          <AddStep
            kind={draft.kind}
            plugins={[...plugins.values()]}
            before={t('step {at}, {title}', { at: at + 1, title: titleOf(step) })}
            onAdd={(plugin) => insert(plugin, at)}
          />
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
        </>
      )}
    </SortableList>
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

  const insert = (plugin: string, at: number) => {
    const known = plugins.get(plugin)
    const step = { ...newStep(plugin), options: known ? startOptions(known) : {} }
    change({ steps: steps.toSpliced(at, 0, step) })
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

const rowOf = (at: number, title: string, problems: Problems) => {
  const path = `steps[${at}]`
  return {
    id: fieldId(path),
    className: problems.within(path) ? 'step broken' : 'step',
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
  onAdd: (plugin: string) => void
}

function AddStep({ kind, plugins, before, onAdd }: AddStepProps) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      autofocusTarget="first-node"
      preferredAlignment="left"
      activator={
        before === undefined ? (
          <Button id={fieldId('steps')} icon={PlusIcon} disclosure onClick={() => setOpen(!open)}>
            {t('Add step')}
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
