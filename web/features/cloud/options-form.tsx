// The options of a connection: when, in which direction, which files, and deletions.
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf, type Problems } from '../../shell/components/problems.ts'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { useRecordDraft } from '../../shell/components/use-record-draft.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Checkbox, ChoiceList, Select } from '../../shell/ui/index.ts'
import { SizeField } from '../../shell/components/size-field.tsx'
import { WordsField } from '../../shell/components/words-field.tsx'
import { type Connection, type SyncOptions, useChangeConnection } from './calls.ts'
import { changedOptions, type Draft, draftOf, optionProblems } from './option-draft.ts'
import { FREQUENCIES } from './labels.ts'

export function OptionsForm({ connection }: { connection: Connection }) {
  const form = useRecordDraft({ record: connection, draftOf, changeOf: changedOptions })
  const { draft, change, dirty } = form
  const save = useChangeConnection(connection.id, useKnown(connection, dirty))
  const own = optionProblems(draft)
  const problems = problemsOf(own, objectionsIn(save.error))
  const submit = () => {
    if (own.length > 0) return
    save.mutate(change as Partial<SyncOptions>, {
      onSuccess: (saved) => {
        form.saved(saved, draft)
        toast(t('Options saved'))
      },
    })
  }
  const fields = {
    value: draft,
    problems,
    onChange: (part: Partial<Draft>) => {
      form.edit(part)
      if (save.error) save.reset()
    },
  }
  return (
    <>
      <LeaveGuard dirty={dirty} what={t('the options')} />
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The options could not be saved')} />
      )}
      <Titled title={t('Options')}>
        <BlockStack gap="500">
          <WhenFields {...fields} />
          <WhatFields {...fields} />
          <FileFields {...fields} />
        </BlockStack>
      </Titled>
      {(dirty || save.isPending) && (
        <SaveBar
          dirty={dirty}
          saving={save.isPending}
          problems={problems.all.length}
          save={t('Save')}
          onSave={submit}
          onDiscard={() => {
            form.discard()
            save.reset()
          }}
        />
      )}
    </>
  )
}

// The fields of a connection's options.

interface Props {
  value: Draft
  problems: Problems
  onChange: (change: Partial<Draft>) => void
}

const WhenFields = ({ value, onChange }: Props) => (
  <BlockStack gap="400">
    <Select
      label={t('Sync')}
      options={[...FREQUENCIES]}
      value={value.frequency_hours === null ? '' : String(value.frequency_hours)}
      onChange={(hours) => onChange({ frequency_hours: hours === '' ? null : Number(hours) })}
    />
    <ChoiceList
      title={t('Direction')}
      choices={[
        {
          value: 'from_provider',
          label: t('From the provider'),
          helpText: t('The provider is the source of truth: changes there arrive here.'),
        },
        {
          value: 'two_way',
          label: t('Both ways'),
          helpText: t(
            'Changes here are sent there too. A file that changed on both sides is kept as two files and reported.',
          ),
        },
      ]}
      selected={[value.direction]}
      onChange={([direction]) => onChange({ direction: direction as SyncOptions['direction'] })}
    />
    <ChoiceList
      title={t('Files that are deleted at the provider')}
      choices={[
        { value: 'trash', label: t('Move them to the trash here, for 7 days') },
        { value: 'unmap', label: t('Keep them, and remove them from their products') },
        { value: 'keep', label: t('Keep them as they are') },
      ]}
      selected={[value.deletions]}
      onChange={([deletions]) => onChange({ deletions: deletions as SyncOptions['deletions'] })}
    />
  </BlockStack>
)

const WhatFields = ({ value, problems, onChange }: Props) => (
  <BlockStack gap="400">
    <WordsField
      label={t('Only files that match')}
      help={t('*.pdf matches at any depth, manuals/** all files in a folder. Empty: every file.')}
      placeholder={t('*.pdf')}
      error={problems.within('include')}
      value={value.include}
      onChange={(include) => onChange({ include })}
    />
    <WordsField
      label={t('Leave out files that match')}
      placeholder={t('drafts/**')}
      error={problems.within('exclude')}
      value={value.exclude}
      onChange={(exclude) => onChange({ exclude })}
    />
    <div className="pairs">
      <SizeField
        label={t('Largest file')}
        help={t('Larger ones are left out. Empty: 5 GB.')}
        error={problems.at('max_bytes')}
        bytes={value.max_bytes}
        onChange={(max_bytes) => onChange({ max_bytes })}
      />
      <SizeField
        label={t('Bandwidth, each second')}
        help={t('Empty: as fast as possible.')}
        placeholder={t('No limit')}
        error={problems.at('bytes_per_second')}
        bytes={value.bytes_per_second ?? undefined}
        onChange={(bytes_per_second) => onChange({ bytes_per_second })}
      />
    </div>
  </BlockStack>
)

const FileFields = ({ value, onChange }: Props) => (
  <BlockStack gap="400">
    <Select
      label={t('Names of files')}
      options={[
        { value: 'filename', label: t('As at the provider: manual.pdf') },
        { value: 'path', label: t('With their folders: boats - engines - manual.pdf') },
      ]}
      value={value.names}
      onChange={(names) => onChange({ names: names as SyncOptions['names'] })}
    />
    <Checkbox
      label={t('Map files to products by SKU')}
      helpText={t('The SKU is in front of the name, or anywhere in the path.')}
      checked={value.auto_map}
      onChange={(auto_map) => onChange({ auto_map })}
    />
    <Checkbox
      label={t('Make a pack of each subfolder')}
      checked={value.packs_from_subfolders}
      onChange={(packs_from_subfolders) => onChange({ packs_from_subfolders })}
    />
    <Checkbox
      label={t('Email when a sync has ended')}
      helpText={t('To the recipients in the settings.')}
      checked={value.notify}
      onChange={(notify) => onChange({ notify })}
    />
  </BlockStack>
)
