// Names and values of fields that somebody else has changed.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { capitalized, numberText } from './size.ts'
import { t } from '../messages/t.ts'

const NAMES: Readonly<Record<string, string>> = {
  name: t('Name'),
  filename: t('Filename'),
  tags: t('Tags'),
  description: t('Description'),
  url: t('Address'),
  events: t('Events'),
  steps: t('Steps'),
  parallel: t('Order', {}, 'sequence'),
  channel: t('Attached to'),
  kind: t('Runs on'),
  enabled: t('Switched on'),
  cron: t('When'),
  schedule: t('When'),
  mail_language: t('Language of emails to you'),
  time_zone: t('Time zone'),
  action: t('Action'),
  workflow: t('Workflow'),
  options: t('Options'),
  filter: t('Which files'),
  cap: t('Most files that a run may delete'),
  notify: t('Notification'),
  products: t('Products'),
  folder: t('Folder'),
  direction: t('Direction'),
  recipients: t('Recipients'),
  expiry_days: t('Expiry days'),
  download_limit: t('Download limit'),
  allowed_addresses: t('Allowed addresses'),
  public_keys: t('Public keys'),
  background: t('Background'),
  language: t('Language'),
  texts: t('Texts'),
}

/** Fields without a name here are rare: their name in the API says enough. */
export const editedFieldText = (field: string): string =>
  ownValue(NAMES, field) ?? capitalized(field.replaceAll('_', ' '))

/** Short values as they are; of others, only that they were changed. */
export function editedValueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? t('On') : t('Off')
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'string' && value !== '') return value
  if (value === null || value === '') return t('None')
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
    return value.join(', ')
  return t('changed', {}, 'value')
}
