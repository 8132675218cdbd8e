// Scheduled tasks in a table; on a narrow screen a list instead.
import { type Schedule } from './calls.ts'
import { RowsTable } from '../../shell/components/rows-table.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { Switch } from '../../shell/components/switch.tsx'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import {
  BlockStack,
  Box,
  Button,
  IndexTable,
  InlineStack,
  Link,
  Text,
  useBreakpoints,
} from '../../shell/ui/index.ts'
import { OPERATION_STATUSES } from '../operations/operation-status.ts'
import { cronText, runText } from './labels.ts'
import { useToggle } from './use-toggle.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  schedules: readonly Schedule[]
  /** The name of what it runs. */
  nameOf: (schedule: Schedule) => string
  onRun: (schedule: Schedule) => void
  onDelete: (schedule: Schedule) => void
}

export function SchedulesTable({ schedules, nameOf, onRun, onDelete }: Props) {
  const { lgDown: narrow } = useBreakpoints()
  return (
    <RowsTable
      names={{ singular: t('task'), plural: t('tasks') }}
      headings={[
        { title: t('Task') },
        { title: t('When') },
        { title: t('Next run') },
        { title: t('Last run') },
        { title: t('On') },
        { title: t('Actions'), hidden: true },
      ]}
      narrow={narrow}
      rows={schedules}
    >
      {(schedule) => {
        const row = {
          schedule,
          does: nameOf(schedule),
          onRun: () => onRun(schedule),
          onDelete: () => onDelete(schedule),
        }
        return narrow ? <NarrowRow {...row} /> : <WideRow {...row} />
      }}
    </RowsTable>
  )
}

interface RowProps {
  schedule: Schedule
  does: string
  onRun: () => void
  onDelete: () => void
}

const Name = ({ schedule, does }: Pick<RowProps, 'schedule' | 'does'>) => (
  <BlockStack>
    <Link url={`/schedules/${schedule.id}`} monochrome removeUnderline>
      <Text as="span" fontWeight="semibold">
        {schedule.name}
      </Text>
    </Link>
    <Text as="span" variant="bodySm" tone="subdued">
      {does}
    </Text>
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
      {error && (
        <Text as="span" variant="bodySm" tone="critical">
          {error.message}
        </Text>
      )}
    </InlineStack>
  )
}

const Buttons = ({ schedule: { name }, onRun, onDelete }: RowProps) => (
  <InlineStack gap="300" align="end" wrap={false}>
    <Button variant="plain" accessibilityLabel={t('Run {name} now', { name })} onClick={onRun}>
      {t('Run now')}
    </Button>
    <CriticalButton label={t('Delete {name}', { name })} onClick={onDelete} text={t('Delete')} />
  </InlineStack>
)

function WideRow(row: RowProps) {
  const { schedule } = row
  return (
    <>
      <IndexTable.Cell>
        <Name {...row} />
      </IndexTable.Cell>
      <IndexTable.Cell>{cronText(schedule.cron, schedule.schedule_text)}</IndexTable.Cell>
      <IndexTable.Cell className="tabular">{nextRunText(schedule)}</IndexTable.Cell>
      <IndexTable.Cell>
        <LastRun schedule={schedule} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <OnOff schedule={schedule} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Buttons {...row} />
      </IndexTable.Cell>
    </>
  )
}

function NarrowRow(row: RowProps) {
  const { schedule } = row
  return (
    <Box padding="400">
      <BlockStack gap="200">
        <InlineStack align="space-between" blockAlign="center" gap="200" wrap={false}>
          <Name {...row} />
          <OnOff schedule={schedule} />
        </InlineStack>
        <Text as="span" tone="subdued">
          {t('{when} · next {next}', {
            when: cronText(schedule.cron, schedule.schedule_text),
            next: nextRunText(schedule),
          })}
        </Text>
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <LastRun schedule={schedule} />
          <Buttons {...row} />
        </InlineStack>
      </BlockStack>
    </Box>
  )
}
