// Workflows with their steps, and what runs them.
import { useMemo } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { type Channel, useChannels } from '../imports/channel-calls.ts'
import { type Schedule } from '../schedules/calls.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import { BlockStack, Button, InlineStack, Link, SmallPrint, Text } from '../../shell/ui/index.ts'
import { runsOnText, stepsText } from '../plugins/step-labels.ts'
import './workflows.css'
import { t } from '../../shell/messages/t.ts'

interface Props {
  workflows: readonly Workflow[]
  schedules: readonly Schedule[]
  /** Deletes a workflow; absent if these cannot be deleted. */
  onDelete?: (workflow: Workflow) => void
}

export function WorkflowsTable({ workflows, schedules, onDelete }: Props) {
  const channels = useChannels()
  const columns = useMemo(() => {
    const used = schedules.filter(({ workflow }) => workflows.some(({ id }) => id === workflow))
    return columnsOf({ channels, used, onDelete })
  }, [channels, workflows, schedules, onDelete])
  return (
    <RecordTable
      names={{ singular: t('workflow'), plural: t('workflows') }}
      columns={columns}
      card={CARD}
      rows={workflows}
      idOf={({ id }) => id}
    />
  )
}

type ColumnId = 'name' | 'runsOn' | 'steps' | 'uses' | 'buttons'

const CARD: CardLayout<ColumnId> = {
  lines: ['name', 'steps', { start: 'runsOn', end: 'buttons' }, 'uses'],
}

interface Context extends Pick<Props, 'onDelete'> {
  channels: readonly Channel[]
  /** The scheduled tasks that run one of the workflows. */
  used: readonly Schedule[]
}

const columnsOf = ({ channels, used, onDelete }: Context): Columns<ColumnId, Workflow> => ({
  name: { title: t('Workflow'), wraps: true, cell: (workflow) => <Name workflow={workflow} /> },
  runsOn: {
    title: t('Runs on'),
    cell: (workflow) => runsOnText(workflow, channels),
    inCard: (workflow) => <SmallPrint>{runsOnText(workflow, channels)}</SmallPrint>,
  },
  steps: {
    title: t('Steps'),
    cell: ({ steps }) => <div className="steps-line">{stepsText(steps)}</div>,
  },
  uses: {
    ...(used.length > 0 ? { title: t('Scheduled tasks') } : {}),
    cell: ({ id }) => <Uses schedules={used.filter(({ workflow }) => workflow === id)} />,
  },
  buttons: {
    title: t('Actions'),
    titleHidden: true,
    cell: (workflow) => <Buttons workflow={workflow} onDelete={onDelete} />,
  },
})

const Name = ({ workflow }: { workflow: Workflow }) => (
  <Link url={`/workflows/${workflow.id}`} monochrome removeUnderline>
    <Text as="span" fontWeight="semibold">
      {workflow.name}
    </Text>
  </Link>
)

/** The scheduled tasks that run it. */
const Uses = ({ schedules }: { schedules: readonly Schedule[] }) =>
  schedules.length > 0 && (
    <BlockStack gap="050">
      {schedules.map(({ id, name }) => (
        <Link key={id} url={`/schedules/${id}`}>
          {name}
        </Link>
      ))}
    </BlockStack>
  )

function Buttons({
  workflow,
  onDelete,
}: {
  workflow: Workflow
  onDelete?: (workflow: Workflow) => void
}) {
  return (
    <InlineStack gap="300" align="end" wrap={false}>
      <Button
        variant="plain"
        accessibilityLabel={t('Duplicate {name}', { name: workflow.name })}
        onClick={() => navigate(`/workflows/new?from=${encodeURIComponent(workflow.id)}`)}
      >
        {t('Duplicate')}
      </Button>
      {onDelete && (
        <CriticalButton
          label={t('Delete {name}', { name: workflow.name })}
          onClick={() => onDelete(workflow)}
          text={t('Delete')}
        />
      )}
    </InlineStack>
  )
}
