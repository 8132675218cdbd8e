// The form of a workflow: its name, what it runs on, its steps.
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import type { Plugin } from '../../shell/client/plugins.ts'
import { type Workflow, useWorkflows } from '../../shell/client/workflows.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Page } from '../../shell/components/page.tsx'
import { NameField } from '../../shell/components/name-field.tsx'
import { Refusal } from '../../shell/components/refusal.tsx'
import { SaveFirst } from '../../shell/components/save-first.tsx'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { Banner, BlockStack, Card, ChoiceList, Select } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { workflowPlace } from '../plugins/step-labels.ts'
import { LastOperations } from '../operations/last-operations.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { bodyOf, stepsFor, withSteps, type WorkflowDraft } from './draft.ts'
import { StepsCard } from './steps-card.tsx'
import { IfNotCard } from './if-not-card.tsx'
import { RunningNow } from './running-now.tsx'
import { WaitingRuns } from './waiting-runs.tsx'
import { WhenCard } from './when-card.tsx'
import { TrialCard } from './trial-card.tsx'
import { useWorkflowFile } from './use-workflow-file.tsx'
import { VersionsDialog } from './versions-dialog.tsx'
import { useWorkflowForm, type WorkflowForm } from './use-workflow-form.ts'

interface Props {
  /** null: a new one. */
  id: string | null
  initial: WorkflowDraft
  /** The saved workflow; undefined: a new one. */
  record: Workflow | undefined
  plugins: readonly Plugin[]
  /** The version that is shown first; null: none. */
  version: number | null
  onSaved: (workflow: Workflow) => void
  onRestored: () => void
}

export function WorkflowEditor({ id, initial, record, plugins, version, ...on }: Props) {
  const byId = useMemo(() => new Map(plugins.map((plugin) => [plugin.id, plugin])), [plugins])
  const saved = (workflow: Workflow) => {
    toast(t('Workflow saved'))
    on.onSaved(workflow)
  }
  const form = useWorkflowForm({ id, initial, record, plugins: byId, onSaved: saved })
  const [asking, setAsking] = useState<Question | null>(null)
  const [versions, setVersions] = useState(version !== null)
  const file = useWorkflowFile(record)
  return (
    <Page
      fullWidth
      title={id === null ? t('New workflow') : initial.name}
      backAction={{ content: t('Workflows'), url: '/workflows' }}
      secondaryActions={
        id === null
          ? []
          : actionsOf(form.dirty, setAsking, {
              duplicate: () => navigate(`/workflows/new?from=${id}`),
              versions: () => setVersions(true),
              download: file.save,
            })
      }
    >
      <EditorBody form={form} id={id} record={record} plugins={byId} problem={file.problem} />
      <EditorEnd
        id={id}
        initial={initial}
        record={record}
        form={form}
        asking={asking}
        onAnswer={() => setAsking(null)}
      />
      {id !== null && versions && (
        <VersionsDialog
          workflow={id}
          initial={version}
          onClose={() => setVersions(false)}
          onRestored={on.onRestored}
        />
      )}
    </Page>
  )
}

interface BodyProps extends Pick<Props, 'id' | 'record'> {
  form: WorkflowForm
  plugins: PluginsById
  /** Why the file could not be made. */
  problem: ReactNode
}

function EditorBody({ form, id, record, plugins, problem }: BodyProps) {
  const { draft, change, problems } = form
  return (
    <div className={draft.kind === 'delivery' ? undefined : 'workflow-editor'}>
      <BlockStack gap="400">
        <Refusal
          form={form}
          what={t('The workflow could not be saved')}
          title={t('The workflow can’t be saved yet')}
          placeText={(param) =>
            workflowPlace(
              param,
              draft.steps.map(({ plugin }) => plugins.get(plugin)),
            )
          }
        />
        {problem}
        {record && <RunningNow workflow={record} />}
        {record && <WaitingRuns workflow={record.id} />}
        <Card>
          <BlockStack gap="400">
            <NameField form={form} />
            <RunsOn draft={draft} change={change} problems={problems} plugins={plugins} />
          </BlockStack>
        </Card>
        <WhenCard form={form} id={id} />
        <StepsCard form={form} plugins={plugins} />
        {draft.kind !== 'delivery' && (
          <IfNotCard form={form} id={id} failingSince={record?.failing_since ?? null} />
        )}
        {/* Deliveries are no operations and cannot be undone. */}
        {draft.kind !== 'delivery' && <NoWayBack titles={form.check?.cannot_undo ?? []} />}
        {record && draft.kind !== 'delivery' && <LastRuns workflow={record} />}
      </BlockStack>
      {draft.kind !== 'delivery' && <Trial form={form} plugins={plugins} />}
    </div>
  )
}

const LastRuns = ({ workflow: { id, name } }: { workflow: Workflow }) => (
  <LastOperations
    title={t('Last runs')}
    query={{ workflow: id }}
    all={`/operations?search=${encodeURIComponent(name)}`}
    empty={{
      heading: t('It has not run yet'),
      text: t('Its runs are listed here, each with what started it.'),
    }}
  />
)

const Trial = ({ form, plugins }: { form: WorkflowForm; plugins: PluginsById }) => (
  <div className="workflow-trial">
    <TrialCard
      workflow={bodyOf(form.draft)}
      titleOf={(plugin) => plugins.get(plugin)?.title ?? plugin}
      why={whyNotTried(form, plugins)}
    />
  </div>
)

type Question = 'save' | 'delete'

