// The form of a workflow: its name, what it runs on, its steps.
import { useMemo, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Page } from '../../shell/components/page.tsx'
import { NameField } from '../../shell/components/name-field.tsx'
import { Refusal } from '../../shell/components/refusal.tsx'
import { SaveFirst } from '../../shell/components/save-first.tsx'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { Banner, BlockStack, Card } from '../../shell/ui/index.ts'
import { workflowPlace } from '../plugins/step-labels.ts'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { bodyOf, type WorkflowDraft } from './draft.ts'
import { RunsOn } from './runs-on.tsx'
import { StepsCard } from './steps-card.tsx'
import { TrialCard } from './trial-card.tsx'
import { useWorkflowForm, type WorkflowForm } from './use-workflow-form.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  /** null: a new one. */
  id: string | null
  initial: WorkflowDraft
  /** The saved workflow; undefined: a new one. */
  record: Workflow | undefined
  plugins: readonly Plugin[]
  onSaved: (workflow: Workflow) => void
}

export function WorkflowEditor({ id, initial, record, plugins, onSaved }: Props) {
  const byId = useMemo(() => new Map(plugins.map((plugin) => [plugin.id, plugin])), [plugins])
  const saved = (workflow: Workflow) => {
    toast(t('Workflow saved'))
    onSaved(workflow)
  }
  const form = useWorkflowForm({ id, initial, record, plugins: byId, onSaved: saved })
  const [asking, setAsking] = useState<Question | null>(null)
  const { draft, change, problems } = form
  return (
    <Page
      fullWidth
      title={id === null ? t('New workflow') : initial.name}
      backAction={{ content: t('Workflows'), url: '/workflows' }}
      secondaryActions={id === null ? [] : actionsOf(id, form.dirty, setAsking)}
    >
      <div className={draft.kind === 'delivery' ? undefined : 'workflow-editor'}>
        <BlockStack gap="400">
          <Refusal
            form={form}
            what={t('The workflow could not be saved')}
            title={t('The workflow can’t be saved yet')}
            placeText={(param) =>
              workflowPlace(
                param,
                draft.steps.map(({ plugin }) => byId.get(plugin)),
              )
            }
          />
          <Card>
            <BlockStack gap="400">
              <NameField form={form} />
              <RunsOn draft={draft} change={change} problems={problems} />
            </BlockStack>
          </Card>
          <StepsCard form={form} plugins={byId} />
          {/* Deliveries are no operations and cannot be undone. */}
          {draft.kind !== 'delivery' && <NoWayBack titles={form.check?.cannot_undo ?? []} />}
        </BlockStack>
        {draft.kind !== 'delivery' && (
          <div className="workflow-trial">
            <TrialCard
              workflow={bodyOf(draft)}
              titleOf={(plugin) => byId.get(plugin)?.title ?? plugin}
              why={whyNotTried(form)}
            />
          </div>
        )}
      </div>
      <EditorEnd
        id={id}
        initial={initial}
        form={form}
        asking={asking}
        onAnswer={() => setAsking(null)}
      />
    </Page>
  )
}

type Question = 'save' | 'delete'

/** What can be done with the saved workflow. */
const actionsOf = (id: string, dirty: boolean, ask: (question: Question) => void) => [
  {
    content: t('Duplicate'),
    onAction: () => (dirty ? ask('save') : navigate(`/workflows/new?from=${id}`)),
  },
  { content: t('Delete'), destructive: true, onAction: () => ask('delete') },
]

interface EndProps extends Pick<Props, 'id' | 'initial'> {
  form: WorkflowForm
  asking: Question | null
  onAnswer: () => void
}

/** What ends the work in the editor: saving, leaving, deleting. */
const EditorEnd = ({ id, initial, form, asking, onAnswer }: EndProps) => (
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
          ? { id, name: initial.name, channel: initial.channel }
          : null
      }
      onClose={onAnswer}
      onDeleted={() => navigate('/workflows')}
    />
  </>
)

/** Why the workflow cannot be tried now; null: it can. */
function whyNotTried({ draft, check }: WorkflowForm): string | null {
  if (draft.steps.length === 0) return t('Add a step first.')
  const broken = check?.problems.some(({ param }) => param.startsWith('steps'))
  return broken ? t('Correct the steps first.') : null
}

function NoWayBack({ titles }: { titles: readonly string[] }) {
  if (titles.length === 0) return null
  return (
    <Banner tone="warning" title={t('Not everything can be undone')}>
      <p>{t('This can’t be undone: {list}.', { list: titles.join(', ') })}</p>
    </Banner>
  )
}
