// The values of a provider's form, as texts: which are missing, and which are sent.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type Provider, type ProviderField } from './calls.ts'
import { type Objection } from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'

export type Values = Readonly<Record<string, string>>

/** `known`: fields with saved values; an empty secret keeps its saved value. */
export const missingFields = (
  { fields }: Pick<Provider, 'fields'>,
  values: Values,
  known: readonly string[],
): Objection[] =>
  fields
    .filter(({ name, required }) => required && !known.includes(name))
    .filter(({ name }) => (ownValue(values, name) ?? '').trim() === '')
    .map(({ name, title }) => ({ param: name, message: t('Enter: {field}', { field: title }) }))

/** The values that are not empty, trimmed: pasted keys often have spaces around them. */
export const textsOf = (values: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, text]) =>
      text.trim() === '' ? [] : [[name, text.trim()]],
    ),
  )

/** The fields that differ from the saved ones; an emptied field is sent as null. */
export function changedAccess(
  fields: readonly ProviderField[],
  saved: Readonly<Record<string, string | null>>,
  values: Values,
): Record<string, string | null> {
  const changed = fields.filter(({ name, secret }) => {
    const text = ownValue(values, name)?.trim()
    if (text === undefined) return false
    return secret ? text !== '' : text !== (ownValue(saved, name) ?? '')
  })
  return Object.fromEntries(
    changed.map(({ name }) => [
      name,
      ownValue(values, name)!.trim() === '' ? null : ownValue(values, name)!.trim(),
    ]),
  )
}
