// One workflow: a new one, a copy, one of the shop's to edit, or a built-in one to read.
import { navigate, useSearch } from 'wouter/use-browser-location'
import { usePlugins } from '../../shell/client/plugins.ts'
import { useWorkflow, type Workflow } from '../../shell/client/workflows.ts'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { BuiltInWorkflow } from './built-in-workflow.tsx'
import { copyOf, draftOf, emptyDraft } from './draft.ts'
import { WorkflowEditor } from './workflow-editor.tsx'
import { t } from '../../shell/messages/t.ts'

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
      <UnloadedPage
        error={workflow.error ?? plugins.error}
        retrying={workflow.isFetching || plugins.isFetching}
        onRetry={() => {
          if (plugins.error) void plugins.refetch()
          if (workflow.error) void workflow.refetch()
        }}
        back={BACK}
        texts={{
          title: t('Workflow'),
          missingTitle: t('Workflow not found'),
          missing: t('This workflow doesn’t exist'),
          goToList: t('Go to workflows'),
          failed: t('The workflow could not be loaded'),
          what: t('the workflow'),
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
      record={fresh ? undefined : workflow.data}
      plugins={plugins.data!.data}
      onSaved={(saved) => fresh && navigate(`/workflows/${saved.id}`, { replace: true })}
    />
  )
}

const startOf = (workflow: Workflow, fresh: boolean) =>
  fresh ? copyOf(workflow) : draftOf(workflow)
