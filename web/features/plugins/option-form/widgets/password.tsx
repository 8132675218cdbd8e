// A secret for one step, which history does not show.
import { TextField } from '../../../../shell/ui/index.ts'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'
import { t } from '../../../../shell/messages/t.ts'

export function Password({ name, schema, required, value, onChange, path, problems }: FieldProps) {
  const title = titleOf(schema, name)
  return (
    <TextField
      id={fieldId(path)}
      label={required ? title : t('{title} (optional)', { title })}
      type="password"
      helpText={schema.description}
      error={problems.within(path)}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text === '' ? undefined : text)}
    />
  )
}
