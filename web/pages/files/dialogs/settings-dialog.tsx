// Changes the chosen files' settings; what stands at "Leave as it is" is left alone.
import { WordsField } from '../../../components/words-field.tsx'
import { Select, TextField } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { FormError } from './form-error.tsx'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { EMPTY_SETTINGS, type OnOff, readSettings, SETTINGS_FIELDS, type SettingsForm } from './settings-form.ts'
import { type Errors, useForm } from './use-form.ts'

const KEEP = { value: 'keep', label: 'Leave as it is' }

export function SettingsDialog(props: BulkProps) {
  const { form, change, errors, bulk } = useForm({
    initial: EMPTY_SETTINGS,
    read: readSettings,
    fields: SETTINGS_FIELDS,
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('update-settings')}
      title={`Settings of ${countText(props.chosen.count, 'file', 'files')}`}
      run="Update settings"
    >
      <FormError text={errors.form} />
      <div className="pairs">
        <LinkFields form={form} errors={errors} onChange={change} />
        <DeliveryFields form={form} errors={errors} onChange={change} />
      </div>
    </BulkDialog>
  )
}

interface FieldsProps {
  form: SettingsForm
  errors: Errors
  onChange: (part: Partial<SettingsForm>) => void
}

function LinkFields({ form, errors, onChange }: FieldsProps) {
  const timed = form.expiry === 'set' || form.expiry === 'add'
  return (
    <>
      <Select
        label="Links expire"
        options={[
          KEEP,
          { value: 'set', label: 'After a number of days' },
          { value: 'add', label: 'Add days to what each file has' },
          { value: 'never', label: 'Never' },
        ]}
        value={form.expiry}
        onChange={(expiry) => onChange({ expiry: expiry as SettingsForm['expiry'] })}
      />
      <Count
        label={form.expiry === 'add' ? 'Days to add' : 'Days until links expire'}
        suffix="days"
        disabled={!timed}
        value={timed ? form.days : ''}
        error={errors.days}
        onChange={(days) => onChange({ days })}
      />
      <Select
        label="Links allow"
        options={[KEEP, { value: 'set', label: 'A number of downloads' }, { value: 'unlimited', label: 'Unlimited' }]}
        value={form.limit}
        onChange={(limit) => onChange({ limit: limit as SettingsForm['limit'] })}
      />
      <Count
        label="Most downloads of a link"
        suffix="downloads"
        disabled={form.limit !== 'set'}
        value={form.limit === 'set' ? form.downloads : ''}
        error={errors.downloads}
        onChange={(downloads) => onChange({ downloads })}
      />
    </>
  )
}

interface CountProps {
  label: string
  suffix: string
  disabled: boolean
  value: string
  error: string | undefined
  onChange: (text: string) => void
}

/** Always there, so that nothing jumps when it comes into play. */
const Count = (props: CountProps) => (
  <TextField {...props} type="number" inputMode="numeric" min={1} step={1} autoComplete="off" />
)

const ON_OFF = [KEEP, { value: 'on', label: 'On' }, { value: 'off', label: 'Off' }]
const SWITCHES = [
  ['cdn', 'CDN'],
  ['download_notification', 'Download notification'],
  ['download_tracking', 'Download tracking'],
] as const

function DeliveryFields({ form, errors, onChange }: FieldsProps) {
  return (
    <>
      <Select
        label="Visibility"
        options={[
          KEEP,
          { value: 'private', label: 'Private (a download link is required)' },
          { value: 'public', label: 'Public' },
        ]}
        value={form.visibility}
        onChange={(visibility) => onChange({ visibility: visibility as SettingsForm['visibility'] })}
      />
      {SWITCHES.map(([name, label]) => (
        <Select
          key={name}
          label={label}
          options={ON_OFF}
          value={form[name]}
          onChange={(value) => onChange({ [name]: value as OnOff })}
        />
      ))}
      <Select
        label="Allowed referrers"
        helpText="Sites that may link to the files."
        options={[KEEP, { value: 'any', label: 'Any site' }, { value: 'these', label: 'Only these sites' }]}
        value={form.referrers}
        onChange={(referrers) => onChange({ referrers: referrers as SettingsForm['referrers'] })}
      />
      {form.referrers === 'these' && (
        <WordsField
          label="Sites"
          placeholder="example.com"
          error={errors.sites}
          value={form.sites}
          onChange={(sites) => onChange({ sites })}
        />
      )}
    </>
  )
}
