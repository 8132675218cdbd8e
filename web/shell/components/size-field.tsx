// A size in megabytes; returns bytes, or the typed text if it is not a size.
import { useState } from 'react'
import { TextField } from '../ui/index.ts'
import { t } from '../messages/t.ts'

/** Bytes, or a text that is no size. */
export type SizeValue = number | string | undefined

interface Props {
  label: string
  id?: string
  help?: string
  error?: string
  placeholder?: string
  bytes: SizeValue
  onChange: (bytes: SizeValue) => void
}

const MB = 1024 ** 2
const toText = (bytes: SizeValue) =>
  typeof bytes === 'number' ? String(Number((bytes / MB).toFixed(3))) : (bytes ?? '')

export function SizeField({ label, id, help, error, placeholder, bytes, onChange }: Props) {
  const [typed, setTyped] = useState('')
  return (
    <TextField
      label={label}
      id={id}
      helpText={help}
      error={error}
      inputMode="decimal"
      suffix={t('MB')}
      placeholder={placeholder ?? t('Any size')}
      // `1.0` stays as typed although the size is written differently.
      value={toBytes(typed) === bytes ? typed : toText(bytes)}
      onChange={(text) => {
        setTyped(text)
        onChange(toBytes(text))
      }}
    />
  )
}

function toBytes(text: string): SizeValue {
  const plain = text.trim().replace(',', '.')
  if (plain === '') return undefined
  return /^\d+(\.\d*)?$|^\.\d+$/.test(plain) ? Math.round(Number(plain) * MB) : text
}
