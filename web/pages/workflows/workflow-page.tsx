// One workflow: a new one, a copy, one of the shop's to edit, or a built-in one to read.
import { navigate, useSearch } from 'wouter/use-browser-location'
import { ApiError } from '../../client/error.ts'
import { usePlugins } from '../../client/plugins.ts'
import { useWorkflow, type Workflow } from '../../client/workflows.ts'
import { LoadingRows, Nothing } from '../../components/lists.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { Card } from '../../ui/index.ts'
import { BuiltInWorkflow } from './built-in-workflow.tsx'
import { copyOf, draftOf, emptyDraft } from './draft.ts'
import { WorkflowEditor } from './workflow-editor.tsx'
import { t } from '../../messages/t.ts'

const BACK = { content: t('Workflows'), url: '/workflows' }

export function WorkflowPage({ id }: { id: string }) {
  const fresh = id === 'new'
  const search = new URLSearchParams(useSearch())
  const from = search.get('from')
  const kind = search.get('kind') === 'delivery' ? 'delivery' : 'bulk'
  const source = fresh ? from : id
  const workflow = useWorkflow(source)
  const plugins = usePlugins()
  const ready = plugins.data !== undefined && (source === null || workflow.data !== undefined)
  if (!ready)
    return (
      <Waiting
        error={workflow.error ?? plugins.error}
        retrying={workflow.isFetching || plugins.isFetching}
        onRetry={() => {
          if (plugins.error) void plugins.refetch()
          if (workflow.error) void workflow.refetch()
        }}
      />
    )
  if (!fresh && workflow.data!.built_in) return <BuiltInWorkflow workflow={workflow.data!} />
  return (
    <WorkflowEditor
      // Another source in the address mounts another form.
      key={source}
      id={fresh ? null : id}
      initial={workflow.data ? startOf(workflow.data, fresh) : emptyDraft(kind)}
      plugins={plugins.data!.data}
      onSaved={(saved) => fresh && navigate(`/workflows/${saved.id}`, { replace: true })}
    />
  )
}

const startOf = (workflow: Workflow, fresh: boolean) =>
  fresh ? copyOf(workflow) : draftOf(workflow)

interface WaitingProps {
  error: Error | null
  retrying: boolean
  onRetry: () => void
}

function Waiting({ error, retrying, onRetry }: WaitingProps) {
  const gone = error instanceof ApiError && error.status === 404
  return (
    <Page title={gone ? t('Workflow not found') : t('Workflow')} backAction={BACK}>
      {gone ? (
        <Card>
          <Nothing
            why="unmatched"
            heading={t('This workflow doesn’t exist')}
            action={{ content: t('Go to workflows'), url: BACK.url }}
          />
        </Card>
      ) : error ? (
        <Problem
          error={error}
          what={t('The workflow could not be loaded')}
          onRetry={onRetry}
          retrying={retrying}
        />
      ) : (
        <Card padding="0">
          <LoadingRows rows={5} what={t('the workflow')} />
        </Card>
      )}
    </Page>
  )
}
