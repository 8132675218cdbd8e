// The shop's own workflows, and those that are built in.
import { type ReactNode, useId, useMemo, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useWorkflows, type Workflow } from '../../shell/client/workflows.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import {
  BlockStack,
  Box,
  Button,
  Card,
  ChevronDownIcon,
  ChevronUpIcon,
  Heading,
  Hint,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { eventText } from '../../shell/labels/events.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { t } from '../../shell/messages/t.ts'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import type { CardLayout, Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { type Schedule, useSchedules } from '../schedules/calls.ts'
import { cronText } from '../schedules/labels.ts'
import { type Channel, useChannels } from '../imports/channel-calls.ts'
import { runsOnText, stepsText } from '../plugins/step-labels.ts'
import { RecipeCards } from './recipe-cards.tsx'
import { RECIPES } from './recipes.ts'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { OpenFile } from './open-file.tsx'
import './workflows.css'

export function WorkflowsPage() {
  const workflows = useWorkflows()
  const schedules = useSchedules()
  const [doomed, setDoomed] = useState<Workflow | null>(null)
  const [opens, setOpens] = useState(false)
  const list = workflows.data?.data
  const own = list?.filter(({ built_in }) => !built_in) ?? []
  const builtIn = list?.filter(({ built_in }) => built_in) ?? []
  const uses = schedules.data?.data ?? []
  return (
    <Page
      title={t('Workflows')}
      fullWidth
      primaryAction={{ content: t('New workflow'), onAction: () => navigate('/workflows/new') }}
      secondaryActions={[{ content: t('Open a file'), onAction: () => setOpens(true) }]}
    >
      <BlockStack gap="400">
        <LoadProblem query={workflows} what={t('The workflows could not be loaded')} />
        {list === undefined ? (
          !workflows.error && (
            <Card padding="0">
              <LoadingRows what={t('workflows')} />
            </Card>
          )
        ) : (
          <>
            {own.length > 0 && (
              <Card padding="0">
                <WorkflowsTable workflows={own} schedules={uses} onDelete={setDoomed} />
              </Card>
            )}
            <Recipes startsOpen={own.length === 0} />
            <BuiltIn workflows={builtIn} schedules={uses} />
          </>
        )}
      </BlockStack>
      <DeleteWorkflow workflow={doomed} onClose={() => setDoomed(null)} />
      {opens && <OpenFile onClose={() => setOpens(false)} />}
    </Page>
  )
}

interface BuiltInProps {
  workflows: readonly Workflow[]
  schedules: readonly Schedule[]
}

const BuiltIn = ({ workflows, schedules }: BuiltInProps) => (
  <Folded
    title={t('Built in')}
    help={t('These run where you have no custom workflow. Duplicate one to change it.')}
    show={t('Show {count, plural, one {# workflow} other {# workflows}}', {
      count: workflows.length,
    })}
  >
    <WorkflowsTable workflows={workflows} schedules={schedules} />
  </Folded>
)

const Recipes = ({ startsOpen }: { startsOpen: boolean }) => (
  <Folded
    title={t('Start with a recipe')}
    help={t(
      'A workflow is a sequence of steps that runs on files that you select, on every import of a channel, or on a schedule. A recipe opens in the editor: try it on your files, and change what you want.',
    )}
    show={t('Show {count, plural, one {# recipe} other {# recipes}}', { count: RECIPES.length })}
    startsOpen={startsOpen}
  >
    <RecipeCards />
  </Folded>
)

interface FoldedProps {
  title: string
  help: string
  /** The label of the button that unfolds it. */
  show: string
  startsOpen?: boolean
  children: ReactNode
}

/** A card whose content is shown on demand. */
function Folded({ title, help, show, startsOpen = false, children }: FoldedProps) {
  const [open, setOpen] = useState(startsOpen)
  const content = useId()
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center" gap="300" wrap={false}>
          <BlockStack gap="100">
            <Heading>{title}</Heading>
            <Hint>{help}</Hint>
          </BlockStack>
          <Button
            variant="tertiary"
            icon={open ? ChevronUpIcon : ChevronDownIcon}
            accessibilityLabel={open ? actionName(t('Hide'), title) : show}
            ariaExpanded={open}
            ariaControls={content}
            onClick={() => setOpen(!open)}
          >
            {open ? t('Hide') : show}
          </Button>
        </InlineStack>
      </Box>
      <div id={content}>{open && children}</div>
    </Card>
  )
}

// Workflows with their steps, and what runs them.

interface Props {
  workflows: readonly Workflow[]
  schedules: readonly Schedule[]
  /** Deletes a workflow; absent if these cannot be deleted. */
  onDelete?: (workflow: Workflow) => void
}

function WorkflowsTable({ workflows, schedules, onDelete }: Props) {
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
    cell: (workflow) => startsText(workflow, channels, used),
    inCard: (workflow) => <SmallPrint>{startsText(workflow, channels, used)}</SmallPrint>,
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

/** What it runs on, and whether something else than a person starts it. */
function startsText(
  workflow: Workflow,
  channels: readonly Channel[],
  schedules: readonly Schedule[],
): string {
  const { id, kind, channel, enabled, when } = workflow
  const runsOn =
    kind === 'import' && channel === null && when.length > 0
      ? t('{count, plural, one {One source of imports} other {# sources of imports}}', {
          count: when.length,
        })
      : runsOnText(workflow, channels)
  if (!enabled) return t('{runsOn}. Off', { runsOn })
  const events = when.map(({ event }) => event).filter((event) => event !== null)
  const happens = events.map((event) => t('when {event}', { event: eventText(event) }))
  const times = schedules.filter((schedule) => schedule.workflow === id && schedule.enabled)
  const due = times.map(({ cron, schedule_text }) => cronText(cron, schedule_text))
  return [runsOn, ...due, ...happens].join('; ')
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
