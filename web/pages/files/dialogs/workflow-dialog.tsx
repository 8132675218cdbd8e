// Runs a workflow on the chosen files.
import { useState } from 'react'
import { entriesOf, usePlugins } from '../../../client/plugins.ts'
import { useStartOperation } from '../../../client/operations.ts'
import { useWorkflows, type Workflow } from '../../../client/workflows.ts'
import { Problem } from '../../../components/problem.tsx'
import { Steps } from '../../../components/steps.tsx'
import { Banner, Link, Select, Spinner } from '../../../ui/index.ts'
import { cannotUndoText } from '../../../labels/operation.ts'
import { countText } from '../../../labels/size.ts'
import { runsAsItIs } from './action-form.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'

export function WorkflowDialog(props: BulkProps) {
  const start = useStartOperation()
  const workflows = useWorkflows()
  const [id, setId] = useState<string | null>(null)
  const plugins = usePlugins()
  const ready = new Set(
    entriesOf(plugins.data?.data ?? [])
      .filter(runsAsItIs)
      .map(({ action }) => action.id),
  )
  const isOffered = ({ id, kind, built_in }: Workflow) =>
    kind === 'bulk' && (!built_in || ready.has(id))
  const offered = workflows.data?.data.filter(isOffered).toSorted(ownFirst) ?? []
  const chosen = offered.find((workflow) => workflow.id === id) ?? offered[0]
  const files = countText(props.chosen.count, 'file', 'files')
  return (
    <BulkDialog
      {...props}
      title={`Run a workflow on ${files}`}
      run="Run workflow"
      start={start}
      error={start.error}
      work={() => (chosen ? { workflow: chosen.id } : null)}
    >
      {workflows.isPending && <Spinner size="small" accessibilityLabel="Loading workflows" />}
      {workflows.error && (
        <Problem
          error={workflows.error}
          what="The workflows could not be loaded"
          onRetry={() => void workflows.refetch()}
          retrying={workflows.isFetching}
        />
      )}
      {workflows.data && !chosen && (
        <p>
          No workflow works on files that are already here.{' '}
          <Link url="/workflows/new">Make one</Link>.
        </p>
      )}
      {chosen && (
        <>
          <Select
            label="Workflow"
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

/**
 * The merchant's own first; of the built-in ones those that can run without being told anything.
 */
const ownFirst = (one: Workflow, other: Workflow): number =>
  Number(one.built_in) - Number(other.built_in) || one.name.localeCompare(other.name)
