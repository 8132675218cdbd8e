// A calendar day, in the shop's time zone.
import { TextField } from '../../../../shell/ui/index.ts'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'

export const Day = ({ name, schema, required, value, onChange, path, problems }: FieldProps) => (
  <TextField
    id={fieldId(path)}
    type="date"
    label={titleOf(schema, name)}
    helpText={schema.description}
    error={problems.within(path)}
    requiredIndicator={required}
    value={typeof value === 'string' ? value : ''}
    onChange={(day) => onChange(day === '' && !required ? undefined : day)}
  />
)
