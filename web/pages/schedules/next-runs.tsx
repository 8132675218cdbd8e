// The next runs of the times in the form, by the clocks of the shop.
import { useCronCheck } from '../../client/schedules.ts'
import { useSettings } from '../../client/settings.ts'
import { useDebounced } from '../../url-state/use-debounced.ts'
import { BlockStack, Card, Text } from '../../ui/index.ts'
import { cronOf, runText, zoneText } from '../../labels/schedule.ts'
import { type ScheduleDraft } from './draft.ts'

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
          <Text as="h2" variant="headingMd">
            Next runs
          </Text>
          <Text as="p" tone="subdued">
            {known ? check.data.schedule_text : ' '}
          </Text>
        </BlockStack>
        <ul className="next-runs" aria-label="Next runs">
          {known && check.data.next_runs.map((run) => <li key={run}>{runText(run, zone)}</li>)}
          {!known && (
            <Text as="p" tone="subdued">
              {check.isFetching
                ? 'Working them out …'
                : 'Shown when it is clear when the task runs.'}
            </Text>
          )}
        </ul>
        <Text as="p" variant="bodySm" tone="subdued">
          {zone ? `In the shop’s time zone, ${zoneText(zone)}` : ' '}
          {draft.enabled ? '' : '. The task is off: it does not run.'}
        </Text>
      </BlockStack>
    </Card>
  )
}
