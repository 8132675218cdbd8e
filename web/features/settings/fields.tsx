// The fields of the shop's settings.
import { useState } from 'react'
import { NumberField } from '../../shell/components/number-field.tsx'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { WordsField } from '../../shell/components/words-field.tsx'
import { SHOP_SWITCHES } from '../../shell/client/settings.gen.ts'
import type { MatchMethod, ShopSettings } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Checkbox, ChoiceList, Link, Select } from '../../shell/ui/index.ts'
import { momentText } from '../../shell/labels/time.ts'
import { viewText, VIEWS } from '../../shell/files/view-labels.ts'
import { RefreshProducts } from '../mapping/refresh-products.tsx'
import { methodOrder, methodsOf, type SettingsDraft } from './settings-draft.ts'

/** The value for none: the select has texts only. */
const SHOP_LANGUAGE = ''

export interface FieldsProps {
  draft: SettingsDraft
  problems: Problems
  onChange: (part: Partial<SettingsDraft>) => void
}

const VISIBILITIES = [
  { value: 'private', label: t('Private (a download link is required)') },
  { value: 'public', label: t('Public') },
]
const LOCATIONS = [
  { value: 'primary', label: t('Primary storage') },
  { value: 'backup', label: t('Backup storage') },
]

const SWITCHES = Object.entries(SHOP_SWITCHES) as [keyof typeof SHOP_SWITCHES, string][]

/** The terms of links to new files. */
const LinkTermFields = ({ draft, problems, onChange }: FieldsProps) => (
  <>
    <NumberField
      id={fieldId('expiry_days')}
      label={t('Links expire')}
      none={t('Never')}
      suffix={t('days')}
      start={60}
      error={problems.at('expiry_days')}
      value={draft.expiry_days}
      onChange={(expiry_days) => onChange({ expiry_days })}
    />
    <NumberField
      id={fieldId('download_limit')}
      label={t('Links allow')}
      none={t('Any number of downloads')}
      suffix={t('downloads')}
      start={5}
      error={problems.at('download_limit')}
      value={draft.download_limit}
      onChange={(download_limit) => onChange({ download_limit })}
    />
  </>
)

export function ImportFields(props: FieldsProps) {
  const { draft, problems, onChange } = props
  return (
    <BlockStack gap="400">
      <LinkTermFields {...props} />
      <Select
        id={fieldId('visibility')}
        label={t('Visibility')}
        error={problems.at('visibility')}
        options={VISIBILITIES}
        value={draft.visibility}
        onChange={(visibility) =>
          onChange({ visibility: visibility as SettingsDraft['visibility'] })
        }
      />
      <Select
        id={fieldId('view')}
        label={t('View in the browser')}
        helpText={t(
          'Images, audio, video and PDF documents. Views are counted apart from downloads.',
        )}
        error={problems.at('view')}
        options={VIEWS.map((value) => ({ value, label: viewText(value) }))}
        value={draft.view}
        onChange={(view) => onChange({ view: view as SettingsDraft['view'] })}
      />
      <Select
        id={fieldId('storage_location')}
        label={t('Storage location')}
        helpText={t('Where new files are stored. Use Change storage to move existing files.')}
        error={problems.at('storage_location')}
        options={LOCATIONS}
        value={draft.storage_location}
        onChange={(location) =>
          onChange({ storage_location: location as SettingsDraft['storage_location'] })
        }
      />
      {SWITCHES.map(([name, label]) => (
        <Checkbox
          key={name}
          label={label}
          checked={draft[name]}
          onChange={(on) => onChange({ [name]: on })}
        />
      ))}
    </BlockStack>
  )
}

const METHODS: Record<Exclude<MatchMethod, 'sku'>, string> = {
  filename: t('Product SKU in the filename'),
  title: t('Product title (fuzzy)'),
  tags: t('Tags that file and product share'),
}

/** The choice of none of them. */
const MANUALLY = 'manually'

