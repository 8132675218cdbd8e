// Workflows in a table; on a narrow screen a list instead.
import { navigate } from 'wouter/use-browser-location'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { RowsTable } from '../../shell/components/rows-table.tsx'
import { useChannels } from '../imports/channel-calls.ts'
import { type Schedule } from '../schedules/calls.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
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
import { runsOnText, stepsText } from '../plugins/step-labels.ts'
import './workflows.css'
import { t } from '../../shell/messages/t.ts'

interface Props {
  workflows: readonly Workflow[]
  schedules: readonly Schedule[]
  /** Absent if they cannot be deleted. */
  onDelete?: (workflow: Workflow) => void
}

export function WorkflowsTable({ workflows, schedules, onDelete }: Props) {
  const { lgDown: narrow } = useBreakpoints()
  const channels = useChannels()
  const used = schedules.filter(({ workflow }) => workflows.some(({ id }) => id === workflow))
  const parts = (workflow: Workflow) => ({
    name: <Name workflow={workflow} />,
    uses: <Uses schedules={used.filter((schedule) => schedule.workflow === workflow.id)} />,
    buttons: <Buttons workflow={workflow} onDelete={onDelete} />,
  })
  return (
    <RowsTable
      names={{ singular: t('workflow'), plural: t('workflows') }}
      headings={[
        { title: t('Workflow') },
        { title: t('Runs on') },
        { title: t('Steps') },
        ...(used.length > 0 ? [{ title: t('Scheduled tasks') }] : []),
        { title: t('Actions'), hidden: true },
      ]}
      narrow={narrow}
      rows={workflows}
    >
      {(workflow) => {
        const { name, uses, buttons } = parts(workflow)
        return narrow ? (
          <Box padding="400">
            <BlockStack gap="200">
              {name}
              <span className="steps-line">{stepsText(workflow.steps)}</span>
              <InlineStack align="space-between" blockAlign="center" gap="200">
                <Text as="span" variant="bodySm" tone="subdued">
                  {runsOnText(workflow, channels)}
                </Text>
                {buttons}
              </InlineStack>
              {uses}
            </BlockStack>
          </Box>
        ) : (
          <>
            <IndexTable.Cell>{name}</IndexTable.Cell>
            <IndexTable.Cell>{runsOnText(workflow, channels)}</IndexTable.Cell>
            <IndexTable.Cell>
              <div className="steps-line">{stepsText(workflow.steps)}</div>
            </IndexTable.Cell>
            {used.length > 0 && <IndexTable.Cell>{uses}</IndexTable.Cell>}
            <IndexTable.Cell>{buttons}</IndexTable.Cell>
          </>
        )
      }}
    </RowsTable>
  )
}

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
