// A size in megabytes; what it gives is bytes.
import { useState } from 'react'
import { TextField } from '../ui/index.ts'

interface Props {
  label: string
  id?: string
  help?: string
  error?: string
  bytes: number | undefined
  onChange: (bytes: number | undefined) => void
}

const MB = 1024 ** 2
const toText = (bytes: number | undefined) => (bytes === undefined ? '' : String(Number((bytes / MB).toFixed(3))))
const toBytes = (text: string) => {
  const value = Number(text.replace(',', '.'))
  return text.trim() === '' || !(value >= 0) ? undefined : Math.round(value * MB)
}

export function SizeField({ label, id, help, error, bytes, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const broken = typed.trim() !== '' && toBytes(typed) === undefined
  return (
    <TextField
      label={label}
      id={id}
      helpText={help}
      error={error ?? (broken && bytes === undefined ? 'Write a number' : undefined)}
      inputMode="decimal"
      suffix="MB"
      placeholder="Any size"
      autoComplete="off"
      value={toBytes(typed) === bytes ? typed : toText(bytes)}
      onChange={(text) => {
        setTyped(text)
        onChange(toBytes(text))
      }}
    />
  )
}
