// One scheduled task: a new one, one from a template, or an existing one.
import { navigate, useSearch } from 'wouter/use-browser-location'
import { useState } from 'react'
import { usePlugins, type Plugin } from '../../shell/client/plugins.ts'
import { together } from '../../shell/client/together.ts'
import { useWorkflows, type Workflow } from '../../shell/client/workflows.ts'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { t } from '../../shell/messages/t.ts'
import { toast } from '../../shell/client/bridge.ts'
import { checkFilter } from '../../shell/files/filter-check.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Refusal } from '../../shell/components/refusal.tsx'
import { SaveFirst } from '../../shell/components/save-first.tsx'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { BlockStack, Card, Heading, Hint, Text } from '../../shell/ui/index.ts'
import { useSettings } from '../../shell/client/settings.ts'
import {
  useSchedule,
  useTemplates,
  type Schedule,
  type Template,
  useMatch,
  useCronCheck,
} from './calls.ts'
import {
  draftOf,
  emptyDraft,
  bodyOf,
  type ScheduleDraft,
  useScheduleForm,
} from './use-schedule-form.ts'
import { schedulePlace, cronOf, cronText, runText, zoneText } from './labels.ts'
import { DeleteSchedule } from './delete-schedule.tsx'
import { Matches, RunNow } from './run-now.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { Templates } from './templates.tsx'
import './schedules.css'

const BACK = { content: t('Scheduled tasks'), url: '/schedules' }

export function SchedulePage({ id }: { id: string }) {
  const fresh = id === 'new'
  // The position of the template in their list, from 1.
  const search = new URLSearchParams(useSearch())
  const wanted = Number(search.get('template') ?? 0)
  // A new task of a workflow: the page of the workflow leads here and is where it returns to.
  const of = fresh ? search.get('workflow') : null
  const schedule = useSchedule(fresh ? null : id)
  const templates = useTemplates()
  const plugins = usePlugins()
  const workflows = useWorkflows()
  const needed = together([...(fresh ? [templates] : [schedule]), plugins, workflows])
  if (!needed.loaded)
    return (
      <UnloadedPage
        query={needed}
        back={BACK}
        title={t('Scheduled task')}
        what={t('the task')}
        problem={t('The task could not be loaded')}
        missing={{
          title: t('Scheduled task not found'),
          heading: t('This task doesn’t exist'),
          action: t('Go to scheduled tasks'),
        }}
      />
    )
  const template = fresh ? templates.data!.data[wanted - 1] : undefined
  const body = schedule.data ?? template
  return (
    <ScheduleEditor
      // Another template in the address mounts another form.
      key={`${id} ${wanted}`}
      id={fresh ? null : id}
      initial={body ? draftOf(body) : of ? draftOfWorkflow(of, workflows.data!.data) : emptyDraft()}
      record={fresh ? undefined : schedule.data}
      templates={fresh && !template && !of ? templates.data!.data : []}
      plugins={plugins.data!.data}
      workflows={workflows.data!.data}
      onSaved={(saved) =>
        fresh && navigate(of ? `/workflows/${of}` : `/schedules/${saved.id}`, { replace: true })
      }
    />
  )
}

/** A task that runs this workflow, named after it. */
const draftOfWorkflow = (id: string, workflows: readonly Workflow[]): ScheduleDraft => ({
  ...emptyDraft(),
  name: workflows.find((workflow) => workflow.id === id)?.name ?? '',
  runs: { workflow: id },
})

// The form of a scheduled task, with its next runs and the files that it would find now.

interface Props {
  /** null: a new one. */
  id: string | null
  initial: ScheduleDraft
  /** The saved task; undefined: a new one. */
  record: Schedule | undefined
  /** Templates to choose from. */
  templates: readonly Template[]
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
  onSaved: (schedule: Schedule) => void
}

