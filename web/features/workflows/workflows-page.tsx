// The shop's own workflows, and those that are built in.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { type Schedule, useSchedules } from '../schedules/calls.ts'
import { useWorkflows, type Workflow } from '../../shell/client/workflows.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
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
} from '../../shell/ui/index.ts'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { WorkflowsTable } from './workflows-table.tsx'
import { t } from '../../shell/messages/t.ts'

export function WorkflowsPage() {
  const workflows = useWorkflows()
  const schedules = useSchedules()
  const [doomed, setDoomed] = useState<Workflow | null>(null)
  const list = workflows.data?.data
  const own = list?.filter(({ built_in }) => !built_in) ?? []
  const builtIn = list?.filter(({ built_in }) => built_in) ?? []
  const uses = schedules.data?.data ?? []
  return (
    <Page
      title={t('Workflows')}
      fullWidth
      primaryAction={{ content: t('New workflow'), onAction: () => navigate('/workflows/new') }}
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
            <Card padding="0">
              {own.length === 0 ? (
                <Nothing
                  why="new"
                  heading={t('No custom workflows yet')}
                  action={{ content: t('New workflow'), url: '/workflows/new' }}
                >
                  {t(
                    'A workflow is a sequence of steps that runs on files that you select, on every import of a channel, or on a schedule.',
                  )}
                </Nothing>
              ) : (
                <WorkflowsTable workflows={own} schedules={uses} onDelete={setDoomed} />
              )}
            </Card>
            <BuiltIn workflows={builtIn} schedules={uses} startOpen={own.length === 0} />
          </>
        )}
      </BlockStack>
      <DeleteWorkflow workflow={doomed} onClose={() => setDoomed(null)} />
    </Page>
  )
}

interface BuiltInProps {
  workflows: readonly Workflow[]
  schedules: readonly Schedule[]
  startOpen: boolean
}

/** The built-in workflows, closed while the shop has its own. */
function BuiltIn({ workflows, schedules, startOpen }: BuiltInProps) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const open = chosen ?? startOpen
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center" gap="300" wrap={false}>
          <BlockStack gap="100">
            <Heading>{t('Built in')}</Heading>
            <Hint>
              {t('These run where you have no custom workflow. Duplicate one to change it.')}
            </Hint>
          </BlockStack>
          <Button
            variant="tertiary"
            icon={open ? ChevronUpIcon : ChevronDownIcon}
            ariaExpanded={open}
            ariaControls="built-in-workflows"
            accessibilityLabel={open ? t('Hide built-in workflows') : t('Show built-in workflows')}
            onClick={() => setChosen(!open)}
          >
            {String(workflows.length)}
          </Button>
        </InlineStack>
      </Box>
      <div id="built-in-workflows">
        {open && <WorkflowsTable workflows={workflows} schedules={schedules} />}
      </div>
    </Card>
  )
}
