// One workflow: a new one, a copy, one of the shop's to edit, or a built-in one to read.
import { useState } from 'react'
import { navigate, useSearch } from 'wouter/use-browser-location'
import { usePlugins } from '../../shell/client/plugins.ts'
import { together } from '../../shell/client/together.ts'
import { useWorkflow, type Workflow } from '../../shell/client/workflows.ts'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { t } from '../../shell/messages/t.ts'
import { Page } from '../../shell/components/page.tsx'
import { Badge, BlockStack, Card, Heading, Hint, Text } from '../../shell/ui/index.ts'
import '../../shell/components/form.css'
import { useChannels } from '../imports/channel-calls.ts'
import { runsOnText } from '../plugins/step-labels.ts'
import { copyOf, draftOf, emptyDraft } from './draft.ts'
import { draftOfRecipe } from './recipes.ts'
import { useWorkflowFile } from './use-workflow-file.tsx'
import { WorkflowEditor } from './workflow-editor.tsx'
import { conditionSentence } from './condition-text.ts'
import './workflows.css'

const BACK = { content: t('Workflows'), url: '/workflows' }

export function WorkflowPage({ id }: { id: string }) {
  const fresh = id === 'new'
  const search = new URLSearchParams(useSearch())
  const from = search.get('from')
  const recipe = draftOfRecipe(search.get('recipe'))
  const kind = search.get('kind') === 'delivery' ? 'delivery' : 'bulk'
  const source = fresh ? from : id
  const version = Number(search.get('version')) || null
  // A restored version fills the form again.
  const [restored, setRestored] = useState(0)
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
      key={`${source ?? search.get('recipe')} ${restored}`}
      id={fresh ? null : id}
      initial={workflow.data ? startOf(workflow.data, fresh) : (recipe ?? emptyDraft(kind))}
      record={fresh ? undefined : workflow.data}
      plugins={plugins.data!.data}
      version={restored === 0 ? version : null}
      onRestored={() => setRestored((count) => count + 1)}
      onSaved={(saved) => fresh && navigate(`/workflows/${saved.id}`, { replace: true })}
    />
  )
}

const startOf = (workflow: Workflow, fresh: boolean) =>
  fresh ? copyOf(workflow) : draftOf(workflow)

// A built-in workflow: its steps to be read, and the way to a copy that can be changed.

function BuiltInWorkflow({ workflow }: { workflow: Workflow }) {
  const file = useWorkflowFile(workflow)
  return (
    <Page
      title={workflow.name}
      titleMetadata={<Badge>{t('Built in')}</Badge>}
      subtitle={runsOnText(workflow, useChannels())}
      backAction={{ content: t('Workflows'), url: '/workflows' }}
      primaryAction={{
        content: t('Duplicate'),
        onAction: () => navigate(`/workflows/new?from=${encodeURIComponent(workflow.id)}`),
      }}
      secondaryActions={[{ content: t('Download as a file'), onAction: file.save }]}
    >
      {file.problem}
      <Card>
        <BlockStack gap="300">
          <Heading>{t('Steps')}</Heading>
          <ol className="steps-read">
            {workflow.steps.map(({ id, title, summary, when }, at) => (
              <li key={id}>
                <span className="step-number" aria-hidden="true">
                  {at + 1}
                </span>
                <div>
                  <Text as="p" fontWeight="semibold">
                    {title}
                  </Text>
                  {summary !== title && (
                    <Hint>
                      <span className="sentence">{summary}</span>
                    </Hint>
                  )}
                  {when && <Hint>{conditionSentence(when)}</Hint>}
                </div>
              </li>
            ))}
          </ol>
        </BlockStack>
      </Card>
    </Page>
  )
}
