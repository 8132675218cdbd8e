// The fields of a scheduled task: its name, when, what, on which files, and what happens
// afterwards.
import { type Plugin } from '../../client/plugins.ts'
import { type Workflow } from '../../client/workflows.ts'
import { FilterFields } from '../../components/filter-fields.tsx'
import { NumberField } from '../../components/number-field.tsx'
import { fieldId } from '../../components/problems.ts'
import { Titled } from '../../components/titled.tsx'
import { Banner, BlockStack, Card, Checkbox, Select, TextField } from '../../ui/index.ts'
import { NOTIFY } from '../../labels/schedule.ts'
import { deletes, type ScheduleDraft } from './draft.ts'
import { type ScheduleForm } from './use-schedule-form.ts'
import { WhatCard } from './what-card.tsx'
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
      <Afterwards form={form} deleting={deletes(form.draft, plugins, workflows)} />
    </BlockStack>
  )
}

function NameCard({ form }: { form: ScheduleForm }) {
  const { draft, change, problems } = form
  return (
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
  )
}

function FilesCard({ form }: { form: ScheduleForm }) {
  const { draft, change, problems } = form
  return (
    <Titled
      title="Which files"
      help="Every condition must hold. They are looked up anew with every run."
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
          <p>Without a condition, every run is about all files.</p>
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
          label="Send an email summary"
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
