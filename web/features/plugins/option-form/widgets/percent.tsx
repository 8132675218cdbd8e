// A share from 0 to 1, entered as a percentage from 1 to 100.
import { useState } from 'react'
import { TextField } from '../../../../shell/ui/index.ts'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'

export function Percent({ name, schema, value, onChange, path, problems }: FieldProps) {
  const [typed, setTyped] = useState('')
  return (
    <TextField
      id={fieldId(path)}
      label={titleOf(schema, name)}
      helpText={schema.description}
      error={problems.within(path)}
      type="number"
      inputMode="numeric"
      min={1}
      max={100}
      suffix="%"
      placeholder={schema.placeholder}
      value={shareOf(typed) === value ? typed : textOf(value)}
      onChange={(text) => {
        setTyped(text)
        onChange(shareOf(text))
      }}
    />
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'number'
    ? String(Math.round(value * 100))
    : typeof value === 'string'
      ? value
      : ''

/** An invalid percentage is passed on as typed, so that the form can report it. */
function shareOf(text: string): number | string | undefined {
  const plain = text.trim()
  if (plain === '') return undefined
  const percent = /^\d{1,3}$/.test(plain) ? Number(plain) : 0
  return percent >= 1 && percent <= 100 ? percent / 100 : plain
}
