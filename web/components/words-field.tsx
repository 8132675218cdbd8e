// Several words in one field: Enter, a comma or leaving the field takes what was typed, a click takes a suggestion.
import { type KeyboardEvent, useState } from 'react'
import { Tag, TextField } from '../ui/index.ts'
import './form.css'

interface Props {
  label: string
  id?: string
  help?: string
  error?: string
  placeholder?: string
  value: readonly string[]
  onChange: (words: string[]) => void
  /** What may be meant; `text` is how it reads. */
  suggestions?: readonly { value: string; text: string }[]
  /** How a typed word is written: lower case, without its dot. */
  write?: (word: string) => string
  /** How a word reads. */
  read?: (word: string) => string
  requiredIndicator?: boolean
}

const asIs = (word: string) => word

export function WordsField(props: Props) {
  const { label, id, help, error, placeholder, value, onChange, suggestions = [], write = asIs, read = asIs } = props
  const [typed, setTyped] = useState('')
  const add = (text: string) => {
    const words = text.split(',').map((word) => write(word.trim()))
    const next = [...new Set([...value, ...words.filter((word) => word !== '')])]
    if (next.length > value.length) onChange(next)
    setTyped('')
  }
  const change = (text: string) => (text.includes(',') ? add(text) : setTyped(text))
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && typed.trim() !== '') {
      event.preventDefault()
      add(typed)
    } else if (event.key === 'Backspace' && typed === '' && value.length > 0) onChange(value.slice(0, -1))
  }
  const left = suggestions.filter(({ value: word }) => !value.includes(word))
  return (
    <div className="words-field" onKeyDown={press}>
      <TextField
        label={label}
        id={id}
        helpText={help}
        error={error}
        placeholder={value.length === 0 ? placeholder : undefined}
        autoComplete="off"
        requiredIndicator={props.requiredIndicator}
        value={typed}
        onChange={change}
        onBlur={() => add(typed)}
        verticalContent={
          value.length > 0 && (
            <div className="tags">
              {value.map((word) => (
                <Tag key={word} onRemove={() => onChange(value.filter((other) => other !== word))}>
                  {read(word)}
                </Tag>
              ))}
            </div>
          )
        }
      />
      {suggestions.length > 0 && (
        <div className="suggestions" role="group" aria-label={`Suggestions for ${label.toLowerCase()}`}>
          {left.map(({ value: word, text }) => (
            <button key={word} type="button" onClick={() => add(word)}>
              + {text}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