export function MappingFields({ draft, problems, onChange }: FieldsProps) {
  // The order when the page was opened, so that rows do not move while they are ticked.
  const [order] = useState(() => methodOrder(draft.match_by))
  const isManual = !draft.match_by.some((method) => method !== 'sku')
  return (
    <BlockStack gap="400">
      <Checkbox
        label={t('Auto-map')}
        helpText={t(
          'New files are mapped to products automatically. An import that names an SKU always maps its file.',
        )}
        checked={draft.auto_map}
        onChange={(auto_map) => onChange({ auto_map })}
      />
      {draft.auto_map && (
        <ChoiceList
          title={t('Match by, tried in this order')}
          allowMultiple
          choices={[
            ...order.flatMap((value) =>
              value === 'sku' ? [] : [{ value, label: METHODS[value] }],
            ),
            {
              value: MANUALLY,
              label: t('Manual mapping only'),
              helpText: t('You map the files under Files or Reviews.'),
            },
          ]}
          selected={isManual ? [MANUALLY] : [...draft.match_by]}
          error={problems.within('match_by')}
          onChange={(ticked) => {
            const none = !isManual && ticked.includes(MANUALLY)
            onChange({ match_by: methodsOf(none ? [] : ticked, order) })
          }}
        />
      )}
      <NumberField
        id={fieldId('match_threshold')}
        label={t('Confidence threshold')}
        suffix="%"
        help={t(
          'Files below this score are not mapped. When several products are equally likely, you choose under Reviews.',
        )}
        error={problems.at('match_threshold')}
        value={draft.match_threshold}
        onChange={(match_threshold) => onChange({ match_threshold })}
      />
      <Checkbox
        label={t('Notify me about unmapped files')}
        helpText={t('The message about an import lists them.')}
        checked={draft.notify_unmapped}
        onChange={(notify_unmapped) => onChange({ notify_unmapped })}
      />
      <RefreshProducts />
    </BlockStack>
  )
}

export function NotificationFields({ draft, problems, onChange }: FieldsProps) {
  return (
    <BlockStack gap="400">
      <BlockStack gap="100">
        <Checkbox
          label={t('Email when an operation is complete')}
          checked={draft.email_on_complete}
          onChange={(email_on_complete) => onChange({ email_on_complete })}
        />
        <Checkbox
          label={t('Email when an operation has errors')}
          checked={draft.email_on_errors}
          onChange={(email_on_errors) => onChange({ email_on_errors })}
        />
        <Checkbox
          label={t('Email with the figures of the week on Monday')}
          checked={draft.weekly_summary}
          onChange={(weekly_summary) => onChange({ weekly_summary })}
        />
      </BlockStack>
      <WordsField
        id={fieldId('recipients')}
        label={t('Recipients')}
        help={t('Type an address and press Enter. Without a recipient no email is sent.')}
        placeholder={t('name@example.com')}
        error={problems.within('recipients')}
        value={draft.recipients}
        onChange={(recipients) => onChange({ recipients })}
      />
      <Select
        id={fieldId('mail_language')}
        label={t('Language of emails to you')}
        helpText={t('Buyers get emails in the language of their order.')}
        error={problems.at('mail_language')}
        options={[
          { value: SHOP_LANGUAGE, label: t('The language of your online store') },
          ...LANGUAGES,
        ]}
        value={draft.mail_language ?? SHOP_LANGUAGE}
        onChange={(value) =>
          onChange({ mail_language: LANGUAGES.find((one) => one.value === value)?.value ?? null })
        }
      />
      <TextMessageFields draft={draft} problems={problems} onChange={onChange} />
      <Link url="/settings/mail">{t('Sent mail')}</Link>
    </BlockStack>
  )
}

const TextMessageFields = ({ draft, problems, onChange }: FieldsProps) => (
  <>
    <Checkbox
      label={t('Text message when an import of 1,000 files or more has ended')}
      checked={draft.sms_on_large_import}
      onChange={(sms_on_large_import) => onChange({ sms_on_large_import })}
    />
    {draft.sms_on_large_import && (
      <WordsField
        id={fieldId('sms_recipients')}
        label={t('Phone numbers')}
        help={t('With the country code, like +4915112345678. At most five.')}
        placeholder="+4915112345678"
        error={problems.within('sms_recipients')}
        value={draft.sms_recipients}
        write={(number) => number.replaceAll(/[\s().-]/g, '')}
        onChange={(sms_recipients) => onChange({ sms_recipients })}
      />
    )}
  </>
)

const ZONES = Intl.supportedValuesOf('timeZone')

export function TimeZoneField({ draft, problems, onChange }: FieldsProps) {
  const zones = [...new Set(['UTC', draft.time_zone, ...ZONES])]
  const now = momentText(new Date().toISOString(), undefined, { timeZone: draft.time_zone })
  return (
    <Select
      id={fieldId('time_zone')}
      label={t('Time zone')}
      helpText={t('Local time: {now}.', { now })}
      error={problems.at('time_zone')}
      options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
      value={draft.time_zone}
      onChange={(time_zone) => onChange({ time_zone })}
    />
  )
}

/* oxlint-disable house/translated-texts -- languages are named in themselves */
// The languages of emails to the shop, each by its own name.

const LANGUAGES: {
  value: NonNullable<ShopSettings['mail_language']>
  label: string
}[] = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
  { value: 'es', label: 'Español' },
  { value: 'fr', label: 'Français' },
  { value: 'ja', label: '日本語' },
  { value: 'pt', label: 'Português (Brasil)' },
]
