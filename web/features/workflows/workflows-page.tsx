// The shop's own workflows, and those that are built in.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useSchedules } from '../schedules/calls.ts'
import { useWorkflows, type Workflow } from '../../shell/client/workflows.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { BlockStack, Box, Card, Text } from '../../shell/ui/index.ts'
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
            <Card padding="0">
              <Box padding="400">
                <BlockStack gap="100">
                  <Text as="h2" variant="headingMd">
                    {t('Built in')}
                  </Text>
                  <Text as="p" tone="subdued">
                    {t('These run where you have no custom workflow. Duplicate one to change it.')}
                  </Text>
                </BlockStack>
              </Box>
              <WorkflowsTable workflows={builtIn} schedules={uses} />
            </Card>
          </>
        )}
      </BlockStack>
      <DeleteWorkflow workflow={doomed} onClose={() => setDoomed(null)} />
    </Page>
  )
}
