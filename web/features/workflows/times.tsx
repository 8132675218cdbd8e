// The scheduled tasks of a workflow, among what starts it: each is edited with its own form.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Button,
  DeleteIcon,
  Hint,
  InlineStack,
  Link,
  Text,
} from '../../shell/ui/index.ts'
import { useSchedules, type Schedule } from '../schedules/calls.ts'
import { DeleteSchedule } from '../schedules/delete-schedule.tsx'
import { cronText } from '../schedules/labels.ts'
import { conditionSentence } from './condition-text.ts'

/** The scheduled tasks that run a workflow; `id` null: it is not saved yet, and has none. */
export function useTimes(id: string | null): readonly Schedule[] {
  const { data } = useSchedules()
  return id === null ? [] : (data?.data ?? []).filter(({ workflow }) => workflow === id)
}

/** Opens the form of a new scheduled task of the workflow. */
export const addTimes = (id: string): void =>
  navigate(`/schedules/new?workflow=${encodeURIComponent(id)}`)

/** `Daily at 03:00`, with the condition of the task. */
function timesSentence({ cron, schedule_text, filter, runs }: TimesOf): string {
  const when = cronText(cron, schedule_text)
  const only = conditionSentence(filter)
  const whole = only === null ? when : t('{begin}. {only}', { begin: when, only })
  return runs ? whole : t('{sentence}. Off', { sentence: whole })
}

type TimesOf = Pick<Schedule, 'cron' | 'schedule_text' | 'filter'> & { runs: boolean }

export function Times({ times }: { times: readonly Schedule[] }) {
  const [doomed, setDoomed] = useState<Schedule | null>(null)
  return (
    <>
      <ul className="triggers" aria-label={t('At times')}>
        {times.map((schedule) => (
          <li key={schedule.id}>
            <Item schedule={schedule} onRemove={() => setDoomed(schedule)} />
          </li>
        ))}
      </ul>
      <DeleteSchedule schedule={doomed} onClose={() => setDoomed(null)} />
    </>
  )
}

function Item({ schedule, onRemove }: { schedule: Schedule; onRemove: () => void }) {
  const { id, name, enabled } = schedule
  return (
    <InlineStack align="space-between" blockAlign="center" gap="200" wrap={false}>
      <BlockStack gap="050">
        <Text as="h3" variant="headingSm">
          {timesSentence({ ...schedule, runs: enabled })}
        </Text>
        <Hint>
          <Link url={`/schedules/${id}`}>{t('Change “{name}”', { name })}</Link>
        </Hint>
      </BlockStack>
      <Button
        variant="tertiary"
        icon={DeleteIcon}
        accessibilityLabel={t('Remove: {named}', { named: name })}
        onClick={onRemove}
      />
    </InlineStack>
  )
}
