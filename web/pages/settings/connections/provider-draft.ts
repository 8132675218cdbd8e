// What a provider's form contains, as texts: what is missing, and what is sent.
import { type Provider, type ProviderField } from '../../../client/connections.ts'
import { type Objection } from '../../../client/workflows.ts'
import { t } from '../../../messages/t.ts'

export type Values = Readonly<Record<string, string>>

/** `known`: fields that were saved before; a secret that is left empty stays as it is. */
export const missingFields = (
  { fields }: Pick<Provider, 'fields'>,
  values: Values,
  known: readonly string[],
): Objection[] =>
  fields
    .filter(({ name, required }) => required && !known.includes(name))
    .filter(({ name }) => (values[name] ?? '').trim() === '')
    .map(({ name, title }) => ({ param: name, message: t('Enter: {field}', { field: title }) }))

/** Without what was left empty. Keys are pasted with spaces around them. */
export const textsOf = (values: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, text]) =>
      text.trim() === '' ? [] : [[name, text.trim()]],
    ),
  )

/** What differs from what is saved; a field that was emptied is sent as null. */
export function changedFields(
  fields: readonly ProviderField[],
  saved: Readonly<Record<string, string | null>>,
  values: Values,
): Record<string, string | null> {
  const changed = fields.filter(({ name, secret }) => {
    const text = values[name]?.trim()
    if (text === undefined) return false
    return secret ? text !== '' : text !== (saved[name] ?? '')
  })
  return Object.fromEntries(
    changed.map(({ name }) => [name, values[name]!.trim() === '' ? null : values[name]!.trim()]),
  )
}
