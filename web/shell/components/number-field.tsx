// A number that may also be unchanged, or none (never, unlimited). Text that is not a number is
// passed on as typed.
import { useState } from 'react'
import { Select, TextField } from '../ui/index.ts'
import './form.css'
import { t } from '../messages/t.ts'

/** A number, null for none, undefined for unchanged, or text that is not a number. */
export type NumberValue = number | string | null | undefined

interface Props {
  label: string
  id?: string
  help?: string
  error?: string
  suffix?: string
  placeholder?: string
  value: NumberValue
  onChange: (value: NumberValue) => void
  /** The label of null; absent if null is not allowed. */
  none?: string
  /** The label of undefined: `Leave unchanged` if it is absent. */
  keep?: string
  /** Whether an empty field is valid. */
  optional?: boolean
  /** The initial value when a number is chosen. */
  start?: number
  requiredIndicator?: boolean
}

export function NumberField(props: Props) {
  const { label, id, help, error, value, onChange, none, optional = false, start = 1 } = props
  if (none === undefined) return <PlainNumber {...props} />
  const mode = value === undefined ? 'keep' : value === null ? 'none' : 'number'
  const choose = (next: string) =>
    onChange(next === 'keep' ? undefined : next === 'none' ? null : start)
  const options = [
    ...(optional ? [{ label: props.keep ?? t('Leave unchanged'), value: 'keep' }] : []),
    { label: t('Set to'), value: 'number' },
    { label: none, value: 'none' },
  ]
  return (
    <div className="number-or-none">
      <Select
        label={label}
        id={mode === 'number' ? undefined : id}
        helpText={help}
        error={mode === 'number' ? undefined : error}
        options={options}
        value={mode}
        onChange={choose}
      />
      {mode === 'number' && (
        <div className="beside-select">
          <PlainNumber {...props} help={undefined} labelHidden />
        </div>
      )}
    </div>
  )
}

function PlainNumber(props: Props & { labelHidden?: boolean }) {
  const { label, id, help, error, suffix, placeholder, value, onChange, labelHidden } = props
  const [typed, setTyped] = useState('')
  return (
    <TextField
      label={labelHidden ? t('{label}: number', { label }) : label}
      labelHidden={labelHidden}
      id={id}
      helpText={help}
      error={error}
      suffix={suffix}
      placeholder={placeholder}
      inputMode="numeric"
      requiredIndicator={props.requiredIndicator}
      // `1.0` and `007` stay as typed although the number is written differently.
      value={readNumber(typed) === value ? typed : String(value ?? '')}
      onChange={(text) => {
        setTyped(text)
        onChange(readNumber(text))
      }}
    />
  )
}

function readNumber(text: string): number | string | undefined {
  const plain = text.trim()
  if (plain === '') return undefined
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : plain
}
