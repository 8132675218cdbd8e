// A field for an option without any other widget: its value as JSON. Invalid JSON is passed on as
// typed.
import { useState } from 'react'
import { TextField } from '../../../shell/ui/index.ts'

interface Props {
  id: string
  label: string
  helpText?: string
  error?: string
  value: unknown
  onChange: (value: unknown) => void
}

export function RawField({ value, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState(() =>
    value === undefined ? '' : JSON.stringify(value, null, 2),
  )
  return (
    <TextField
      {...rest}
      multiline={4}
      monospaced
      value={typed}
      onChange={(text) => {
        setTyped(text)
        onChange(read(text))
      }}
    />
  )
}

function read(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
