// The shop's scheduled tasks: next run, last result, on or off.
import { useCallback, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { type Schedule, useSchedules } from './calls.ts'
import { usePlugins } from '../../shell/client/plugins.ts'
import { useWorkflows } from '../../shell/client/workflows.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { BlockStack, Box, Card, Hint } from '../../shell/ui/index.ts'
import { DeleteSchedule } from './delete-schedule.tsx'
import { zoneText } from './labels.ts'
import { FirstTask } from './first-task.tsx'
import { RunNow } from './run-now.tsx'
import { SchedulesTable } from './schedules-table.tsx'
import { t } from '../../shell/messages/t.ts'

export function SchedulesPage() {
  const schedules = useSchedules()
  const [doomed, setDoomed] = useState<Schedule | null>(null)
  const [running, setRunning] = useState<Schedule | null>(null)
  const list = schedules.data?.data
  const nameOf = useNames()
  return (
    <Page
      title={t('Scheduled tasks')}
      fullWidth
      primaryAction={{ content: t('New task'), onAction: () => navigate('/schedules/new') }}
    >
      <BlockStack gap="400">
        <LoadProblem query={schedules} what={t('The scheduled tasks could not be loaded')} />
        {list?.length === 0 ? (
          <FirstTask />
        ) : list?.[0] ? (
          <Card padding="0">
            <Box padding="400">
              <Hint>
                {t('Times in the shop’s time zone, {zone}', { zone: zoneText(list[0].time_zone) })}
              </Hint>
            </Box>
            <SchedulesTable
              schedules={list}
              nameOf={nameOf}
              onRun={setRunning}
              onDelete={setDoomed}
            />
          </Card>
        ) : (
          !schedules.error && (
            <Card padding="0">
              <LoadingRows what={t('scheduled tasks')} />
            </Card>
          )
        )}
      </BlockStack>
      {running && <RunNow schedule={running} onClose={() => setRunning(null)} />}
      <DeleteSchedule schedule={doomed} onClose={() => setDoomed(null)} />
    </Page>
  )
}

/** The names of what tasks run. */
function useNames(): (schedule: Schedule) => string {
  const plugins = usePlugins().data?.data
  const workflows = useWorkflows().data?.data
  return useCallback(
    ({ action, workflow }) =>
      action !== null
        ? (plugins?.find(({ id }) => id === action)?.title ?? action)
        : (workflows?.find(({ id }) => id === workflow)?.name ?? t('A workflow')),
    [plugins, workflows],
  )
}
