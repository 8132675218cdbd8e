// The fields of a scheduled task: its name, when, what, on which files, and what happens
// afterwards.
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import { FilterFields } from '../../shell/files/filter-fields.tsx'
import { NameField } from '../../shell/components/name-field.tsx'
import { NumberField } from '../../shell/components/number-field.tsx'
import { fieldId } from '../../shell/components/problems.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { Banner, BlockStack, Card, Checkbox, Select } from '../../shell/ui/index.ts'
import { NOTIFY } from './labels.ts'
import { mayDelete, type ScheduleDraft } from './draft.ts'
import { type ScheduleForm } from './use-schedule-form.ts'
import { WhatCard } from './what-card.tsx'
import { WhenCard } from './when-card.tsx'
import { t } from '../../shell/messages/t.ts'

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
