// The fields of the shop's settings.
import { useState } from 'react'
import { NumberField } from '../../components/number-field.tsx'
import { fieldId, type Problems } from '../../components/problems.ts'
import { RefreshProducts } from '../../components/refresh-products.tsx'
import { WordsField } from '../../components/words-field.tsx'
import { type MatchMethod } from '../../client/types.ts'
import { BlockStack, Checkbox, ChoiceList, Link, Select, Text } from '../../ui/index.ts'
import { momentText } from '../../labels/time.ts'
import { methodOrder, methodsOf, type SettingsDraft } from './settings-draft.ts'

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
        onChange={(visibility) =>
          onChange({ visibility: visibility as SettingsDraft['visibility'] })
        }
      />
      <Select
        id={fieldId('storage_location')}
        label="Storage location"
        helpText="Where the bytes of new files go. Those that are here stay where they are: Change storage moves them."
        error={problems.at('storage_location')}
        options={[
          { value: 'primary', label: 'Primary storage' },
          { value: 'backup', label: 'Backup storage' },
        ]}
        value={draft.storage_location}
        onChange={(location) =>
          onChange({ storage_location: location as SettingsDraft['storage_location'] })
        }
      />
      <Checkbox
        label="Enable the CDN at once"
        checked={draft.cdn}
        onChange={(cdn) => onChange({ cdn })}
      />
    </BlockStack>
  )
}

const METHODS: Record<Exclude<MatchMethod, 'sku'>, string> = {
  filename: 'Product SKU in the filename',
  title: 'Product title (fuzzy)',
  tags: 'Tags that file and product share',
}

export function MappingFields({ draft, problems, onChange }: Props) {
  // As it was set when one came: what is ticked does not move away under one's hand.
  const [order] = useState(() => methodOrder(draft.match_by))
  return (
    <BlockStack gap="400">
      <Checkbox
        label="Auto-map"
        helpText="New files find their products by themselves. An import that names a SKU maps its file in any case."
        checked={draft.auto_map}
        onChange={(auto_map) => onChange({ auto_map })}
      />
      <ChoiceList
        title="Match by, tried in this order"
        allowMultiple
        disabled={!draft.auto_map}
        choices={order.flatMap((value) =>
          value === 'sku' ? [] : [{ value, label: METHODS[value] }],
        )}
        selected={draft.match_by}
        error={problems.within('match_by')}
        onChange={(ticked) => onChange({ match_by: methodsOf(ticked, order) })}
      />
      {draft.auto_map && !draft.match_by.some((method) => method !== 'sku') && (
        <Text as="p" tone="subdued">
          With none of these: manual mapping only.
        </Text>
      )}
      <NumberField
        id={fieldId('match_threshold')}
        label="Confidence threshold"
        suffix="%"
        help="Below this a file stays without a product. Where several products are as likely, you are asked under Reviews."
        error={problems.at('match_threshold')}
        value={draft.match_threshold}
        onChange={(match_threshold) => onChange({ match_threshold })}
      />
      <Checkbox
        label="Tell me of files that stay without a product"
        helpText="The message about an import names them."
        checked={draft.notify_unmapped}
        onChange={(notify_unmapped) => onChange({ notify_unmapped })}
      />
      <RefreshProducts />
    </BlockStack>
  )
}

export function NotificationFields({ draft, problems, onChange }: Props) {
  return (
    <BlockStack gap="400">
      <BlockStack gap="100">
        <Checkbox
          label="Email when an operation is complete"
          checked={draft.email_on_complete}
          onChange={(email_on_complete) => onChange({ email_on_complete })}
        />
        <Checkbox
          label="Email when an operation has errors"
          checked={draft.email_on_errors}
          onChange={(email_on_errors) => onChange({ email_on_errors })}
        />
      </BlockStack>
      <WordsField
        id={fieldId('recipients')}
        label="Recipients"
        help="Type an address and press Enter. Without a recipient no email is sent."
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
  const now = momentText(new Date().toISOString(), undefined, { timeZone: draft.time_zone })
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
