// Texts of the log of changes.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { SETTING_LABELS } from '../../shell/client/settings.gen.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { type LoggedChange } from './calls.ts'

/** What a change is about, in the order of the filter. */
export const KIND_LABELS: Readonly<Record<LoggedChange['kind'], string>> = {
  settings: t('Settings'),
  workflow: t('Workflow'),
  schedule: t('Schedule'),
  trigger: t('Address of a workflow'),
  mapping_rule: t('Mapping rule'),
  column_mapping: t('Columns of a CSV file'),
  tag_template: t('Tag template'),
  drop_settings: t('Settings of FTP and SFTP'),
  drop_account: t('FTP and SFTP account'),
  connection: t('Cloud connection'),
  feed: t('Feed'),
  api_key: t('API key'),
  webhook: t('Webhook'),
  mail: t('Sending of mails'),
  mail_texts: t('Texts of mails'),
  buyer_page: t('Page for buyers'),
  licence_list: t('Licence keys'),
}

export const KINDS = Object.keys(KIND_LABELS) as LoggedChange['kind'][]

/** For instance “API key “Spring” created”. */
export function titleOf({
  kind,
  verb,
  name,
}: Pick<LoggedChange, 'kind' | 'verb' | 'name'>): string {
  const what =
    name === null ? KIND_LABELS[kind] : t('{what} “{name}”', { what: KIND_LABELS[kind], name })
  switch (verb) {
    case 'created':
      return t('{what}: created', { what })
    case 'deleted':
      return t('{what}: deleted', { what })
    case 'changed':
      return t('{what}: changed', { what })
  }
}

/** The page's name of a field, or the API's with spaces: it has no other. */
export const fieldLabel = (field: string): string =>
  ownValue(SETTING_LABELS, field) ?? field.replaceAll('_', ' ')

/** A time as the API writes it. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const EMPTY = new Set<unknown>([null, undefined, ''])
const isEmpty = (value: unknown): boolean =>
  EMPTY.has(value) || (Array.isArray(value) && value.length === 0)

/** Fields that the title or the time of a change says already. */
const SAID = new Set(['id', 'name', 'created_at'])

/** What is shown of a change: of a record that was created or deleted, the fields that it had. */
export function shownFields({
  verb,
  fields,
}: Pick<LoggedChange, 'verb' | 'fields'>): [label: string, text: string][] {
  if (verb === 'changed')
    return fields.map(({ field, before, after }) => [
      fieldLabel(field),
      t('{before} → {after}', { before: valueText(before), after: valueText(after) }),
    ])
  return fields
    .map(({ field, before, after }) => ({ field, value: verb === 'created' ? after : before }))
    .filter(({ field, value }) => !SAID.has(field) && !isEmpty(value))
    .map(({ field, value }) => [fieldLabel(field), valueText(value)])
}

/** A value as a text of one line. */
export function valueText(value: unknown): string {
  if (isEmpty(value)) return t('nothing')
  if (typeof value === 'boolean') return value ? t('on') : t('off')
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  if (typeof value === 'string' && MOMENT.test(value)) return momentText(value)
  return typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : JSON.stringify(value)
}
