// The form of a scheduled task, with its next runs and the files that it would find now.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { type Schedule, type Template, useMatch } from './calls.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import { checkFilter } from '../../shell/files/filter-check.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Refusal } from '../../shell/components/refusal.tsx'
import { SaveFirst } from '../../shell/components/save-first.tsx'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { BlockStack } from '../../shell/ui/index.ts'
import { schedulePlace } from './labels.ts'
import { DeleteSchedule } from './delete-schedule.tsx'
import { bodyOf, type ScheduleDraft } from './draft.ts'
import { Matches } from './matches.tsx'
import { NextRuns } from './next-runs.tsx'
import { RunNow } from './run-now.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { Templates } from './templates.tsx'
import { useScheduleForm } from './use-schedule-form.ts'
import './schedules.css'
import { t } from '../../shell/messages/t.ts'

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

export function ScheduleEditor({ id, initial, record, templates, ...props }: Props) {
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
