// The steps of a CSV import, with the current one.
import '../imports/import.css'
import { t } from '../../shell/messages/t.ts'

const STAGES = {
  file: t('File'),
  columns: t('Columns'),
  check: t('Check'),
  import: t('Import'),
} as const

export function Stages({ at }: { at: keyof typeof STAGES }) {
  return (
    <ol className="stages" aria-label={t('Steps')}>
      {Object.entries(STAGES).map(([stage, text]) => (
        <li key={stage} aria-current={stage === at ? 'step' : undefined}>
          {text}
        </li>
      ))}
    </ol>
  )
}
