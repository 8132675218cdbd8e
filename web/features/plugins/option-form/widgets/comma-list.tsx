// Several words in one line, with commas between them: `1-3, 5, 8-12`.
import { useState } from 'react'
import { TextField } from '../../../../shell/ui/index.ts'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'

export function CommaList({ name, schema, value, onChange, path, problems }: FieldProps) {
  const words = Array.isArray(value) ? value.map(String) : []
  const [typed, setTyped] = useState(() => words.join(', '))
  return (
    <TextField
      id={fieldId(path)}
      label={titleOf(schema, name)}
      helpText={schema.description}
      error={problems.within(path)}
      placeholder={schema.placeholder}
      // The typed text stays unchanged while it has the same meaning as the option.
      value={wordsOf(typed).join() === words.join() ? typed : words.join(', ')}
      onChange={(text) => {
        setTyped(text)
        onChange(wordsOf(text))
      }}
    />
  )
}

/** Dashes of any length count as hyphens: the text may be pasted from a document. */
const wordsOf = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.replaceAll(/[–—]/g, '-').replaceAll(/\s+/g, ' ').trim())
    .filter((word) => word !== '')
