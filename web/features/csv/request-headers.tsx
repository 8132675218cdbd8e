// The headers that the requests for a table's files need.
import { useState, type ReactNode } from 'react'
import { Checkbox, TextField } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

/**
 * The fields, and what the check is sent of them.
 * @param stored whether the check before had headers
 */
export function useRequestHeaders(stored: boolean): {
  fields: ReactNode
  body: { headers?: Record<string, string> }
} {
  const [sends, setSends] = useState(stored)
  const [text, setText] = useState('')
  const isKept = stored && text.trim() === ''
  const fields = (
    <>
      <Checkbox
        label={t('The addresses need headers, such as Authorization')}
        checked={sends}
        onChange={setSends}
      />
      {sends && (
        <TextField
          label={t('Headers of the requests')}
          helpText={
            isKept
              ? t('Headers are stored. Enter others to replace them.')
              : t(
                  'One on each line, like Authorization: Bearer abc. They are stored sealed, and sent only to the host of each address.',
                )
          }
          value={text}
          onChange={setText}
          multiline={2}
          autoComplete="off"
        />
      )}
    </>
  )
  return { fields, body: bodyOf(sends, text) }
}

/** Absent: those of the check before. */
function bodyOf(sends: boolean, text: string): { headers?: Record<string, string> } {
  if (!sends) return { headers: {} }
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length === 0 ? {} : { headers: Object.fromEntries(lines.map(headerOf)) }
}

function headerOf(line: string): [name: string, value: string] {
  const at = line.includes(':') ? line.indexOf(':') : line.length
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}
