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
import { andText } from '../../shell/labels/list.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import type { CardLayout, Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { type Schedule, useSchedules } from '../schedules/calls.ts'
import { cronText } from '../schedules/labels.ts'
import { type Channel, useChannels } from '../imports/channel-calls.ts'
import { OPERATION_STATUSES } from '../operations/operation-status.ts'
import { runsOnText, stepsText } from '../plugins/step-labels.ts'
import { ifNotSentence } from './if-not-text.ts'
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
    const names = new Map(workflows.map(({ id, name }) => [id, name]))
    return columnsOf({ channels, used, names, onDelete, isOwn: onDelete !== undefined })
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

type ColumnId = 'name' | 'state' | 'last' | 'next' | 'buttons'

const CARD: CardLayout<ColumnId> = {
  lines: ['name', { facts: ['state', 'last', 'next'] }, 'buttons'],
}

interface Context extends Pick<Props, 'onDelete'> {
  channels: readonly Channel[]
  /** The scheduled tasks that run one of the workflows. */
  used: readonly Schedule[]
  /** The names of workflows by their ids. */
  names: ReadonlyMap<string, string>
  isOwn: boolean
}

const columnsOf = ({
  channels,
  used,
  names,
  onDelete,
  isOwn,
}: Context): Columns<ColumnId, Workflow> => ({
  name: {
    title: t('Workflow'),
    wraps: true,
    cell: (workflow) => (
      <BlockStack gap="050">
        <Name workflow={workflow} />
        <div className="steps-line">
          <SmallPrint>
            {t('{when}: {steps}', {
              when: startsText(workflow, channels, used),
              steps: stepsText(workflow.steps),
            })}
          </SmallPrint>
          {workflow.if_not && (
            <div>
              <SmallPrint>{ifNotSentence(workflow.if_not, names)}</SmallPrint>
            </div>
          )}
        </div>
      </BlockStack>
    ),
  },
  ...(isOwn ? RUN_COLUMNS : NO_RUNS),
  buttons: {
    title: t('Actions'),
    titleHidden: true,
    cell: (workflow) => <Buttons workflow={workflow} onDelete={onDelete} />,
  },
})

const RUN_COLUMNS: Pick<Columns<ColumnId, Workflow>, 'state' | 'last' | 'next'> = {
  state: {
    title: t('State'),
    cell: ({ enabled, when }) =>
      !enabled ? t('Off') : when.some(({ paused }) => paused !== null) ? t('Paused') : t('On'),
  },
  last: {
    title: t('Last run'),
    cell: ({ last_run: run }) =>
      run && <Link url={`/operations/${run.operation_id}`}>{runText(run)}</Link>,
    inCard: ({ last_run: run }) => run && runText(run),
  },
  next: { title: t('Next run'), cell: nextText },
}
// A built-in workflow runs where the shop has none: its runs are in the history of its channel.
const NO_RUNS: typeof RUN_COLUMNS = {
  state: { cell: () => null },
  last: { cell: () => null },
  next: { cell: () => null },
}

const runText = ({ status, created_at }: NonNullable<Workflow['last_run']>): string =>
  t('{status}, {at}', { status: OPERATION_STATUSES[status].text, at: momentText(created_at) })

/** When it runs or continues next, or for whom a run waits. */
function nextText({ enabled, next_run, waits_for }: Workflow): string {
  if (waits_for)
    return waits_for.length > 0
      ? t('Waits for {people}', { people: andText(waits_for) })
      : t('Waits for an answer')
  return enabled && next_run ? momentText(next_run) : ''
}

/** What it runs on, and whether something else than a person starts it. */
function startsText(
  workflow: Workflow,
  channels: readonly Channel[],
  schedules: readonly Schedule[],
): string {
  const { id, kind, channel, when } = workflow
  const runsOn =
    kind === 'import' && channel === null && when.length > 0
      ? t('{count, plural, one {One source of imports} other {# sources of imports}}', {
          count: when.length,
        })
      : runsOnText(workflow, channels)
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
