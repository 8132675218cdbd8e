// The form of a scheduled task, beside what comes of it: its next runs, and the files that it would find now.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../client/bridge.ts'
import { type Schedule, type ScheduleBody, useMatch } from '../../client/schedules.ts'
import { type Plugin, type Workflow } from '../../client/workflows.ts'
import { checkFilter } from '../../components/filter-check.ts'
import { FilterFields } from '../../components/filter-fields.tsx'
import { LeaveGuard } from '../../components/leave-guard.tsx'
import { NumberField } from '../../components/number-field.tsx'
import { Page } from '../../components/page.tsx'
import { fieldId } from '../../components/problems.ts'
import { Refusal } from '../../components/refusal.tsx'
import { SaveBar } from '../../components/save-bar.tsx'
import { useSettled } from '../../place/use-settled.ts'
import { Banner, BlockStack, Card, Checkbox, Select, TextField } from '../../ui/index.ts'
import { NOTIFY, schedulePlace } from '../../words/schedule.ts'
import { DeleteSchedule } from './delete-schedule.tsx'
import { bodyOf, deletes, type ScheduleDraft } from './draft.ts'
import { Matches } from './matches.tsx'
import { NextRuns } from './next-runs.tsx'
import { RunNow } from './run-now.tsx'
import { Templates } from './templates.tsx'
import { Titled } from './titled.tsx'
import { type ScheduleForm, useScheduleForm } from './use-schedule-form.ts'
import { WhatCard } from './what-card.tsx'
import { WhenCard } from './when-card.tsx'
import './schedules.css'

interface Props {
  /** null: a new one. */
  id: string | null
  initial: ScheduleDraft
  /** To begin with instead. */
  templates: readonly Partial<ScheduleBody>[]
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
  onSaved: (schedule: Schedule) => void
}

export function ScheduleEditor({ id, initial, templates, plugins, workflows, onSaved }: Props) {
  const actionOf = ({ runs }: ScheduleDraft) =>
    runs && 'action' in runs ? plugins.find((plugin) => plugin.id === runs.action) : undefined
  const form = useScheduleForm({
    id,
    initial,
    schemaOf: (draft) => actionOf(draft)?.options,
    onSaved: (schedule) => {
      toast('Scheduled task saved')
      onSaved(schedule)
    },
  })
  const [asking, setAsking] = useState<'run' | 'delete' | null>(null)
  const { draft, change, problems } = form
  const schema = actionOf(draft)?.options
  const self = id === null ? null : { id, ...bodyOf(draft) }
  return (
    <Page
      title={id === null ? 'New scheduled task' : initial.name}
      backAction={{ content: 'Scheduled tasks', url: '/schedules' }}
      secondaryActions={
        id === null
          ? []
          : [
              // What runs is what is saved.
              { content: 'Run now', onAction: () => setAsking('run'), disabled: form.dirty },
              { content: 'Delete', destructive: true, onAction: () => setAsking('delete') },
            ]
      }
    >
      <BlockStack gap="400">
        <Refusal
          form={form}
          what="The task could not be saved"
          title="The task can’t be saved yet"
          placeText={(param) => schedulePlace(param, schema)}
        />
        {templates.length > 0 && <Templates templates={templates} />}
        <div className="form-and-side">
          <BlockStack gap="400">
            <Card>
              <BlockStack gap="400">
                <TextField
                  label="Name"
                  id={fieldId('name')}
                  autoComplete="off"
                  maxLength={100}
                  value={draft.name}
                  error={problems.at('name')}
                  onChange={(name) => {
                    change({ name })
                    form.visit('name')
                  }}
                />
                <Checkbox
                  label="On"
                  helpText="A task that is off keeps everything and does not run."
                  checked={draft.enabled}
                  onChange={(enabled) => change({ enabled })}
                />
              </BlockStack>
            </Card>
            <WhenCard form={form} />
            <WhatCard form={form} plugins={plugins} workflows={workflows} />
            <Titled title="Which files" help="Every condition must hold. They are looked up anew with every run.">
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
                  <p>Without a condition, every run is about all files.</p>
                </Banner>
              )}
            </Titled>
            <Afterwards form={form} deleting={deletes(draft, plugins, workflows)} />
          </BlockStack>
          <div className="side">
            <BlockStack gap="400">
              <NextRuns draft={draft} />
              <Found draft={draft} />
            </BlockStack>
          </div>
        </div>
      </BlockStack>
      <SaveBar
        dirty={form.dirty}
        fresh={id === null}
        saving={form.saving}
        problems={form.obstacles.length}
        save="Save"
        onSave={form.save}
        onDiscard={id === null ? () => navigate('/schedules') : form.discard}
      />
      <LeaveGuard dirty={form.dirty && !form.saving} what="this task" />
      <RunNow schedule={asking === 'run' ? self : null} onClose={() => setAsking(null)} />
      <DeleteSchedule
        schedule={asking === 'delete' ? self : null}
        onClose={() => setAsking(null)}
        onDeleted={() => navigate('/schedules')}
      />
    </Page>
  )
}

function Afterwards({ form: { draft, change, problems }, deleting }: { form: ScheduleForm; deleting: boolean }) {
  return (
    <Titled title={deleting ? 'Safety and notification' : 'Notification'}>
      <div className="fields">
        {deleting && (
          <NumberField
            label="Delete at most"
            id={fieldId('cap')}
            suffix="files a run"
            help="Above this, nothing is deleted: the run stops as a preview, and a notice asks you to confirm it."
            value={draft.cap}
            error={problems.at('cap')}
            onChange={(cap) => change({ cap })}
          />
        )}
        <Select
          label="Send an e-mail summary"
          id={fieldId('notify')}
          helpText="To the recipients in Settings. A notice in the page there always is."
          error={problems.at('notify')}
          options={Object.entries(NOTIFY).map(([value, label]) => ({ label, value }))}
          value={draft.notify}
          onChange={(notify) => change({ notify: notify as ScheduleDraft['notify'] })}
        />
      </div>
    </Titled>
  )
}

function Found({ draft }: { draft: ScheduleDraft }) {
  const { filter, action, workflow } = bodyOf(draft)
  const about = useSettled({ filter, action, workflow })
  const match = useMatch(checkFilter(about.filter, '').length === 0 ? about : null)
  return (
    <Titled title="Files">
      <Matches match={match} />
    </Titled>
  )
}
