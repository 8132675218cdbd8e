// The settings of dropped files: when they are imported, how products are found, what happens
// afterwards; and which connections are accepted.
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { type Drop, type DropSettings, useChangeDrop } from './calls.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { useRecordDraft } from '../../shell/components/use-record-draft.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { changedFields } from '../../shell/labels/changes.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Checkbox, ChoiceList, Hint, Link, Select, Text } from '../../shell/ui/index.ts'

const CONFLICTS: Record<DropSettings['on_conflict'], string> = {
  error: t('Report it, and keep the file that is here'),
  skip: t('Leave it out, and keep the file that is here'),
  rename: t('Import it under another name'),
  new_version: t('Add it as a new version'),
  overwrite: t('Overwrite the existing file here'),
}

interface FieldsProps {
  value: DropSettings
  drop: Drop
  onChange: (change: Partial<DropSettings>) => void
}

/** Only what can be changed: the other figures differ at each reading. */
const draftOf = (drop: Drop): DropSettings => ({
  auto_import: drop.auto_import,
  enabled: drop.enabled,
  folder_names: drop.folder_names,
  match_by: drop.match_by,
  move_to_processed: drop.move_to_processed,
  notify: drop.notify,
  on_conflict: drop.on_conflict,
  schedule: drop.schedule,
  tls_required: drop.tls_required,
})

export function SettingsForm({ drop }: { drop: Drop }) {
  const form = useRecordDraft({ record: drop, draftOf, changeOf: changedFields<DropSettings> })
  const { draft, change, dirty } = form
  const save = useChangeDrop(useKnown(drop, dirty))
  const discard = () => {
    form.discard()
    save.reset()
  }
  const fields = { value: draft, drop, onChange: form.edit }
  const submit = () =>
    save.mutate(change, {
      onSuccess: (saved) => {
        form.saved(saved, draft)
        toast(t('Settings saved'))
      },
    })
  return (
    <>
      <LeaveGuard dirty={dirty} what={t('the settings')} />
      <BlockStack gap="400">
        {save.error && <Problem error={save.error} what={t('The settings could not be saved')} />}
        <Titled title={t('Automatic import')}>
          <ScheduleFields {...fields} />
        </Titled>
        <Titled title={t('Imported files')}>
          <FileFields {...fields} />
        </Titled>
        <Titled title={t('Server')}>
          <ServerFields {...fields} />
        </Titled>
      </BlockStack>
      {(dirty || save.isPending) && (
        <SaveBar
          dirty={dirty}
          saving={save.isPending}
          problems={0}
          save={t('Save')}
          onSave={submit}
          onDiscard={discard}
        />
      )}
    </>
  )
}

const ScheduleFields = ({ value, drop, onChange }: FieldsProps) => (
  <BlockStack gap="400">
    <Checkbox
      label={t('Import files automatically')}
      helpText={t('Files that arrive together become one import, with progress, retry and undo.')}
      checked={value.auto_import}
      onChange={(auto_import) => onChange({ auto_import })}
    />
    {value.auto_import && (
      <ChoiceList
        title={t('When')}
        choices={[
          {
            value: 'hourly',
            label: t('Every hour'),
            helpText: t('Imports every file that has not changed for {seconds} seconds.', {
              seconds: drop.limits.quiet_seconds,
            }),
          },
          {
            value: 'realtime',
            label: t('In real time'),
            helpText: t(
              'SFTP: when a file is closed. FTP: when your program sends its next command, or stays connected for a second.',
            ),
          },
          {
            value: 'manual',
            label: t('By hand'),
            helpText: t('Files wait until you choose Import now.'),
          },
        ]}
        selected={[value.schedule]}
        onChange={([schedule]) => onChange({ schedule: schedule as DropSettings['schedule'] })}
      />
    )}
    <Checkbox
      label={t('Email when an import has ended')}
      helpText={t('To the recipients in the settings. You always get a notice on this page.')}
      checked={value.notify}
      onChange={(notify) => onChange({ notify })}
    />
  </BlockStack>
)

const FileFields = ({ value, drop, onChange }: FieldsProps) => (
  <BlockStack gap="400">
    <ChoiceList
      title={t('Match files to products')}
      choices={[
        {
          value: 'sku_prefix',
          label: t('By SKU at the start of the name'),
          helpText: t(
            'SHIRT-01_manual.pdf belongs to the product SHIRT-01. A file without a SKU in front waits for you to map it.',
          ),
        },
        {
          value: 'rules',
          label: t('By the matching rules of the shop'),
          helpText: t('SKU anywhere in the name, title or tags, as in Settings.'),
        },
      ]}
      selected={[value.match_by]}
      onChange={([match_by]) => onChange({ match_by: match_by as DropSettings['match_by'] })}
    />
    <Select
      label={t('If the name of a file is taken')}
      options={Object.entries(CONFLICTS).map(([choice, label]) => ({ value: choice, label }))}
      value={value.on_conflict}
      onChange={(chosen) => onChange({ on_conflict: chosen as DropSettings['on_conflict'] })}
    />
    <Select
      label={t('Names of folders')}
      options={[
        { value: 'ignore', label: t('Ignore') },
        { value: 'tag', label: t('Add as a tag to the files in it') },
        { value: 'pack', label: t('Make a pack of the files in it') },
      ]}
      value={value.folder_names}
      onChange={(chosen) => onChange({ folder_names: chosen as DropSettings['folder_names'] })}
    />
    <Checkbox
      label={t('Move imported files to /processed/')}
      helpText={t('They stay there for {days} days and use no space. Otherwise they are removed.', {
        days: drop.limits.clear_after_days,
      })}
      checked={value.move_to_processed}
      onChange={(move_to_processed) => onChange({ move_to_processed })}
    />
    <Hint>
      {t(
        'For tags and settings of each file, send a table named import.csv with the files: the columns of the CSV import, with file_name in place of file_url.',
      )}{' '}
      <Link url="/import/csv">{t('See the columns')}</Link>
    </Hint>
  </BlockStack>
)

const ServerFields = ({ value, drop, onChange }: FieldsProps) => (
  <BlockStack gap="400">
    <Checkbox
      label={t('FTP and SFTP are on')}
      helpText={t('Switched off, nobody signs in, and open connections end within a second.')}
      checked={value.enabled}
      onChange={(enabled) => onChange({ enabled })}
    />
    <Checkbox
      label={t('Require encryption')}
      helpText={t('FTP without TLS is refused. SFTP is always encrypted.')}
      checked={value.tls_required}
      onChange={(tls_required) => onChange({ tls_required })}
    />
    {drop.host_keys.length > 0 && (
      <BlockStack gap="100">
        <Text as="p">
          {t('Programs ask about the host key when they connect for the first time. It is:')}
        </Text>
        {drop.host_keys.map(({ type, fingerprint }) => (
          <code key={fingerprint} className="connect-value">
            {`${type} ${fingerprint}`}
          </code>
        ))}
      </BlockStack>
    )}
  </BlockStack>
)
