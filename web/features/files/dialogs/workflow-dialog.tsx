// Runs a workflow on the selected files.
import { useState } from 'react'
import { entriesOf, usePlugins } from '../../../shell/client/plugins.ts'
import { useStartOperation } from '../../operations/calls.ts'
import { useWorkflows, type Workflow } from '../../../shell/client/workflows.ts'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Steps } from '../../../shell/components/steps.tsx'
import { Banner, Link, Select, Spinner } from '../../../shell/ui/index.ts'
import { cannotUndoText } from '../../operations/labels.ts'
import { runsAsItIs } from './action-form.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { tRich } from '../../../shell/messages/rich.ts'
import { t } from '../../../shell/messages/t.ts'

export function WorkflowDialog(props: BulkProps) {
  const start = useStartOperation()
  const { workflows, offered } = useOffered()
  const [id, setId] = useState<string | null>(null)
  const chosen = offered.find((workflow) => workflow.id === id) ?? offered[0]
  const files = t('{count, plural, one {# file} other {# files}}', { count: props.chosen.count })
  return (
    <BulkDialog
      {...props}
      title={t('Run a workflow on {files}', { files })}
      run={t('Run workflow')}
      start={start}
      error={start.error}
      work={() => (chosen ? { workflow: chosen.id } : null)}
    >
      {workflows.isPending && <Spinner size="small" accessibilityLabel={t('Loading workflows')} />}
      <LoadProblem query={workflows} what={t('The workflows could not be loaded')} />
      {workflows.data && !chosen && (
        <p>
          {tRich(
            'No workflow works on files that are already here. <link>Create one</link>.',
            {},
            {
              link: (text) => <Link url="/workflows/new">{text}</Link>,
            },
          )}
        </p>
      )}
      {chosen && (
        <>
          <Select
            label={t('Workflow')}
            options={offered.map(({ id: value, name }) => ({ value, label: name }))}
            value={chosen.id}
            onChange={(value) => {
              setId(value)
              if (start.error) start.reset()
            }}
          />
          <Steps steps={chosen.steps} />
          {chosen.cannot_undo.length > 0 && (
            <Banner tone="warning">
              <p>{cannotUndoText(chosen.cannot_undo)}</p>
            </Banner>
          )}
        </>
      )}
    </BulkDialog>
  )
}

/** The workflows that can run on selected files without further options. */
function useOffered() {
  const workflows = useWorkflows()
  const plugins = usePlugins()
  const ready = new Set(
    entriesOf(plugins.data?.data ?? [])
      .filter(runsAsItIs)
      .map(({ action }) => action.id),
  )
  const isOffered = ({ id, kind, built_in }: Workflow) =>
    kind === 'bulk' && (!built_in || ready.has(id))
  const offered = workflows.data?.data.filter(isOffered).toSorted(ownFirst) ?? []
  return { workflows, offered }
}

/** The merchant's own workflows first, then built-in ones that need no options. */
const ownFirst = (one: Workflow, other: Workflow): number =>
  Number(one.built_in) - Number(other.built_in) || one.name.localeCompare(other.name)
