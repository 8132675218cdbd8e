// Several words in one field: Enter, a comma or leaving the field adds the typed word, a click adds
// a suggestion.
import { type KeyboardEvent, useRef, useState } from 'react'
import { Tag, TextField } from '../ui/index.ts'
import './form.css'
import { inSentence } from '../labels/size.ts'
import { t } from '../messages/t.ts'

interface Props {
  label: string
  id?: string
  help?: string
  error?: string
  placeholder?: string
  value: readonly string[]
  onChange: (words: string[]) => void
  /** Suggested values; `text`: how each is shown. */
  suggestions?: readonly { value: string; text: string }[]
  /** Normalizes a typed word: lower case, without its dot. */
  write?: (word: string) => string
  /** How a word is shown. */
  read?: (word: string) => string
  requiredIndicator?: boolean
}

const BLUR_MS = 200
const asIs = (word: string) => word
const joined = (some: readonly string[], more: readonly string[]): string[] => [
  ...new Set([...some, ...more.filter((word) => word !== '')]),
]
const same = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((word, at) => word === others[at])

type WordsProps = Pick<Props, 'value' | 'onChange'> & Required<Pick<Props, 'write'>>

/**
 * A word that is being typed is part of the value immediately, so that a click on Save does not
 * lose it; it becomes a tag when it is complete.
 */
function useWords({ value, onChange, write }: WordsProps) {
  const [typing, setTyping] = useState<{ text: string; before: readonly string[] } | null>(null)
  const known = typing !== null && same(value, joined(typing.before, [write(typing.text.trim())]))
  const shown = known ? typing.before : value
  const text = known ? typing.text : ''
  const add = (words: readonly string[]) => {
    const next = joined(shown, words)
    if (!same(next, value)) onChange(next)
  }
  const complete = () => setTyping(null)
  const take = (words: readonly string[]) => {
    complete()
    add(words)
  }
  const change = (typed: string) => {
    const words = typed.split(',').map((word) => write(word.trim()))
    if (words.length > 1) return take(words)
    setTyping({ text: typed, before: shown })
    add(words)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && text.trim() !== '') {
      event.preventDefault()
      take([write(text.trim())])
    } else if (event.key === 'Backspace' && text === '' && shown.length > 0)
      onChange(shown.slice(0, -1))
  }
  return { shown, text, take, change, press, complete }
}

export function WordsField(props: Props) {
  const { label, id, help, error, placeholder, value, onChange } = props
  const { suggestions = [], write = asIs, read = asIs, requiredIndicator } = props
  const { shown, text, take, change, press, complete } = useWords({ value, onChange, write })
  const leaving = useRef<number>(undefined)
  const left = suggestions.filter(({ value: word }) => !shown.includes(word))
  return (
    <div className="words-field" onKeyDown={press}>
      <TextField
        label={label}
        id={id}
        helpText={help}
        error={error}
        placeholder={shown.length === 0 ? placeholder : undefined}
        requiredIndicator={requiredIndicator}
        value={text}
        onChange={change}
        // A click outside the field is delivered before the field grows and moves its target.
        onBlur={() => {
          leaving.current = window.setTimeout(complete, BLUR_MS)
        }}
        onFocus={() => window.clearTimeout(leaving.current)}
        // Always given: with and without it, TextField nests its input differently, and React
        // would mount a new input, without the focus, when the first word is added.
        verticalContent={
          <div className="tags">
            {shown.map((word) => (
              <Tag key={word} onRemove={() => onChange(shown.filter((other) => other !== word))}>
                {read(word)}
              </Tag>
            ))}
          </div>
        }
      />
      {suggestions.length > 0 && (
        <div
          className="suggestions"
          role="group"
          aria-label={t('Suggestions for {label}', { label: inSentence(label) })}
        >
          {left.map(({ value: word, text }) => (
            <button key={word} type="button" onClick={() => take([word])}>
              + {text}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