/** What can be done with the saved workflow. */
function actionsOf(
  dirty: boolean,
  ask: (question: Question) => void,
  { duplicate, versions, download }: Record<'duplicate' | 'versions' | 'download', () => void>,
) {
  const saved = (action: () => void) => () => (dirty ? ask('save') : action())
  return [
    { content: t('Versions'), onAction: saved(versions) },
    { content: t('Duplicate'), onAction: saved(duplicate) },
    { content: t('Download as a file'), onAction: saved(download) },
    { content: t('Delete'), destructive: true, onAction: () => ask('delete') },
  ]
}

interface EndProps extends Pick<Props, 'id' | 'initial' | 'record'> {
  form: WorkflowForm
  asking: Question | null
  onAnswer: () => void
}

/** What ends the work in the editor: saving, leaving, deleting. */
const EditorEnd = ({ id, initial, record, form, asking, onAnswer }: EndProps) => (
  <>
    <SaveBar
      dirty={form.dirty}
      fresh={id === null}
      saving={form.saving}
      problems={form.obstacles.length}
      save={t('Save')}
      onSave={form.save}
      onDiscard={id === null ? () => navigate('/workflows') : form.discard}
    />
    <LeaveGuard dirty={form.dirty && !form.saving} what={t('this workflow')} />
    {asking === 'save' && <SaveFirst onClose={onAnswer} />}
    <DeleteWorkflow
      workflow={
        asking === 'delete' && id !== null
          ? { id, name: initial.name, channel: record?.channel ?? null }
          : null
      }
      onClose={onAnswer}
      onDeleted={() => navigate('/workflows')}
    />
  </>
)

/** Why the workflow cannot be tried now; null: it can. */
function whyNotTried({ draft, check }: WorkflowForm, plugins: PluginsById): string | null {
  if (draft.steps.length === 0) return t('Add a step first.')
  const broken = check?.problems.filter(({ param }) => param.startsWith('steps')) ?? []
  if (broken.length === 0) return null
  const known = draft.steps.map(({ plugin }) => plugins.get(plugin))
  const places = new Set(broken.map(({ param }) => workflowPlace(param, known)))
  return t('Correct first: {places}.', { places: [...places].join('; ') })
}

function NoWayBack({ titles }: { titles: readonly string[] }) {
  if (titles.length === 0) return null
  return (
    <Banner tone="warning" title={t('Not everything can be undone')}>
      <p>{t('This can’t be undone: {list}.', { list: titles.join(', ') })}</p>
    </Banner>
  )
}

// What a workflow runs on: selected files, or every import of a channel.

interface RunsOnProps {
  draft: WorkflowDraft
  change: (part: Partial<WorkflowDraft>) => void
  problems: Problems
}

type PluginsById = ReadonlyMap<string, Plugin>

function RunsOn({ plugins, ...rest }: RunsOnProps & { plugins: PluginsById }) {
  const { draft, change, problems } = rest
  const choose = useChoice(rest, plugins)
  return (
    <BlockStack gap="400">
      <ChoiceList
        title={t('Runs on')}
        error={problems.at('kind')}
        selected={[draft.kind]}
        onChange={([kind]) => choose(kind as WorkflowDraft['kind'])}
        choices={[
          {
            value: 'bulk',
            label: t('Selected files'),
            helpText: t(
              'You run it on selected files, a scheduled task runs it, or what is under “When”.',
            ),
          },
          {
            value: 'delivery',
            label: t('Deliveries'),
            helpText: t(
              'Runs when an order is delivered, before its buyer gets the files. If a step fails, the delivery is held and you are told why.',
            ),
          },
          {
            value: 'import',
            label: t('Imports'),
            helpText: t('Imports of the sources under “When” go through these steps.'),
          },
        ]}
      />
      {draft.kind !== 'delivery' && (
        <ParallelBatches draft={draft} change={change} problems={problems} />
      )}
    </BlockStack>
  )
}

/** Changes what the workflow runs on, and takes out the steps that cannot run there. */
function useChoice({ draft, change }: RunsOnProps, plugins: PluginsById) {
  const { data } = useWorkflows()
  // A choice that is taken back brings the steps back that did not fit.
  const left = useRef(new Map<WorkflowDraft['kind'], WorkflowDraft['steps']>())
  // The steps that every import needs: those of the first built-in import.
  const model = data?.data.find(({ built_in, kind }) => built_in && kind === 'import')
  return (kind: WorkflowDraft['kind']) => {
    const all = withSteps(draft.steps, left.current.get(kind) ?? [], plugins)
    const steps = stepsFor(kind, all, plugins, model)
    const gone = draft.steps.filter((step) => !steps.includes(step))
    left.current.set(draft.kind, gone)
    if (gone.length > 0)
      toast(
        t('Removed, because it cannot run there: {list}', {
          list: gone.map(({ plugin }) => plugins.get(plugin)?.title ?? plugin).join(', '),
        }),
      )
    const begin = kind === 'import' && draft.steps.length === 0 && model !== undefined
    change({ kind, steps, ...(begin ? { parallel: model.parallel } : {}) })
  }
}

const ParallelBatches = ({ draft, change, problems }: RunsOnProps) => (
  <div style={{ maxInlineSize: 560 }}>
    <Select
      label={t('Batches of files')}
      id={fieldId('parallel')}
      helpText={t('Parallel batches are faster, but files may finish in a different order.')}
      error={problems.at('parallel')}
      options={batchChoices(draft.parallel)}
      value={String(draft.parallel)}
      onChange={(parallel) => change({ parallel: Number(parallel) })}
    />
  </div>
)

/** Includes a value that was set through the API. */
const batchChoices = (now: number) =>
  [...new Set([1, 2, 4, 8, now])]
    .sort((a, b) => a - b)
    .map((count) => ({
      label:
        count === 1 ? t('One after another, in order') : t('Up to {count} in parallel', { count }),
      value: String(count),
    }))
