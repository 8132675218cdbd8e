// The fields of the shop's settings.
import { NumberField } from '../../components/number-field.tsx'
import { fieldId, type Problems } from '../../components/problems.ts'
import { WordsField } from '../../components/words-field.tsx'
import { BlockStack, Checkbox, Link, Select, Text } from '../../ui/index.ts'
import { type SettingsDraft } from './settings-draft.ts'

interface Props {
  draft: SettingsDraft
  problems: Problems
  onChange: (part: Partial<SettingsDraft>) => void
}

export function ImportFields({ draft, problems, onChange }: Props) {
  return (
    <BlockStack gap="400">
      <NumberField
        id={fieldId('expiry_days')}
        label="Links expire"
        none="Never"
        suffix="days"
        start={60}
        error={problems.at('expiry_days')}
        value={draft.expiry_days}
        onChange={(expiry_days) => onChange({ expiry_days })}
      />
      <NumberField
        id={fieldId('download_limit')}
        label="Links allow"
        none="Any number of downloads"
        suffix="downloads"
        start={5}
        error={problems.at('download_limit')}
        value={draft.download_limit}
        onChange={(download_limit) => onChange({ download_limit })}
      />
      <Select
        id={fieldId('visibility')}
        label="Visibility"
        error={problems.at('visibility')}
        options={[
          { value: 'private', label: 'Private (a download link is required)' },
          { value: 'public', label: 'Public' },
        ]}
        value={draft.visibility}
        onChange={(visibility) => onChange({ visibility: visibility as SettingsDraft['visibility'] })}
      />
      <BlockStack gap="100">
        <Checkbox label="Enable the CDN at once" checked={draft.cdn} onChange={(cdn) => onChange({ cdn })} />
        <Checkbox
          label="Map files to products by themselves"
          helpText="By the SKU in the filename. An import that names a SKU maps its file in any case."
          checked={draft.auto_map}
          onChange={(auto_map) => onChange({ auto_map })}
        />
      </BlockStack>
    </BlockStack>
  )
}

export function NotificationFields({ draft, problems, onChange }: Props) {
  return (
    <BlockStack gap="400">
      <BlockStack gap="100">
        <Checkbox
          label="E-mail when an operation is complete"
          checked={draft.email_on_complete}
          onChange={(email_on_complete) => onChange({ email_on_complete })}
        />
        <Checkbox
          label="E-mail when an operation has errors"
          checked={draft.email_on_errors}
          onChange={(email_on_errors) => onChange({ email_on_errors })}
        />
      </BlockStack>
      <WordsField
        id={fieldId('recipients')}
        label="Recipients"
        help="Type an address and press Enter. Without a recipient no e-mail is sent."
        placeholder="name@example.com"
        error={problems.within('recipients')}
        value={draft.recipients}
        onChange={(recipients) => onChange({ recipients })}
      />
      <Text as="p">
        <Link url="/settings/mail">Sent mail</Link>
      </Text>
    </BlockStack>
  )
}

const ZONES = Intl.supportedValuesOf('timeZone')

export function TimeZoneField({ draft, problems, onChange }: Props) {
  const zones = [...new Set(['UTC', draft.time_zone, ...ZONES])]
  const now = new Intl.DateTimeFormat(undefined, {
    timeZone: draft.time_zone,
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(new Date())
  return (
    <Select
      id={fieldId('time_zone')}
      label="Time zone"
      helpText={`It is ${now} there now.`}
      error={problems.at('time_zone')}
      options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
      value={draft.time_zone}
      onChange={(time_zone) => onChange({ time_zone })}
    />
  )
}
