// Every problem that prevents saving, each with a link to its field.
import { type Objection } from '../client/workflows.ts'
import { Banner, Button } from '../ui/index.ts'
import { fieldId } from './problems.ts'
import './form.css'

interface Props {
  title: string
  problems: readonly Objection[]
  /** The place of a problem in words: `Step 2, Tags`. */
  placeText: (param: string) => string
}

export function ProblemList({ title, problems, placeText }: Props) {
  return (
    <Banner tone="critical" title={title}>
      <ul className="problem-list">
        {problems.map(({ param, message }) => {
          const place = placeText(param)
          return (
            <li key={`${param} ${message}`}>
              {place === '' ? (
                message
              ) : (
                <>
                  <Button variant="plain" onClick={() => focusField(param)}>
                    {place}
                  </Button>
                  {`: ${message}`}
                </>
              )}
            </li>
          )
        })}
      </ul>
    </Banner>
  )
}

/** Focuses the field of a place, or the nearest field around it. */
export function focusField(param: string): void {
  for (let path = param; path !== ''; path = around(path)) {
    const field = document.getElementById(fieldId(path))
    if (!field) continue
    field.scrollIntoView({ block: 'center' })
    field.focus()
    return
  }
}

const around = (path: string): string => path.replace(/(\[[^\]]*\]|\.?[^.[\]]+)$/, '')
