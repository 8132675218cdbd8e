// Scheduled tasks with their next and last run.
import { useMemo } from 'react'
import { type Schedule } from './calls.ts'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { SmallError } from '../../shell/components/small-error.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { Switch } from '../../shell/components/switch.tsx'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { BlockStack, Button, InlineStack, Link, SmallPrint, Text } from '../../shell/ui/index.ts'
import { OPERATION_STATUSES } from '../operations/operation-status.ts'
import { cronText, runText } from './labels.ts'
import { useToggle } from './use-toggle.ts'
import { t } from '../../shell/messages/t.ts'

interface RowContext {
  /** The name of what it runs. */
  nameOf: (schedule: Schedule) => string
  onRun: (schedule: Schedule) => void
  onDelete: (schedule: Schedule) => void
}

interface Props extends RowContext {
  schedules: readonly Schedule[]
}

export function SchedulesTable({ schedules, nameOf, onRun, onDelete }: Props) {
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
