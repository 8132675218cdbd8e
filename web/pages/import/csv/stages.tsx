// The steps of a CSV import, and where one is.
import '../import.css'

const STAGES = { file: 'File', columns: 'Columns', check: 'Check', import: 'Import' } as const

export function Stages({ at }: { at: keyof typeof STAGES }) {
  return (
    <ol className="stages" aria-label="Steps">
      {Object.entries(STAGES).map(([stage, text]) => (
        <li key={stage} aria-current={stage === at ? 'step' : undefined}>
          {text}
        </li>
      ))}
    </ol>
  )
}
