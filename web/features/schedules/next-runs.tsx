// The next runs of the times in the form, in the shop's time zone.
import { useCronCheck } from './calls.ts'
import { useSettings } from '../../shell/client/settings.ts'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { BlockStack, Card, Heading, Hint, Text } from '../../shell/ui/index.ts'
import { cronOf, cronText, runText, zoneText } from './labels.ts'
import { type ScheduleDraft } from './draft.ts'
import { t } from '../../shell/messages/t.ts'

export function NextRuns({ draft }: { draft: ScheduleDraft }) {
  const cron = useDebounced(cronOf(draft.when))
  const check = useCronCheck(cron)
  const settings = useSettings()
  const zone = check.data?.time_zone ?? settings.data?.time_zone
  const known = check.data && !check.error && cron !== ''
  return (
    <Card>
      <BlockStack gap="300">
        <BlockStack gap="100">
          <Heading>{t('Next runs')}</Heading>
          <Hint>{known ? cronText(cron, check.data.schedule_text) : ' '}</Hint>
        </BlockStack>
        {known ? (
          <ul className="next-runs" aria-label={t('Next runs')}>
            {check.data.next_runs.map((run) => (
              <li key={run}>{runText(run, zone)}</li>
            ))}
          </ul>
        ) : (
          <div className="next-runs">
            <Hint>
              {check.isFetching
                ? t('Calculating …')
                : t('Choose when the task runs to see its next runs.')}
            </Hint>
          </div>
        )}
        <Text as="p" variant="bodySm" tone="subdued">
          {zone ? t('In the shop’s time zone, {zone}.', { zone: zoneText(zone) }) : ' '}
          {draft.enabled ? '' : ` ${t('The task is off and does not run.')}`}
        </Text>
      </BlockStack>
    </Card>
  )
}
