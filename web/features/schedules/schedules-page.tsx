// The shop's scheduled tasks: next run, last result, on or off.
import { useCallback, useState, useMemo } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { usePlugins } from '../../shell/client/plugins.ts'
import { useWorkflows } from '../../shell/client/workflows.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import {
  BlockStack,
  Box,
  Card,
  Hint,
  Button,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import type { CardLayout, Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { SmallError } from '../../shell/components/small-error.tsx'
import { Switch } from '../../shell/components/switch.tsx'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { toast } from '../../shell/client/bridge.ts'
import { StatusBadge } from '../operations/status.tsx'
import { OPERATION_STATUSES } from '../operations/operation-status.ts'
import { type Schedule, useSchedules, useTemplates, useSwitchSchedule } from './calls.ts'
import { DeleteSchedule } from './delete-schedule.tsx'
import { zoneText, cronText, runText } from './labels.ts'
import { RunNow } from './run-now.tsx'
import { Templates } from './templates.tsx'

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

// What a shop without scheduled tasks sees: what they are for, and templates to begin with.

function FirstTask() {
  const templates = useTemplates()
  return (
    <>
      <Card padding="0">
        <Nothing
          why="new"
          heading={t('Nothing is scheduled yet')}
          action={{ content: t('New task'), url: '/schedules/new' }}
        >
          {t('A scheduled task runs an action on all matching files at fixed times.')}
        </Nothing>
      </Card>
      {templates.data && templates.data.data.length > 0 && (
        <Templates templates={templates.data.data} />
      )}
    </>
  )
}

// Scheduled tasks with their next and last run.

interface RowContext {
  /** The name of what it runs. */
  nameOf: (schedule: Schedule) => string
  onRun: (schedule: Schedule) => void
  onDelete: (schedule: Schedule) => void
}

interface Props extends RowContext {
  schedules: readonly Schedule[]
}

function SchedulesTable({ schedules, nameOf, onRun, onDelete }: Props) {
  const columns = useMemo(() => columnsOf({ nameOf, onRun, onDelete }), [nameOf, onRun, onDelete])
  return (
    <RecordTable
      names={{ singular: t('task'), plural: t('tasks') }}
      columns={columns}
      card={CARD}
      rows={schedules}
      idOf={({ id }) => id}
    />
  )
}

type ColumnId = 'name' | 'when' | 'next' | 'last' | 'on' | 'buttons'

const CARD: CardLayout<ColumnId> = {
  lines: [{ start: 'name', end: 'on', wrap: false }, 'when', { start: 'last', end: 'buttons' }],
}

const columnsOf = ({ nameOf, onRun, onDelete }: RowContext): Columns<ColumnId, Schedule> => ({
  name: {
    title: t('Task'),
    wraps: true,
    cell: (schedule) => <Name schedule={schedule} does={nameOf(schedule)} />,
  },
  when: {
    title: t('When'),
    cell: ({ cron, schedule_text }) => cronText(cron, schedule_text),
    inCard: (schedule) => (
      <Text as="span" tone="subdued">
        {t('{when} · next {next}', {
          when: cronText(schedule.cron, schedule.schedule_text),
          next: nextRunText(schedule),
        })}
      </Text>
    ),
  },
  next: { title: t('Next run'), tabular: true, cell: nextRunText },
  last: {
    title: t('Last run'),
    cell: (schedule) => <LastRun schedule={schedule} />,
    inCard: (schedule) =>
      schedule.last_run === null ? (
        <SmallPrint>{t('Never run yet')}</SmallPrint>
      ) : (
        <BlockStack gap="050">
          <SmallPrint>{t('Last run')}</SmallPrint>
          <LastRun schedule={schedule} />
        </BlockStack>
      ),
  },
  on: { title: t('On'), cell: (schedule) => <OnOff schedule={schedule} /> },
  buttons: {
    title: t('Actions'),
    titleHidden: true,
    cell: (schedule) => (
      <Buttons
        name={schedule.name}
        onRun={() => onRun(schedule)}
        onDelete={() => onDelete(schedule)}
      />
    ),
  },
})

const Name = ({ schedule, does }: { schedule: Schedule; does: string }) => (
  <BlockStack>
    <Link url={`/schedules/${schedule.id}`} monochrome removeUnderline>
      <Text as="span" fontWeight="semibold">
        {schedule.name}
      </Text>
    </Link>
    <SmallPrint>{does}</SmallPrint>
  </BlockStack>
)

const nextRunText = ({ enabled, next_runs, time_zone }: Schedule): string =>
  enabled && next_runs[0] ? runText(next_runs[0], time_zone) : t('Off')

const LastRun = ({ schedule: { last_run, time_zone } }: { schedule: Schedule }) =>
  last_run === null ? (
    <Text as="span" tone="subdued">
      {t('Never')}
    </Text>
  ) : (
    <InlineStack gap="200" blockAlign="center">
      <StatusBadge word={OPERATION_STATUSES[last_run.status]} />
      <Link url={`/operations/${last_run.operation_id}`}>{runText(last_run.at, time_zone)}</Link>
    </InlineStack>
  )

function OnOff({ schedule }: { schedule: Schedule }) {
  const { on, busy, error, toggle } = useToggle(schedule)
  return (
    <InlineStack gap="200" blockAlign="center">
      <Switch
        label={t('{name} is on', { name: schedule.name })}
        on={on}
        busy={busy}
        onChange={toggle}
      />
      <SmallError error={error} />
    </InlineStack>
  )
}

interface ButtonsProps {
  name: string
  onRun: () => void
  onDelete: () => void
}

const Buttons = ({ name, onRun, onDelete }: ButtonsProps) => (
  <InlineStack gap="300" align="end" wrap={false}>
    <Button variant="plain" accessibilityLabel={actionName(t('Run now'), name)} onClick={onRun}>
      {t('Run now')}
    </Button>
    <CriticalButton label={t('Delete {name}', { name })} onClick={onDelete} text={t('Delete')} />
  </InlineStack>
)

// The switch of a task in the list.

/** Switches a task on or off and leaves its other fields unchanged. */
function useToggle(schedule: Schedule) {
  const save = useSwitchSchedule(schedule.id)
  return {
    // The new state is shown immediately.
    on: save.isPending ? save.variables : schedule.enabled,
    busy: save.isPending,
    error: save.error,
    toggle: (enabled: boolean) =>
      save.mutate(enabled, {
        onSuccess: () =>
          toast(
            enabled
              ? t('{name} is on', { name: schedule.name })
              : t('{name} is off', { name: schedule.name }),
          ),
      }),
  }
}
