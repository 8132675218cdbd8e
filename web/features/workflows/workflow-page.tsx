// One workflow: a new one, a copy, one of the shop's to edit, or a built-in one to read.
import { navigate, useSearch } from 'wouter/use-browser-location'
import { usePlugins } from '../../shell/client/plugins.ts'
import { together } from '../../shell/client/together.ts'
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
  const needed = together([...(source === null ? [] : [workflow]), plugins])
  if (!needed.loaded)
    return (
      <UnloadedPage
        query={needed}
        back={BACK}
        title={t('Workflow')}
        what={t('the workflow')}
        problem={t('The workflow could not be loaded')}
        missing={{
          title: t('Workflow not found'),
          heading: t('This workflow doesn’t exist'),
          action: t('Go to workflows'),
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
