// The fields that a provider needs, with the presets of S3-compatible services.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type Provider, type ProviderField } from './calls.ts'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Select, TextField } from '../../shell/ui/index.ts'
import { type Values } from './provider-draft.ts'

interface Props {
  provider: Provider
  values: Values
  problems: Problems
  onChange: (change: Values) => void
  /** Fields that are set elsewhere. */
  without: readonly string[]
  /** Secrets are saved: an empty field keeps its secret. */
  saved?: boolean
}

export function ProviderFields({ provider, values, problems, onChange, without, saved }: Props) {
  const { presets, fields } = provider
  const shown = fields.filter(({ name }) => name !== 'preset' && !without.includes(name))
  return (
    <BlockStack gap="400">
      {presets.length > 0 && (
        <Select
          label={t('Service')}
          options={presets.map(({ id, title }) => ({ value: id, label: title }))}
          value={values.preset ?? presets[0]!.id}
          onChange={(preset) =>
            onChange({
              preset,
              endpoint: presets.find(({ id }) => id === preset)?.endpoint ?? '',
            })
          }
        />
      )}
      {shown.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={ownValue(values, field.name) ?? ''}
          error={problems.within(field.name)}
          kept={saved === true && field.secret}
          onChange={(text) => onChange({ [field.name]: text })}
        />
      ))}
    </BlockStack>
  )
}

interface FieldProps {
  field: ProviderField
  value: string
  error: string | undefined
  kept: boolean
  onChange: (text: string) => void
}

const Field = ({ field, value, error, kept, onChange }: FieldProps) => (
  <TextField
    id={fieldId(field.name)}
    label={field.title}
    helpText={field.help}
    error={error}
    requiredIndicator={field.required && !kept}
    placeholder={kept ? t('Leave empty to keep the one that is saved') : undefined}
    type={field.secret && !field.multiline ? 'password' : 'text'}
    multiline={field.multiline ? 4 : undefined}
    monospaced={field.multiline}
    maxLength={field.multiline ? 20_000 : 1000}
    value={value}
    onChange={onChange}
  />
)