function ScheduleEditor({ id, initial, record, templates, ...props }: Props) {
  const { plugins, workflows, onSaved } = props
  const actionOf = ({ runs }: ScheduleDraft) =>
    runs && 'action' in runs ? plugins.find((plugin) => plugin.id === runs.action) : undefined
  const form = useScheduleForm({
    id,
    initial,
    record,
    schemaOf: (draft) => actionOf(draft)?.options,
    onSaved: (schedule) => {
      toast(t('Scheduled task saved'))
      onSaved(schedule)
    },
  })
  const [asking, setAsking] = useState<Question | null>(null)
  const { draft } = form
  const schema = actionOf(draft)?.options
  const self = id === null ? null : { id, ...bodyOf(draft) }
  return (
    <Page
      title={id === null ? t('New scheduled task') : initial.name}
      backAction={{ content: t('Scheduled tasks'), url: '/schedules' }}
      secondaryActions={id === null ? [] : actionsOf(setAsking)}
    >
      <BlockStack gap="400">
        <Refusal
          form={form}
          what={t('The task could not be saved')}
          title={t('The task can’t be saved yet')}
          placeText={(param) => schedulePlace(param, schema)}
        />
        {templates.length > 0 && <Templates templates={templates} />}
        <div className="form-and-side">
          <ScheduleFields form={form} plugins={plugins} workflows={workflows} />
          <DraftResults draft={draft} />
        </div>
      </BlockStack>
      <SaveBar
        dirty={form.dirty}
        fresh={id === null}
        saving={form.saving}
        problems={form.obstacles.length}
        save={t('Save')}
        onSave={form.save}
        onDiscard={id === null ? () => navigate('/schedules') : form.discard}
      />
      <LeaveGuard dirty={form.dirty && !form.saving} what={t('this task')} />
      {/* A run uses the saved task, not the draft. */}
      {asking === 'run' && form.dirty && <SaveFirst onClose={() => setAsking(null)} />}
      {asking === 'run' && !form.dirty && self && (
        <RunNow schedule={self} onClose={() => setAsking(null)} />
      )}
      <DeleteSchedule
        schedule={asking === 'delete' ? self : null}
        onClose={() => setAsking(null)}
        onDeleted={() => navigate('/schedules')}
      />
    </Page>
  )
}

type Question = 'run' | 'delete'

const actionsOf = (ask: (question: Question) => void) => [
  { content: t('Run now'), onAction: () => ask('run') },
  { content: t('Delete'), destructive: true, onAction: () => ask('delete') },
]

/** When the task would run, and which files it would find now. */
const DraftResults = ({ draft }: { draft: ScheduleDraft }) => (
  <div className="side">
    <BlockStack gap="400">
      <NextRuns draft={draft} />
      <MatchingFiles draft={draft} />
    </BlockStack>
  </div>
)

function MatchingFiles({ draft }: { draft: ScheduleDraft }) {
  const { filter, action, workflow } = bodyOf(draft)
  const about = useDebounced({ filter, action, workflow })
  const match = useMatch(checkFilter(about.filter, '').length === 0 ? about : null)
  return (
    <Titled title={t('Files')}>
      <Matches match={match} />
    </Titled>
  )
}

// The next runs of the times in the form, in the shop's time zone.

function NextRuns({ draft }: { draft: ScheduleDraft }) {
  const cron = useDebounced(cronOf(draft.when))
  const check = useCronCheck(cron)
  const settings = useSettings()
  const zone = check.data?.time_zone ?? settings.data?.time_zone
  const known = check.data && !check.error && cron !== ''
  return (
    <Card>
      <BlockStack gap="300">
        <BlockStack gap="100">
          <Heading>{t('Next runs')}</Heading>
          <Hint>{known ? cronText(cron, check.data.schedule_text) : ' '}</Hint>
        </BlockStack>
        {known ? (
          <ul className="next-runs" aria-label={t('Next runs')}>
            {check.data.next_runs.map((run) => (
              <li key={run}>{runText(run, zone)}</li>
            ))}
          </ul>
        ) : (
          <div className="next-runs">
            <Hint>
              {check.isFetching
                ? t('Calculating …')
                : t('Choose when the task runs to see its next runs.')}
            </Hint>
          </div>
        )}
        <Text as="p" variant="bodySm" tone="subdued">
          {zone ? t('In the shop’s time zone, {zone}.', { zone: zoneText(zone) }) : ' '}
          {draft.enabled ? '' : ` ${t('The task is off and does not run.')}`}
        </Text>
      </BlockStack>
    </Card>
  )
}
