// The steps of a new connection, with the next one.
import { type Connection } from './calls.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { Badge } from '../../shell/ui/index.ts'

export function SetupSteps({ connection: { state, settings } }: { connection: Connection }) {
  // The whole account is an empty folder; before the choice it is null.
  const chosen = typeof (settings.folder ?? settings.prefix) === 'string'
  const next = state === 'unauthorized' ? 1 : chosen ? 3 : 2
  const steps = [
    t('Connect'),
    t('Authorize'),
    t('Choose a folder'),
    t('Set the options'),
    t('Preview the first sync'),
  ]
  return (
    <Titled title={t('Set up')}>
      <ol className="steps">
        {steps.map((step, at) => (
          <li key={step} aria-current={at === next ? 'step' : undefined}>
            {step} {at < next && <Badge tone="success">{t('Done')}</Badge>}
            {at === next && <Badge tone="attention">{t('Next')}</Badge>}
          </li>
        ))}
      </ol>
    </Titled>
  )
}
