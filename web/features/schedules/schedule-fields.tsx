// The fields of a scheduled task: its name, when, what, on which files, and what happens
// afterwards.
import type { Plugin } from '../../shell/client/plugins.ts'
import type { Workflow } from '../../shell/client/workflows.ts'
import { FilterFields } from '../../shell/files/filter-fields.tsx'
import { NameField } from '../../shell/components/name-field.tsx'
import { NumberField } from '../../shell/components/number-field.tsx'
import { fieldId } from '../../shell/components/problems.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { Banner, BlockStack, Card, Checkbox, Select, Hint } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { startOptions } from '../plugins/option-form/alternatives.ts'
import { OptionForm } from '../plugins/option-form/option-form.tsx'
import { stepsText } from '../plugins/step-labels.ts'
import { NOTIFY } from './labels.ts'
import {
  mayDelete,
  type ScheduleDraft,
  actionsOf,
  workflowsOf,
  type ScheduleForm,
} from './use-schedule-form.ts'
import { WhenCard } from './when-card.tsx'

interface Props {
  form: ScheduleForm
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
}

export function ScheduleFields({ form, plugins, workflows }: Props) {
  return (
    <BlockStack gap="400">
      <NameCard form={form} />
      <WhenCard form={form} />
      <WhatCard form={form} plugins={plugins} workflows={workflows} />
      <FilesCard form={form} />
      <Afterwards form={form} deleting={mayDelete(form.draft, plugins, workflows)} />
    </BlockStack>
  )
}

function NameCard({ form }: { form: ScheduleForm }) {
  const { draft, change } = form
  return (
    <Card>
      <BlockStack gap="400">
        <NameField form={form} />
        <Checkbox
          label={t('On')}
          helpText={t('A task that is off keeps its settings and does not run.')}
          checked={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </BlockStack>
    </Card>
  )
}

function FilesCard({ form }: { form: ScheduleForm }) {
  const { draft, change, problems } = form
  return (
    <Titled
      title={t('Which files')}
      help={t('A file must meet all conditions. Each run looks for matching files again.')}
    >
      <FilterFields
        all
        value={draft.filter}
        onChange={(filter) => {
          change({ filter })
          form.visit('filter')
        }}
        path="filter"
        problems={problems}
      />
      {Object.keys(draft.filter).length === 0 && (
        <Banner tone="info">
          <p>{t('Without a condition, every run applies to all files.')}</p>
        </Banner>
      )}
    </Titled>
  )
}

function Afterwards({
  form: { draft, change, problems },
  deleting,
}: {
  form: ScheduleForm
  deleting: boolean
}) {
  return (
    <Titled title={deleting ? t('Safety and notification') : t('Notification')}>
      <div className="fields">
        {deleting && (
          <NumberField
            label={t('Delete at most')}
            id={fieldId('cap')}
            suffix={t('files a run')}
            help={t(
              'Above this limit nothing is deleted: the run stops as a preview, and a notice asks you to confirm it.',
            )}
            value={draft.cap}
            error={problems.at('cap')}
            onChange={(cap) => change({ cap })}
          />
        )}
        <Select
          label={t('Send an email summary')}
          id={fieldId('notify')}
          helpText={t('Sent to the recipients in Settings. A notice always appears in the app.')}
          error={problems.at('notify')}
          options={Object.entries(NOTIFY).map(([value, label]) => ({ label, value }))}
          value={draft.notify}
          onChange={(notify) => change({ notify: notify as ScheduleDraft['notify'] })}
        />
      </div>
    </Titled>
  )
}

// What a task does: an action with its options, or a workflow.

interface WhatCardProps {
  form: ScheduleForm
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
}

function WhatCard({ form, plugins, workflows }: WhatCardProps) {
  const { draft, change, problems } = form
  const { runs } = draft
  const action = runs && 'action' in runs ? plugins.find(({ id }) => id === runs.action) : undefined
  const workflow =
    runs && 'workflow' in runs ? workflows.find(({ id }) => id === runs.workflow) : undefined
  const lasting = workflow ? workflow.cannot_undo : action?.undo === 'none' ? [action.title] : []
  const whole = problems.at('options')
  return (
    <Titled title={t('What')}>
      <Select
        label={t('Action')}
        id={fieldId(runs && 'workflow' in runs ? 'workflow' : 'action')}
        error={problems.at('action') ?? problems.at('workflow')}
        options={choicesOf(runs, plugins, workflows)}
        value={valueOf(runs)}
        onChange={(value) => {
          const next = runsOf(value)
          const plugin = plugins.find(({ id }) => next && 'action' in next && id === next.action)
          change({ runs: next, options: plugin ? startOptions(plugin) : {} })
        }}
      />
      {whole && (
        <div tabIndex={-1} id={fieldId('options')} className="place">
          <Banner tone="critical">
            <p>{whole}</p>
          </Banner>
        </div>
      )}
      {action && Object.keys(action.options.properties ?? {}).length > 0 && (
        <OptionForm
          schema={action.options}
          value={draft.options}
          onChange={(options) => {
            change({ options })
            form.visit('options')
          }}
          path="options"
          problems={problems}
          alternatives={action.alternatives}
        />
      )}
      {workflow && <Hint>{stepsText(workflow.steps)}</Hint>}
      {lasting.length > 0 && (
        <Banner tone="warning">
          <p>{t('This can’t be undone: {list}.', { list: lasting.join(', ') })}</p>
        </Banner>
      )}
    </Titled>
  )
}

/** The choices, including the chosen one, which may have been deleted. */
function choicesOf(
  runs: ScheduleDraft['runs'],
  plugins: readonly Plugin[],
  workflows: readonly Workflow[],
) {
  const actions = actionsOf(plugins, workflows).map(({ id, title }) =>
    choice(`action ${id}`, title),
  )
  const others = workflowsOf(plugins, workflows).map(({ id, name }) =>
    choice(`workflow ${id}`, name),
  )
  const value = valueOf(runs)
  const present =
    value === '' ? [choice('', t('Choose'))] : [choice(value, titleOf(runs, plugins, workflows))]
  return [
    ...([...actions, ...others].some((one) => one.value === value) ? [] : present),
    { title: t('Actions'), options: actions },
    ...(others.length === 0 ? [] : [{ title: t('Workflows'), options: others }]),
  ]
}

function titleOf(
  runs: ScheduleDraft['runs'],
  plugins: readonly Plugin[],
  workflows: readonly Workflow[],
): string {
  if (runs === null) return ''
  if ('action' in runs) return plugins.find(({ id }) => id === runs.action)?.title ?? runs.action
  return workflows.find(({ id }) => id === runs.workflow)?.name ?? runs.workflow
}

const choice = (value: string, label: string) => ({ value, label })

const valueOf = (runs: ScheduleDraft['runs']): string =>
  runs === null ? '' : 'action' in runs ? `action ${runs.action}` : `workflow ${runs.workflow}`

function runsOf(value: string): ScheduleDraft['runs'] {
  const [kind, id] = value.split(' ')
  if (id === undefined) return null
  return kind === 'action' ? { action: id } : { workflow: id }
}
